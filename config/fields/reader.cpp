#include "config/fields/reader.hpp"

#include "config/fields/types.hpp"
#include "config/toml/nearest.hpp"
#include "config/toml/toml.hpp"
#include "core/contract.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace gauntlet {
namespace {

/// A name that --set can reach and a result can carry.
bool is_plain(std::string_view name) { return !name.empty() && key_to_toml(name) == name; }

/// Collects "{ count = 3, over = ... }", the first fields of a table that have an example or a default.
class ExampleWriter final : public Fields {
 public:
  void alternatives(std::initializer_list<std::string_view>) override {}
  void field(std::string_view name, const Type& type, const Fallback& fallback, std::string_view) override {
    const bool required = fallback.kind == Fallback::Kind::required;
    const std::string text = fallback.text(type);
    if (text.empty()) return;
    std::string& into = required ? required_ : defaults_;
    const std::size_t most = required ? 2 : 1;
    if (static_cast<std::size_t>(std::count(into.begin(), into.end(), '=')) >= most) return;
    into += (into.empty() ? "" : ", ") + std::string(name) + " = " + text;
  }
  void table(std::string_view, const Describe&, std::string_view) override {}
  void inline_table(std::string_view, const Describe&, std::string_view) override {}
  void catalogue(std::string_view, std::string_view, const Describe&, std::string_view) override {}
  void entries(std::string_view, const DescribeEntry&, std::string_view) override {}
  void check(const std::function<void(const Place&)>&) override {}

  std::string text() const {
    const std::string& best = required_.empty() ? defaults_ : required_;
    return best.empty() ? "a table" : "a table such as { " + best + " }";
  }

 private:
  std::string required_, defaults_;
};

/// An entry of a table as it was written.
struct WrittenEntry {
  std::string_view name;
  std::uint32_t layer = 0;  // the lowest of its members
};

std::vector<WrittenEntry> written_entries(const Value::Table& entries) {
  std::vector<WrittenEntry> written;
  for (const auto& [name, value] : entries) {
    const Value::Table* table = value.table();
    if (table == nullptr || table->empty()) continue;
    const auto layer = [](const auto& member) { return member.second.at.layer; };
    written.push_back({name, layer(*std::ranges::min_element(*table, {}, layer))});
  }
  return written;
}

/// The entry that `entry` was probably meant to change: one that lies, in part, on a lower layer.
std::string hint_of_inherited(std::span<const WrittenEntry> written, std::string_view entry,
                              std::uint32_t layer) {
  std::vector<std::string> inherited;
  for (const WrittenEntry& other : written)
    if (other.name != entry && other.layer < layer) inherited.emplace_back(other.name);
  const auto meant = nearest_name(entry, inherited);
  return meant ? "did you mean \"" + *meant + "\", which is there already?" : "";
}

}  // namespace

void Reader::alternatives(std::initializer_list<std::string_view> names) {
  Value::Table& table = *place_.value().table();
  std::uint32_t highest = 0;
  for (const std::string_view name : names)
    if (const auto found = table.find(name); found != table.end())
      highest = std::max(highest, found->second.at.layer);
  const auto holds = std::find_if(names.begin(), names.end(), [&](std::string_view name) {
    const auto found = table.find(name);
    return found != table.end() && found->second.at.layer == highest;
  });
  for (const std::string_view name : names) {
    const auto found = table.find(name);
    if (found == table.end() || found->second.at.layer == highest) continue;
    // What a file says is replaced on purpose; of two --set, one was hardly meant to undo the other.
    if (found->second.at.kind == Origin::Kind::command_line)
      place_.warning_at(
          name, "has no effect: " + place_.path_of(*holds) + ", which was set after it, takes its place",
          "leave one of them out");
    table.erase(found);
  }
}

void Reader::field(std::string_view name, const Type& type, const Fallback& fallback, std::string_view) {
  expect(!finished_, "checks come after the fields of a table");
  remember(name);
  std::optional<Place> place = place_.find(name);
  if (!place) {
    if (fallback.kind == Fallback::Kind::optional) return;
    if (fallback.kind == Fallback::Kind::required) {
      missing_.push_back({std::string(name), fallback.toml});
      return;
    }
    const bool computed = fallback.kind == Fallback::Kind::computed;
    if (computed && !place_.mistakes().none()) return;
    Value value = fallback.kind == Fallback::Kind::initial
                      ? type.initial()
                      : parse_fallback(computed ? fallback.compute() : fallback.toml);
    value.at.file = place_.value().at.file;
    if (computed) value.at.kind = Origin::Kind::computed;
    place_.value().table()->emplace(std::string(name), std::move(value));
    place = place_.find(name);
  }
  type.read(*place);
}

void Reader::table(std::string_view name, const Describe& describe, std::string_view) {
  expect(!finished_, "checks come after the fields of a table");
  remember(name);
  if (!place_.find(name)) {
    // Its fields' defaults hold, and what is missing in it is missing from the table around it.
    Value empty{Value::Table{}, place_.value().at, place_.value().key_at, false};
    empty.at.kind = place_.value().at.kind;
    place_.value().table()->emplace(std::string(name), std::move(empty));
  }
  read_table(*place_.find(name), describe);
}

void Reader::inline_table(std::string_view name, const Describe& describe, std::string_view) {
  expect(!finished_, "checks come after the fields of a table");
  remember(name);
  if (const auto place = place_.find(name)) read_table(*place, describe);
}

void Reader::catalogue(std::string_view name, std::string_view folder, const Describe& describe,
                       std::string_view) {
  expect(!finished_, "checks come after the fields of a table");
  remember(name);
  const auto place = place_.find(name);
  if (!place) {
    missing_.push_back({std::string(name), ""});
    return;
  }
  // A name that is still one is in no catalogue, and that has been reported.
  if (place->value().string() != nullptr) return;
  if (place->value().table() == nullptr)
    return wrong_type(*place, "a name of the catalogue's " + std::string(folder) + ", or a table");
  read_table(*place, describe);
}

void Reader::entries(std::string_view name, const DescribeEntry& describe, std::string_view) {
  expect(!finished_, "checks come after the fields of a table");
  remember(name);
  const auto place = place_.find(name);
  if (!place) return;
  if (place->value().table() == nullptr) return wrong_type(*place, "tables, each under a name of its own");
  const std::vector<WrittenEntry> written = written_entries(*place->value().table());
  for (auto& [entry, value] : *place->value().table()) {
    if (!is_plain(entry)) {
      place->mistake_of_key(entry, "is not a plain name", "use letters, digits, _ and -");
      continue;
    }
    if (entry.size() > kMostLettersOfName) {
      place->mistake_of_key(entry, "has more than " + std::to_string(kMostLettersOfName) + " letters",
                            "shorten it");
      continue;
    }
    read_table(
        Place(value, place->path_of(entry), place->mistakes()),
        [&, &own = entry](Fields& fields) { describe(fields, own); },
        [&, &own = entry, layer = value.at.layer] { return hint_of_inherited(written, own, layer); });
  }
}

void Reader::check(const std::function<void(const Place&)>& check) {
  finish();
  check(place_);
}

void Reader::read_table(const Place& place, const Describe& describe, Hint hint) {
  if (place.value().table() == nullptr) {
    ExampleWriter example;
    describe(example);
    return wrong_type(place, example.text());
  }
  Reader inner(place, std::move(hint));
  describe(inner);
  inner.finish();
}

void Reader::finish() {
  if (finished_) return;
  finished_ = true;
  for (const auto& [key, value] : *place_.value().table()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    const std::vector<std::string> known = to_strings(known_);
    place_.mistake_of_key(key, "is not known", suggest_names(key, known));
    // What was meant is neither missing nor left at its default.
    const auto meant = nearest_name(key, known);
    if (meant && !place_.given(*meant)) place_.mistakes().spoil(place_.path_of(*meant));
  }
  const std::string hint = missing_.empty() ? "" : hint_();
  for (const auto& [name, example] : missing_) {
    const std::string path = place_.path_of(name);
    if (!place_.mistakes().sound(path)) continue;
    const std::string write = example.empty() ? "" : "write " + name + " = " + example;
    place_.mistakes().add(place_.value().at, path, path, "is missing",
                          hint + (hint.empty() || write.empty() ? "" : " else ") + write);
  }
}

}  // namespace gauntlet
