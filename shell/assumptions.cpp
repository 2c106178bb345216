#include "shell/assumptions.hpp"

#include <fmt/format.h>

#include <utility>

namespace gauntlet {
namespace {

constexpr std::string_view kSource = "source";

bool stated(const Origin& at) { return at.written() || at.kind == Origin::Kind::model; }

/// Adds a row for each value below `value`. `source`: of the tables around it.
void add_rows(const Value& value, const std::string& path, std::string source, PageTable& table) {
  const auto below = [&](const std::string& name) { return path.empty() ? name : path + "." + name; };
  if (const Value::Table* members = value.table()) {
    if (const auto own = members->find(kSource); own != members->end() && own->second.string() != nullptr)
      source = *own->second.string();
    for (const auto& [key, member] : *members)
      if (key != kSource) add_rows(member, below(key), source, table);
    return;
  }
  const Value::Array* elements = value.array();
  if (elements != nullptr && !elements->empty() && elements->front().table() != nullptr) {
    for (std::size_t i = 0; i < elements->size(); ++i) {
      const Value* name = (*elements)[i].find("name");
      const std::string* text = name == nullptr ? nullptr : name->string();
      add_rows((*elements)[i], below(text == nullptr ? std::to_string(i + 1) : *text), source, table);
    }
    return;
  }
  if (stated(value.at)) table.rows.push_back({path, excerpt(value), value.at.text(), source});
}

}  // namespace

Section assumptions_section(const Value& resolved, const std::string& shown) {
  Section section{.heading = "Assumptions"};
  PageTable table{
      .title = "", .header = {"key", "value", "written in", "source"}, .rows = {}, .folded = true};
  add_rows(resolved, "", "", table);
  table.title = fmt::format("The {} values that are stated, with their sources", table.rows.size());
  section.add(Paragraph{
      "The figures of this page hold for these values. `gauntlet explain KEY` says what a key means."});
  if (!table.rows.empty()) section.add(std::move(table));
  if (!shown.empty())
    section.add(Verbatim{shown, "The whole scenario with its defaults, and what each value means"});
  return section;
}

Section text_section(const std::string& report) {
  Section section{.heading = "Report as text"};
  section.add(Verbatim{report, "report.txt"});
  return section;
}

}  // namespace gauntlet
