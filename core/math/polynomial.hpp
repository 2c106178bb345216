// Polynomials by Horner's rule.
#pragma once

#include <cstddef>

namespace gauntlet {

/// c[0] + c[1] x + c[2] x^2 + ..., the coefficients in rising order.
template <std::size_t n>
constexpr double evaluate(double x, const double (&c)[n]) {
  double value = c[n - 1];
  for (std::size_t i = n - 1; i > 0; --i) value = value * x + c[i - 1];
  return value;
}

}  // namespace gauntlet
