// The 95% interval of a mean whose replicas may be skewed.
#pragma once

#include "study/summary/summary.hpp"

#include <cstddef>

namespace gauntlet {

/// Sums over the residuals of a mean: by how much each replica moves it, times their number. They add up to zero.
class ResidualMoments {
 public:
  void add(double residual) {
    squares_ += residual * residual;
    cubes_ += residual * residual * residual;
    ++count_;
  }
  /// The sample standard deviation, of two or more.
  double deviation() const;
  /// Of the mean, not of a replica; zero where nothing scatters.
  double skewness() const;
  std::size_t count() const { return count_; }

 private:
  double squares_ = 0, cubes_ = 0;
  std::size_t count_ = 0;
};

/// Fewer replicas say little of their skewness, and an interval by it would be much wider and hold no more often.
inline constexpr std::size_t kFewestForSkewness = 20;

/// Student's interval of a mean with that standard error, by Hall's transformation for what is skewed (P. Hall, "On the Removal of
/// Skewness by Transformation", Journal of the Royal Statistical Society B 54(1), 1992, pp. 221-228). Where few losses make the mean,
/// Student's own lies too low, as the mean and its error are small together. Of symmetric values, and of fewer than
/// kFewestForSkewness, it is Student's. `freedom`: degrees of freedom.
Interval mean_interval(double mean, double error, const ResidualMoments& residuals, double freedom);

}  // namespace gauntlet
