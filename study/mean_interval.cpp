#include "study/mean_interval.hpp"

#include "core/math/elementary.hpp"
#include "core/math/special.hpp"

#include <cmath>

namespace gauntlet {
namespace {

/// The deviation in standard errors that Hall's transformation t + g t^2 / 3 + g^2 t^3 / 27 + g / 6 takes to `quantile`.
double untransformed(double quantile, double skewness) {
  constexpr double kSymmetric = 1e-9;
  if (std::abs(skewness) < kSymmetric) return quantile;
  const double inner = 1 + skewness * (quantile - skewness / 6);
  const double root = std::copysign(math_pow(std::abs(inner), 1.0 / 3), inner);
  return 3 / skewness * (root - 1);
}

}  // namespace

double ResidualMoments::deviation() const { return std::sqrt(squares_ / (static_cast<double>(count_) - 1)); }

double ResidualMoments::skewness() const {
  return squares_ > 0 ? cubes_ / (squares_ * std::sqrt(squares_)) : 0;
}

Interval mean_interval(double mean, double error, const ResidualMoments& residuals, double freedom) {
  const double skewness = residuals.count() < kFewestForSkewness ? 0 : residuals.skewness();
  const double quantile = student_t_quantile(0.975, freedom);
  return {mean - error * untransformed(quantile, skewness),
          mean - error * untransformed(-quantile, skewness)};
}

}  // namespace gauntlet
