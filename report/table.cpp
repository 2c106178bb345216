#include "report/table.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

namespace gauntlet {
namespace {

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

bool looks_like_a_number(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

}  // namespace

std::string to_text(const TextTable& table) {
  if (table.rows.empty()) return "";
  const std::size_t columns = table.header.size();
  std::vector<std::size_t> widths(columns);
  std::vector<bool> to_the_right(columns, true);
  for (std::size_t i = 0; i < columns; ++i) widths[i] = width_of(table.header[i]);
  for (const auto& row : table.rows) {
    expect(row.size() == columns, "a row has as many fields as the header");
    for (std::size_t i = 0; i < columns; ++i) {
      widths[i] = std::max(widths[i], width_of(row[i]));
      if (!row[i].empty() && row[i] != "-" && !looks_like_a_number(row[i])) to_the_right[i] = false;
    }
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) {
      const std::string pad(widths[i] - width_of(row[i]), ' ');
      line += (i == 0 ? "  " : "   ") + (to_the_right[i] ? pad + row[i] : row[i] + pad);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add(table.header);
  for (const auto& row : table.rows) add(row);
  return text;
}

std::string bar_text(double low, double high, double widest) {
  constexpr std::size_t kBar = 10;  // characters to each side
  const auto length = [&](double value) {
    return widest > 0 ? static_cast<std::size_t>(std::round(static_cast<double>(kBar) * value / widest)) : 0;
  };
  const std::size_t left = length(std::max(0.0, -std::min(low, high))),
                    right = length(std::max(0.0, std::max(low, high)));
  return std::string(kBar - std::min(kBar, left), ' ') + std::string(std::min(kBar, left), '#') + "|" +
         std::string(std::min(kBar, right), '#');
}

}  // namespace gauntlet
