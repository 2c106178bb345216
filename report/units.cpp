#include "report/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace gauntlet {
namespace {

// A comma between each three digits before the point.
std::string with_commas(std::string digits) {
  std::size_t end = digits.find('.');
  if (end == std::string::npos) end = digits.size();
  const std::size_t first = !digits.empty() && digits[0] == '-' ? 1 : 0;
  for (std::size_t at = end; at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

struct Step {
  double from, divisor;
  const char* name;
};

}  // namespace

std::string Unit::number(double value) const {
  const double shown = value / divisor;
  std::string digits = fmt::format("{:.{}f}", shown, decimals);
  if (digits.find_first_not_of("-0.") == std::string::npos && digits[0] == '-')
    digits.erase(0, 1);  // no "-0.0"
  return with_commas(std::move(digits));
}

Unit Unit::fine_enough_for(double value) const {
  Unit finer = *this;
  double shown = std::abs(value / divisor);
  for (int digit = 0; digit < decimals; ++digit) shown *= 10;
  for (; shown > 0 && shown < 0.95 && finer.decimals < 4; shown *= 10) ++finer.decimals;
  return finer;
}

Unit percent() { return {.divisor = 0.01, .name = "%", .decimals = 2}; }

Unit time_unit(double seconds) {
  constexpr std::array<Step, 5> kSteps = {{{3 * 86400.0, 86400, "days"},
                                           {2 * 3600.0, 3600, "h"},
                                           {120, 60, "min"},
                                           {1, 1, "s"},
                                           {0, 1e-3, "ms"}}};
  const double size = std::abs(seconds);
  for (const Step& step : kSteps)
    if (size >= step.from && size > 0) return {.divisor = step.divisor, .name = step.name, .decimals = 1};
  return {.divisor = 1, .name = "s", .decimals = 1};
}

Unit amount_unit(double value, const std::string& what) {
  constexpr std::array<Step, 4> kSteps = {
      {{1e15, 1e15, "P"}, {1e12, 1e12, "T"}, {1e9, 1e9, "G"}, {1e6, 1e6, "M"}}};
  const double size = std::abs(value);
  for (const Step& step : kSteps)
    if (size >= step.from)
      return {.divisor = step.divisor,
              .name = what.empty() ? step.name : step.name + (" " + what),
              .decimals = 2};
  return {.divisor = 1, .name = what, .decimals = size >= 1000 ? 0 : 1};
}

std::string time_text(double seconds) {
  const Unit unit = time_unit(seconds);
  std::string number = unit.number(seconds);
  if (number.ends_with(".0")) number.resize(number.size() - 2);
  return number + " " + (number == "1" && unit.name == "days" ? "day" : unit.name);
}

std::string count_text(double value) { return Unit{.divisor = 1, .name = "", .decimals = 0}.number(value); }

}  // namespace gauntlet
