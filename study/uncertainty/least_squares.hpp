// A straight line through values in several variables, by least squares.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace gauntlet {

struct Coefficient {
  double value = 0;
  double error = 0;  // HC3: a standard error that allows for residuals of different variance
};

struct Regression {
  std::vector<Coefficient> coefficients;  // of the columns; the constant is left out
  std::vector<double> squares;  // of each residual, over 1 less its leverage: an estimate of its variance
  double degrees = 0;           // of freedom
};

/// `y` on a constant and `columns`, each as long as `y`. Nothing where the columns cannot be told apart.
std::optional<Regression> regress(std::span<const double> y, const std::vector<std::vector<double>>& columns);

}  // namespace gauntlet
