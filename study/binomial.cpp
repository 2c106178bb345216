#include "study/binomial.hpp"

#include "core/contract.hpp"
#include "core/math/special.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {
namespace {

constexpr double kLevel = 0.95;

/// The p with P(at least `hits` of `runs` | p) = `tail`: the inverse of I_p(hits, runs - hits + 1), by bisection.
double beta_quantile(double tail, double a, double b) {
  double low = 0, high = 1;
  constexpr int kHalvings = 60;  // to the last bit that matters
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (incomplete_beta(a, b, middle) < tail ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// The length of the sum of two errors with that correlation.
double combined(double a, double b, double correlation) {
  return std::sqrt(std::max(0.0, a * a - 2 * correlation * a * b + b * b));
}

}  // namespace

Interval clopper_pearson(double hits, double runs, double level) {
  expect(runs > 0 && hits >= 0 && hits <= runs, "hits are among the runs");
  const double tail = (1 - level) / 2;
  return {.low = hits <= 0 ? 0 : beta_quantile(tail, hits, runs - hits + 1),
          .high = hits >= runs ? 1 : beta_quantile(1 - tail, hits + 1, runs - hits)};
}

Interval paired_share_interval(std::uint64_t first_only, std::uint64_t second_only, std::uint64_t pairs) {
  expect(pairs > 0 && first_only + second_only <= pairs, "pairs that differ are among the pairs");
  const double n = static_cast<double>(pairs);
  const double first = static_cast<double>(first_only), second = static_cast<double>(second_only);
  const Interval of_first = clopper_pearson(first, n, kLevel), of_second = clopper_pearson(second, n, kLevel);
  const double a = (first + 1) / (n + 2), b = (second + 1) / (n + 2);
  const double correlation = -std::sqrt(a * b / ((1 - a) * (1 - b)));
  const double difference = (second - first) / n;
  return {.low = difference - combined(second / n - of_second.low, of_first.high - first / n, correlation),
          .high = difference + combined(of_second.high - second / n, first / n - of_first.low, correlation)};
}

}  // namespace gauntlet
