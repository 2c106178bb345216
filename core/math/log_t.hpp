// A positive number whose logarithm has Student's T with some degrees of freedom, by its 5% and 95% values: the log-t distribution.
//
// It is what a few measurements say of one more: with n of them, n - 1 degrees of freedom, or as many as a prior makes them worth
// (Gelman et al., Bayesian Data Analysis, 3rd ed., 2013, sec. 3.2 and 3.3). Its tails are longer than those of a lognormal with the
// same ends, which it becomes with more and more degrees.
//
// Neither its mean nor its variance exists: exp(x) outgrows every power of x. So it ends at its 0.1% and 99.9% values, which stand
// for what lies beyond. That moves no quantile between them, and makes means, variances and shares of a variance finite.
#pragma once

namespace gauntlet {

struct LogT {
  double low = 0, high = 0;  // 5% and 95% values, 0 < low < high
  double degrees = 1;        // from 1 up, not necessarily whole

  /// Beyond it on each side lies so much, which counts as the value there.
  static constexpr double kCutOff = 0.001;

  /// The value with the probability `p` below it, 0 <= p <= 1.
  double at(double p) const;
};

}  // namespace gauntlet
