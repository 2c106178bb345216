// The value of a key from its measured durations, with two intervals: that of the value, and that of the value in one run more.
//
// At one size the value is the median of a lognormal distribution, or the mean of a plain duration. At two sizes or more it is that of
// the line t = a + b x, by least squares, at the size that was asked for.
//
// Runs differ from each other, and measurements in one run are alike: the machine was busy, or was not. So the errors are those of a
// model with random effects of the runs (Searle, Casella & McCulloch, Variance Components, 1992, sec. 3.6: analysis of variance of
// unequal groups). With one run nobody knows how much runs differ. Intervals are Student's t of the logarithm of a median, and
// of a mean, whose error is taken as a share of it.
#pragma once

#include "commands/calibrate/sample.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace gauntlet {

/// t = at_zero + per_unit x.
struct SizeLine {
  double at_zero = 0, per_unit = 0;  // seconds, and seconds for each host or byte
  double least = 0, most = 0;        // sizes that were measured
};

/// 5% and 95% values of a log-t distribution (core/math/log_t.hpp).
struct LogInterval {
  double low = 0, high = 0;
};

struct Estimate {
  double seconds = 0;   // the median of a distribution, or the duration
  double sigma = 0;     // of the logarithm, of a distribution; 0: a constant
  LogInterval value;    // of `seconds`; as wide as nothing where the measurements do not tell
  LogInterval one_run;  // of what `seconds` is in one run more; of a duration, its mean there
  double degrees = 0;   // of freedom of both; 0: the measurements do not tell
  std::size_t n = 0;
  std::uint32_t runs = 0;
  double least = 0, most = 0;    // measured durations
  std::optional<SizeLine> line;  // where two sizes or more were measured
  bool extrapolated = false;     // the size is outside those that were measured
  double size = 0;               // that it is for
};

/// `size`: hosts or bytes. Nothing where the line is not above zero there, or where nothing was measured.
std::optional<Estimate> estimate(const KeySample& sample, double size);

}  // namespace gauntlet
