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

/// Of 95%. The metrics of a point have the same degrees of freedom, one after the other, and the quantile takes longer than the rest.
double students_quantile(double freedom) {
  thread_local double known_freedom = 0, known = 0;
  if (freedom != known_freedom) {
    known = student_t_quantile(0.975, freedom);
    known_freedom = freedom;
  }
  return known;
}

}  // namespace

double ResidualMoments::deviation() const { return std::sqrt(squares_ / (static_cast<double>(count_) - 1)); }

double ResidualMoments::skewness() const {
  return squares_ > 0 ? cubes_ / (squares_ * std::sqrt(squares_)) : 0;
}

Interval mean_interval(double mean, double error, const ResidualMoments& residuals, double freedom) {
  if (error == 0) return {mean, mean};
  const double skewness = residuals.count() < kFewestForSkewness ? 0 : residuals.skewness();
  const double quantile = students_quantile(freedom);
  return {mean - error * untransformed(quantile, skewness),
          mean - error * untransformed(-quantile, skewness)};
}

}  // namespace gauntlet
