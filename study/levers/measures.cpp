#include "study/levers/measures.hpp"

#include "core/math/special.hpp"
#include "study/levers/rare_events.hpp"
#include "study/paired.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {
namespace {

/// Whether the interval by Student's t can be trusted. It cannot where a few events make the scatter, or none: a quicker step
/// saves the same in every replica, and a failure in each tenth; the next one would move the mean out of the interval
/// (tests/commands/interval_coverage_test.cpp). Few normal values have a skewness of their own.
bool has_interval(const PairedDifference& of, std::span<const Fraction> first,
                  std::span<const Fraction> second, bool constant_is_exact) {
  constexpr double kFewestEvents = 16, kPairsPerEvent = 4;
  if (!of.ci95) return false;
  if (*of.se == 0) return constant_is_exact;
  const double enough = std::min(kFewestEvents, static_cast<double>(first.size()) / kPairsPerEvent);
  return rare_events(first, second) >= enough;
}

}  // namespace

Measures measures_of(const Experiment& experiment, PointNumber point, std::uint32_t replicas) {
  Measures out;
  out.goodput = experiment.values(point, "goodput_tokens_per_s", replicas);
  for (const Fraction& each : out.goodput) out.time_per_token.push_back({each.denominator, each.numerator});
  if (!(experiment.point(point).facts.gpu_hour.value > 0)) return out;
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
  if (!has_interval(of, before, after, certainty.constant_is_exact)) return out;
  const double half_width =
      student_t_quantile((1 + certainty.level) / 2, static_cast<double>(before.size() - 1)) * *of.se *
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
