// Whether a paired difference is above zero, at levels far out in the tails and where rare events make its scatter.
//
// At a level of 1e-4 Student's t is wrong by factors for such gains. Where a rare loss happened to be rarer than it is in the
// mean, the mean is too high and the error too small: with the skewness g < 0 of the difference (study/levers/paired_scatter.hpp)
// the tail beyond t is exp(|g| t^3 / 3) times that of a normal value, so that 16 events at t = 4 make it 200 times as likely.
// So the statistic is corrected:
//
// - By Hall's transformation, T + g T^2 / 3 + g^2 T^3 / 27 + g / 6, which takes the first term of its Edgeworth expansion away
//   and is monotone (P. Hall, "On the Removal of Skewness by Transformation", Journal of the Royal Statistical Society B 54(1),
//   1992, pp. 221-228; without the cubic term N. J. Johnson, "Modified t Tests and Confidence Intervals for Asymmetrical
//   Populations", Journal of the American Statistical Association 73, 1978). It only ever lowers T here.
// - The skewness of n pairs is itself uncertain, by sqrt(6 / n) of a pair's, or sqrt(6) / n of the mean's. It is taken to be so
//   much lower. That costs power with few replicas, and none with many.
// - With g < 0 the transformation is 1/|g| (1 - (1 - |g| T / 3)^3) - |g| / 6. It levels off at 1/|g|, the root of the number of
//   events, and what it does beyond is nothing that the expansion says. So a quantile z takes more than z^2 events. With g > 0
//   the rare events are gains, whose absence raises no mean.
// - Few rare losses are hidden where other chances make the scatter as well. An event that struck in k of n replicas may have a
//   mean of up to about k - ln(level) (the Poisson tail at k = 0 exactly). So the difference must also be beyond the quantile
//   with -ln(level) more events in it, each as large as the largest deviation that was seen.
// - Where the difference is far beyond that, the skewness does not matter. By Bernstein's inequality a mean of variance V whose parts are
//   at most b deviates by more than sqrt(-2 V ln(level)) - b ln(level) / 3 with that probability at most (S. Boucheron, G. Lugosi,
//   P. Massart, Concentration Inequalities, 2013, sec. 2.8). V and b are estimates here, so the bound has a margin: -b ln(level) in place of
//   a third of it, and V includes as many events that were not seen. They say nothing of what struck too seldom: by chance few and small events
//   were seen. So this takes more than -ln(level) events, and 32 pairs.
//
// tests/study/levers/larger_mean_test.cpp counts wrong answers. What no replica has seen stays unknown: an event larger than
// all that were seen, and too rare to have struck in any replica, is in no sample and in no test.
#pragma once

#include "study/summary/metrics.hpp"

#include <cstddef>
#include <span>

namespace gauntlet {

struct CorrectedT {
  double value = 0;
  double events = 0;  // that make the scatter; infinite where rare gains do

  /// Beyond that quantile of Student's t with n - 1 degrees of freedom.
  bool exceeds(double quantile) const { return value > quantile && events > quantile * quantile; }
};

/// Of the mean of second - first: zero where all pairs differ by the same, as no event shows then what may happen.
CorrectedT corrected_t(std::span<const Fraction> first, std::span<const Fraction> second);

/// What a test for a larger mean takes into account.
struct LargerBy {
  double more = 0;           // larger by more than this
  double deviation = 0;      // one that was seen elsewhere and may strike here, as PairedScatter::largest
  std::size_t controls = 0;  // that the values have, each of which takes a degree of freedom
};

/// Whether the second is larger by a one-sided test of that level.
bool is_larger(std::span<const Fraction> first, std::span<const Fraction> second, double level,
               const LargerBy& by = {});

}  // namespace gauntlet
