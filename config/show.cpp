// gauntlet show: the visitor that writes a scenario out again.
#include "config/describe.hpp"
#include "config/scenario.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

/// Which file, without the line; else as Origin::text.
std::string source_of(const Origin& origin) {
  const std::string text = origin.text();
  const bool file = origin.kind == Origin::Kind::file || origin.kind == Origin::Kind::model;
  return file ? text.substr(0, text.rfind(':')) : text;
}

/// Where a value comes from; of a table that somebody wrote also which of its members come from elsewhere.
std::string provenance(const Value& value) {
  std::string out = value.at.text();
  if (value.table() == nullptr || !(value.at.written() || value.at.kind == Origin::Kind::model)) return out;
  std::map<std::string, std::string> elsewhere;  // by source: the names
  for (const auto& [name, member] : *value.table()) {
    const std::string source = source_of(member.at);
    if (source == source_of(value.at)) continue;
    std::string& names = elsewhere[source];
    names += (names.empty() ? "" : ", ") + key_to_toml(name);
  }
  for (const auto& [source, names] : elsewhere) out += "; " + names + ": " + source;
  return out;
}

class Shower final : public Fields {
 public:
  Shower(const Value& here, std::string path, Comments comments)
      : here_(&here), path_(std::move(path)), comments_(comments) {}

  void alternatives(std::initializer_list<std::string_view>) override {}
  void field(std::string_view name, const Type&, const Fallback&, std::string_view doc) override {
    line(name, doc);
  }
  void inline_table(std::string_view name, const Describe&, std::string_view doc) override {
    line(name, doc);
  }

  void table(std::string_view name, const Describe& describe, std::string_view doc) override {
    const Value* value = here_->find(name);
    if (value != nullptr && value->table() != nullptr) section(*value, path_of(name), describe, doc);
  }

  void catalogue(std::string_view name, std::string_view, const Describe& describe,
                 std::string_view doc) override {
    table(name, describe, doc);
  }

  void entries(std::string_view name, const DescribeEntry& describe, std::string_view doc) override {
    const Value* value = here_->find(name);
    if (value == nullptr || value->table() == nullptr) return;
    bool first = true;
    for (const auto& [entry, table] : *value->table()) {
      if (table.table() == nullptr) continue;
      section(
          table, path_of(name) + "." + key_to_toml(entry),
          [&, &own = entry](Fields& fields) { describe(fields, own); }, first ? doc : std::string_view());
      first = false;
    }
  }

  void check(const std::function<void(const Place&)>&) override {}

  /// The values of this table, then the tables in it, as TOML wants them.
  std::string text() const {
    constexpr std::size_t kFarthest = 48;
    std::size_t column = 0;
    for (const Line& line : lines_)
      if (line.assignment.size() <= kFarthest) column = std::max(column, line.assignment.size());
    std::string out;
    for (const Line& line : lines_) {
      out += line.assignment;
      if (comments_ == Comments::full) {
        out.append(column > line.assignment.size() ? column - line.assignment.size() : 0, ' ');
        out += "  # " + line.comment;
      }
      out += '\n';
    }
    return out + tables_;
  }
  bool empty() const { return lines_.empty() && tables_.empty(); }

 private:
  struct Line {
    std::string assignment, comment;
  };

  std::string path_of(std::string_view name) const {
    return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
  }

  void line(std::string_view name, std::string_view doc) {
    const Value* value = here_->find(name);
    if (value == nullptr) return;
    Line& line = lines_.emplace_back();
    line.assignment = std::string(name) + " = " + to_toml(*value);
    if (comments_ == Comments::full) line.comment = std::string(doc) + " [" + provenance(*value) + "]";
  }

  void section(const Value& value, const std::string& path, const Describe& describe, std::string_view doc) {
    Shower inner(value, path, comments_);
    describe(inner);
    if (inner.empty()) return;
    tables_ += "\n";
    if (comments_ == Comments::full && !doc.empty()) tables_ += "# " + std::string(doc) + "\n";
    if (!inner.lines_.empty()) tables_ += "[" + path + "]\n";
    tables_ += inner.text();
  }

  const Value* here_;
  std::string path_;
  Comments comments_;
  std::vector<Line> lines_;
  std::string tables_;
};

}  // namespace

std::string show(const LoadedScenario& loaded, Comments comments) {
  Shower shower(loaded.resolved, "", comments);
  Scenario scratch;
  describe(shower, scratch);
  const std::string header =
      "# A whole scenario: every value that holds, what it means and [where it comes from].\n"
      "# A value marked [computed] stays as it is here: remove its line where it is to follow other "
      "values.\n\n";
  return (comments == Comments::full ? header : std::string()) + shower.text();
}

}  // namespace gauntlet
