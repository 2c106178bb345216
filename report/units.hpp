// Numbers as people read them.
#pragma once

#include <string>

namespace gauntlet {

/// How a family of numbers is shown: divided by `divisor`, with so many digits after the point. The mean chooses, so
/// that a figure and its interval have the same unit.
struct Unit {
  double divisor = 1;
  std::string name;  // follows the number: "%", "h", "M tokens/s"; may be empty
  int decimals = 1;

  /// Without the name: "91.62", "12,345.6".
  std::string number(double value) const;
  /// The same unit with as many digits as it takes for `value` to show one that is not zero; at most four.
  Unit fine_enough_for(double value) const;
};

Unit percent();
/// Milliseconds to days, for about `seconds`.
Unit time_unit(double seconds);
/// Thousands to quadrillions of `what`, for about `value`; whole numbers up to a million are written out.
Unit amount_unit(double value, const std::string& what);

/// "54 days", "2.8 h".
std::string time_text(double seconds);
/// "16,384"
std::string count_text(double value);

}  // namespace gauntlet
