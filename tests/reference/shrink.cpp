#include "tests/reference/random_scenario.hpp"

#include <algorithm>
#include <set>

namespace gauntlet::reference {

std::string to_toml(const Lines& lines) {
  std::string out;
  for (const Line& line : lines) out += line.table + "." + line.key + " = " + line.value + "\n";
  return out;
}

Lines shrunk(Lines lines, const std::function<bool(const std::string& toml)>& fails) {
  const auto try_without = [&](const auto& left_out) {
    Lines fewer = lines;
    std::erase_if(fewer, [&](const Line& line) { return !line.kept && left_out(line); });
    if (fewer.size() == lines.size() || !fails(to_toml(fewer))) return false;
    lines = std::move(fewer);
    return true;
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    std::set<std::string> tables;
    for (const Line& line : lines) tables.insert(line.table);
    for (const std::string& table : tables)
      smaller = try_without([&](const Line& line) { return line.table == table; }) || smaller;
    for (std::size_t i = 0; i < lines.size();) {
      const Line tried = lines[i];
      const auto same = [&](const Line& line) { return line.table == tried.table && line.key == tried.key; };
      if (try_without(same)) {
        smaller = true;
      } else {
        ++i;
      }
    }
  }
  return lines;
}

}  // namespace gauntlet::reference
