#include "study/finish/finish.hpp"

#include "core/contract.hpp"
#include "core/infinity.hpp"
#include "core/math/special.hpp"
#include "core/random/stream.hpp"
#include "study/binomial.hpp"
#include "study/paired.hpp"
#include "study/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {
namespace {

/// Stands for "never" where quantiles are linear between two values: 30 million years.
constexpr double kLate = 1e15;
constexpr double kNeverFrom = 1e11;

/// Reorders the values.
std::optional<double> quantile_of(std::vector<double>& values, double p) {
  if (values.empty()) return std::nullopt;
  const double place = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), values.begin() + below, values.end());
  const double at = values[static_cast<std::size_t>(below)];
  double value = at;
  if (const double rest = place - static_cast<double>(below); rest > 0)
    value += rest * (*std::min_element(values.begin() + below + 1, values.end()) - at);
  return value < kNeverFrom ? std::optional(value) : std::nullopt;
}

std::vector<double> bounded(std::span<const double> finish) {
  std::vector<double> values(finish.begin(), finish.end());
  for (double& value : values) value = std::min(value, kLate);
  return values;
}

std::vector<double> sorted(std::span<const double> finish) {
  std::vector<double> times = bounded(finish);
  std::sort(times.begin(), times.end());
  return times;
}

FinishTimes percentiles_of_sorted(const std::vector<double>& times) {
  FinishTimes of;
  of.runs = times.size();
  of.never =
      static_cast<std::uint64_t>(times.end() - std::lower_bound(times.begin(), times.end(), kNeverFrom));
  if (times.size() >= kFewestForWorst5 && times.back() < kNeverFrom)
    of.worst_5_mean = mean_of_worst_5(times, Worse::high);
  for (int percent = 1; percent < 100 && !times.empty(); ++percent) {
    const double at = quantile(times, percent / 100.0);
    if (at >= kNeverFrom) break;
    of.percentiles.push_back(at);
  }
  return of;
}

/// P(at least `hits` of `runs`), each with the probability `p`; `runs` need not be a whole number.
double at_least(double hits, double runs, double p) {
  if (hits <= 0) return 1;
  return hits > runs ? 0 : incomplete_beta(hits, runs - hits + 1, p);
}

/// The order statistics l and u with P(X_l > quantile) and P(X_u < quantile) at most 2.5% each, of runs that scatter as so many
/// `independent` ones. Nothing where there is no such l or u, or where X_u is never.
std::optional<Interval> between_order_statistics(const std::vector<double>& times, double p,
                                                 double independent) {
  constexpr double kTail = 0.025, kRounding = 1e-9;
  const std::size_t runs = times.size();
  const double each = independent / static_cast<double>(runs);
  // Of independent runs, to the safe side.
  const auto at_most = [&](std::size_t place) {
    return std::ceil(static_cast<double>(place) * each - kRounding);
  };
  const auto whole = [&](std::size_t place) {
    return std::floor(static_cast<double>(place) * each + kRounding);
  };
  // The quantile is below X_l where fewer than l runs are below it. Both tails are monotone in the place.
  std::size_t low = 0, above = runs + 1;  // the last that is sure, the first that is not
  while (above - low > 1) {
    const std::size_t middle = (low + above) / 2;
    (1 - at_least(at_most(middle), independent, p) <= kTail ? low : above) = middle;
  }
  std::size_t below = 0, high = runs + 1;
  while (high - below > 1) {
    const std::size_t middle = (below + high) / 2;
    (at_least(whole(middle), independent, p) <= kTail ? high : below) = middle;
  }
  if (low == 0 || high > runs || times[high - 1] >= kNeverFrom) return std::nullopt;
  return Interval{times[low - 1], times[high - 1]};
}

Change change_of(const PairedDifference& difference) { return {difference.difference, difference.ci95}; }

}  // namespace

std::vector<double> finish_times(const Experiment& experiment, PointNumber point, std::uint32_t count) {
  std::vector<double> finish;
  finish.reserve(count);
  experiment.visit(point, count, [&](std::uint32_t, const Figures& figures) {
    finish.push_back(figures.ending == Ending::completed ? to_seconds(figures.wall) : kInfinity);
  });
  return finish;
}

ShareOfRuns share_by(std::span<const double> finish, double by) {
  ShareOfRuns share;
  share.runs = static_cast<std::uint32_t>(finish.size());
  share.hits = static_cast<std::uint32_t>(
      std::count_if(finish.begin(), finish.end(), [by](double at) { return at <= by; }));
  if (share.runs > 0) share.ci95 = clopper_pearson(share.hits, share.runs, 0.95);
  return share;
}

std::optional<double> finish_quantile(std::span<const double> finish, double p) {
  std::vector<double> values = bounded(finish);
  return quantile_of(values, p);
}

FinishTimes percentiles_of(std::span<const double> finish) { return percentiles_of_sorted(sorted(finish)); }

FinishTimes percentiles_with_intervals(std::span<const double> finish) {
  return percentiles_with_intervals(finish,
                                    [runs = static_cast<double>(finish.size())](double) { return runs; });
}

FinishTimes percentiles_with_intervals(std::span<const double> finish,
                                       const std::function<double(double)>& independent) {
  const std::vector<double> times = sorted(finish);
  FinishTimes of = percentiles_of_sorted(times);
  for (std::size_t percent = 1; percent <= of.percentiles.size(); ++percent)
    of.ci95.push_back(between_order_statistics(times, static_cast<double>(percent) / 100,
                                               independent(of.percentiles[percent - 1])));
  return of;
}

Change quantile_change(std::span<const double> first, std::span<const double> second, double p,
                       std::uint64_t seed) {
  expect(first.size() == second.size(), "replicas are paired");
  const auto before = finish_quantile(first, p), after = finish_quantile(second, p);
  if (!before || !after) return {};
  Change change{.by = *after - *before, .ci95 = std::nullopt};
  if (first.size() < kFewestForInterval) return change;

  constexpr int kResamples = 1000;
  Stream chance({.study = seed}, stream_name("study.bootstrap"));
  std::vector<double> changes, a(first.size()), b(first.size());
  for (int i = 0; i < kResamples; ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) {
      const std::size_t picked = chance.below(a.size());
      a[j] = std::min(first[picked], kLate);
      b[j] = std::min(second[picked], kLate);
    }
    const auto x = quantile_of(a, p), y = quantile_of(b, p);
    if (!x || !y) return change;  // too near to runs that never finish
    changes.push_back(*y - *x);
  }
  std::sort(changes.begin(), changes.end());
  change.ci95 = Interval{quantile(changes, 0.025), quantile(changes, 0.975)};
  return change;
}

Change share_change(std::span<const double> first, std::span<const double> second, double by) {
  std::vector<Fraction> a, b;
  for (const double at : first) a.push_back({at <= by ? 1.0 : 0.0, 1});
  for (const double at : second) b.push_back({at <= by ? 1.0 : 0.0, 1});
  return change_of(paired_difference(a, b, RunValue::happened));
}

Change mean_change(std::span<const double> first, std::span<const double> second) {
  expect(first.size() == second.size(), "replicas are paired");
  std::vector<Fraction> a, b;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (std::isinf(first[i]) || std::isinf(second[i])) return {};
    a.push_back({first[i], 1});
    b.push_back({second[i], 1});
  }
  return a.empty() ? Change{} : change_of(paired_difference(a, b));
}

}  // namespace gauntlet
