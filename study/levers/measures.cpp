#include "study/levers/measures.hpp"

#include "core/math/elementary.hpp"
#include "core/math/special.hpp"
#include "study/controlled_ratio.hpp"
#include "study/levers/paired_scatter.hpp"
#include "study/paired.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

Controlled controlled(std::span<const Fraction> of, const Controls& controls) {
  if (controls.size() == 0) return {};
  ControlledRatio ratio(controls);
  for (const Fraction& each : of) ratio.add(each);
  std::vector<double> moves;
  double mean = 0, most = 0;
  for (std::size_t i = 0; i < of.size(); ++i) {
    moves.push_back(ratio.residual(of[i], i));
    mean += moves.back() / static_cast<double>(of.size());
    most = std::max(most, std::abs(moves.back()));
  }
  constexpr double kNothingLeft = 1e-9;
  if (!(most > kNothingLeft * std::abs(ratio.value()))) return {};
  Controlled out{.values = {}, .controls = controls.size()};
  for (const double move : moves) out.values.push_back({ratio.value() + (move - mean), 1});
  return out;
}

ComparedPair compared(std::span<const Fraction> first, const Controlled& first_controlled,
                      std::span<const Fraction> second, const Controlled& second_controlled) {
  const ComparedPair plain{first, second};
  if (first_controlled.values.empty() || second_controlled.values.empty()) return plain;
  const ComparedPair out{first_controlled.values, second_controlled.values,
                         std::max(first_controlled.controls, second_controlled.controls)};
  // Two sides with equal residuals have no scatter, though their counts may have made one.
  const auto is_constant = [](const ComparedPair& pair) {
    return paired_scatter(pair.first, pair.second).error == 0;
  };
  return is_constant(out) || is_constant(plain) ? plain : out;
}

Measures measures_of(const Experiment& experiment, PointNumber point, std::uint32_t replicas) {
  const Controls controls = experiment.controls(point, replicas);
  const auto measure = [&](std::vector<Fraction> plain) {
    Controlled with_controls = controlled(plain, controls);
    return Measure{std::move(plain), std::move(with_controls)};
  };
  const std::vector<Fraction> goodput = experiment.values(point, "goodput_tokens_per_s", replicas);
  std::vector<Fraction> inverse, cost;
  for (const Fraction& each : goodput) inverse.push_back({each.denominator, each.numerator});
  if (experiment.point(point).facts.has_price()) {
    cost = experiment.values(point, "cost", replicas);
    for (std::size_t i = 0; i < cost.size(); ++i) cost[i].denominator = goodput[i].numerator;
  }
  return {.goodput = measure(goodput),
          .time_per_token = measure(std::move(inverse)),
          .cost_per_token = cost.empty() ? Measure{} : measure(std::move(cost))};
}

Gain gain_of(const Measure& before, const Measure& after, double factor, const Certainty& certainty) {
  const PairedDifference plain = paired_difference(before.plain, after.plain);
  Gain out;
  if (!plain.difference) return out;
  const ComparedPair pair = compared(before.plain, before.controlled, after.plain, after.controlled);
  const PairedDifference of = paired_difference(pair.first, pair.second);
  out.by = factor * *of.difference;
  if (!plain.ci95 || (*plain.se == 0 && !certainty.constant_is_exact)) return out;
  const double freedom = static_cast<double>(pair.first.size() - 1 - pair.controls);
  const double half_width =
      (student_t_quantile((1 + certainty.level) / 2, freedom) * *of.se +
       unseen(paired_scatter(pair.first, pair.second), certainty.level, pair.first.size())) *
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
