#include "report/words.hpp"

#include <fmt/format.h>

namespace gauntlet {

std::string wrapped(std::string text) {
  constexpr std::size_t kWidth = 100;
  std::string out;
  while (text.size() > kWidth) {
    std::size_t end = text.rfind(' ', kWidth);
    if (end == std::string::npos) end = text.find(' ');
    if (end == std::string::npos) break;
    out += text.substr(0, end) + "\n";
    text.erase(0, end + 1);
  }
  return out + text + "\n";
}

std::string counted(double count, std::string_view what) {
  return fmt::format("{} {}{}", count_text(count), what, count == 1 ? "" : "s");
}

std::string signed_number(const Unit& unit, double value) {
  const std::string number = unit.number(value);
  const bool zero = number.find_first_not_of("-0.,") == std::string::npos;
  return value > 0 && !zero ? "+" + number : number;
}

double half_width(const std::optional<Interval>& of) { return of ? (of->high - of->low) / 2 : 0; }

}  // namespace gauntlet
