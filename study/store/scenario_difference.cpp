#include "study/store/scenario_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

struct Field {
  std::size_t scenario = 0;  // of the text: a comparison has several
  std::string path, value;   // a comment, such as "with plain means", has no value
  friend bool operator==(const Field&, const Field&) = default;
};

// What stands between the brackets of a table's header, each table of an array numbered.
std::string table_of(std::string_view line, std::map<std::string, int, std::less<>>& seen) {
  const bool of_array = line.starts_with("[[");
  const std::size_t brackets = of_array ? 2 : 1;
  std::string name(line.substr(brackets, line.find(']') - brackets));
  return of_array ? fmt::format("{}[{}]", name, seen[name]++) : name;
}

/// The fields of a text line by line; a line that begins none belongs to the one before. In a text of several scenarios, a key after an empty
/// line begins the next scenario; within one scenario the header of a table stands there.
std::vector<Field> fields_of(std::string_view text) {
  std::vector<Field> fields;
  std::map<std::string, int, std::less<>> seen;
  std::string table;
  std::size_t scenario = 0;
  bool behind_empty = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const bool may_begin = std::exchange(behind_empty, line.empty());
    if (line.empty()) continue;
    const std::size_t equals = line.find(" = ");
    if (line.starts_with("# ")) {
      fields.push_back({scenario, std::string(line.substr(2)), ""});
    } else if (line.front() == '[') {
      table = table_of(line, seen);
    } else if (line.front() != ' ' && line.front() != ']' && equals != std::string_view::npos) {
      if (may_begin && !fields.empty()) {
        ++scenario;
        table.clear();
        seen.clear();
      }
      const std::string_view key = line.substr(0, equals);
      fields.push_back({scenario, table.empty() ? std::string(key) : fmt::format("{}.{}", table, key),
                        std::string(line.substr(equals + 3))});
    } else if (!fields.empty()) {
      fields.back().value += fmt::format(" {}", line);
    }
  }
  return fields;
}

const Field* find(const std::vector<Field>& fields, const Field& wanted) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& each) {
    return each.scenario == wanted.scenario && each.path == wanted.path;
  });
  return found == fields.end() ? nullptr : &*found;
}

/// `one` says where the field is, `other` where it is not.
std::string missing(const Field& field, std::string_view one, std::string_view other) {
  if (field.value.empty()) return fmt::format("\"{}\" {}, and not {}", field.path, one, other);
  return fmt::format("{} = {} {}, and no such key {}", field.path, field.value, one, other);
}

}  // namespace

std::string first_difference(std::string_view in_store, std::string_view now) {
  const std::vector<Field> before = fields_of(in_store), after = fields_of(now);
  const bool several = !before.empty() && before.back().scenario > 0;
  const auto of = [several](const Field& field) {
    return several && !field.value.empty() ? fmt::format("in scenario {}, ", field.scenario + 1) : "";
  };
  const auto [old_end, new_end] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  if (old_end != before.end()) {
    const Field* other = find(after, *old_end);
    if (other == nullptr) return of(*old_end) + missing(*old_end, "in the store", "now");
    if (other->value != old_end->value)
      return fmt::format("{}{} = {} in the store, {} now", of(*old_end), old_end->path, old_end->value,
                         other->value);
  }
  if (new_end != after.end()) return of(*new_end) + missing(*new_end, "now", "in the store");
  return "";
}

}  // namespace gauntlet
