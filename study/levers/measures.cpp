#include "study/levers/measures.hpp"

#include "core/math/elementary.hpp"
#include "core/math/special.hpp"
#include "study/levers/paired_scatter.hpp"
#include "study/paired.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {
namespace {

/// What is added to each side of Student's interval. Where a few events make the scatter, the next ones would move the mean out of
/// that interval (tests/commands/interval_coverage_slow_test.cpp). So it gets room for as many more of the largest as may have stayed
/// away by chance (study/levers/larger_mean.hpp). Few normal values have a skewness of their own.
double unseen(const PairedScatter& of, double level, std::size_t pairs) {
  constexpr double kFewestEvents = 16, kPairsPerEvent = 4;
  const double enough = std::min(kFewestEvents, static_cast<double>(pairs) / kPairsPerEvent);
  return of.skewness * of.skewness * enough <= 1 ? 0 : -math_log((1 - level) / 2) * of.largest;
}

}  // namespace

Measures measures_of(const Experiment& experiment, PointNumber point, std::uint32_t replicas) {
  Measures out;
  out.goodput = experiment.values(point, "goodput_tokens_per_s", replicas);
  for (const Fraction& each : out.goodput) out.time_per_token.push_back({each.denominator, each.numerator});
  if (!experiment.point(point).facts.has_price()) return out;
  const std::vector<Fraction> cost = experiment.values(point, "cost", replicas);
  for (std::size_t i = 0; i < cost.size(); ++i)
    out.cost_per_token.push_back({cost[i].numerator, out.goodput[i].numerator});
  return out;
}

Gain gain_of(std::span<const Fraction> before, std::span<const Fraction> after, double factor,
             const Certainty& certainty) {
  const PairedDifference of = paired_difference(before, after);
  Gain out;
  if (!of.difference) return out;
  out.by = factor * *of.difference;
  if (!of.ci95 || (*of.se == 0 && !certainty.constant_is_exact)) return out;
  const double half_width =
      (student_t_quantile((1 + certainty.level) / 2, static_cast<double>(before.size() - 1)) * *of.se +
       unseen(paired_scatter(before, after), certainty.level, before.size())) *
      std::abs(factor);
  out.ci95 = Interval{*out.by - half_width, *out.by + half_width};
  return out;
}

bool are_equal(std::span<const Fraction> first, std::span<const Fraction> second) {
  return std::ranges::equal(first, second, [](const Fraction& a, const Fraction& b) {
    return a.numerator == b.numerator && a.denominator == b.denominator;
  });
}

}  // namespace gauntlet
