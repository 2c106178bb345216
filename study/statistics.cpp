#include "study/statistics.hpp"

#include "core/contract.hpp"
#include "study/binomial.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

namespace gauntlet {

void MetricStatistics::add(Fraction of, Ending ending) {
  expect(std::isfinite(of.numerator) && std::isfinite(of.denominator) && of.denominator >= 0,
         "a metric is a number, or a ratio to one that is not negative");
  if (of.denominator != 1 && denominators_.empty()) {
    denominators_.reserve(numerators_.capacity());
    denominators_.assign(numerators_.size(), 1);
  }
  if (ending == Ending::gave_up) gave_up_.push_back(static_cast<std::uint32_t>(numerators_.size()));
  numerators_.push_back(of.numerator);
  if (!denominators_.empty() || of.denominator != 1) denominators_.push_back(of.denominator);
}

ControlledRatio MetricStatistics::ratio(const Controls& controls) const {
  ControlledRatio out(controls);
  for (std::size_t i = 0; i < numerators_.size(); ++i) out.add(fraction(i));
  return out;
}

Statistics MetricStatistics::statistics(Worse worse, RunValue value, const Controls& controls) const {
  Statistics out;
  std::vector<double> values;
  values.reserve(numerators_.size());
  for (std::size_t i = 0, next = 0; i < numerators_.size(); ++i) {
    const bool gave_up = next < gave_up_.size() && gave_up_[next] == i;
    if (gave_up) ++next;
    if (!(denominator(i) > 0)) continue;
    ++out.n;
    if (gave_up && value == RunValue::whole_run)
      ++out.gave_up;
    else
      values.push_back(numerators_[i] / denominator(i));
  }
  if (out.n == 0) return out;
  // Most counts of rare things are zero in every replica, and controls say nothing of what is always the same.
  const bool varies = !denominators_.empty() ||
                      std::ranges::any_of(numerators_, [&](double each) { return each != numerators_[0]; });
  const ControlledRatio controlled = ratio(value == RunValue::happened || !varies ? Controls() : controls);
  const double mean = controlled.value();
  out.mean = mean;
  if (varies) std::sort(values.begin(), values.end());
  out.p5 = quantile_below(values, out.gave_up, 0.05);
  out.p50 = quantile_below(values, out.gave_up, 0.5);
  out.p95 = quantile_below(values, out.gave_up, 0.95);
  if (out.n >= kFewestForP1) {
    out.p1 = quantile_below(values, out.gave_up, 0.01);
    out.p99 = quantile_below(values, out.gave_up, 0.99);
  }
  if (out.n >= kFewestForWorst5 && worse != Worse::neither && out.gave_up == 0)
    out.worst_5_mean = mean_of_worst_5(values, worse);
  if (out.n < 2) return out;

  const double root = std::sqrt(static_cast<double>(numerators_.size()));
  const ResidualMoments of_mean = residuals(controlled);
  const bool plain = controlled.controls().size() == 0;
  out.sd = plain ? of_mean.deviation() : residuals(ratio({})).deviation();
  double deviation = of_mean.deviation();
  if (!plain && deviation <= kResidualRounding * std::abs(mean)) deviation = 0;
  out.se = deviation / root;
  if (out.n < kFewestForInterval) return out;
  out.ci95 = value == RunValue::happened
                 ? share_interval()
                 : mean_interval(mean, *out.se, of_mean, controlled.degrees_of_freedom());
  return out;
}

ResidualMoments MetricStatistics::residuals(const ControlledRatio& around) const {
  // Replicas without a value of their own have residuals too: their time at risk is known.
  ResidualMoments out;
  for (std::size_t i = 0; i < numerators_.size(); ++i) out.add(around.residual(fraction(i), i));
  return out;
}

Interval MetricStatistics::share_interval() const {
  double hits = 0;
  for (const double numerator : numerators_) hits += numerator;
  expect(denominators_.empty(), "every run says whether it happened");
  return clopper_pearson(hits, static_cast<double>(numerators_.size()), 0.95);
}

double quantile(const std::vector<double>& sorted, double p) {
  expect(!sorted.empty() && p >= 0 && p <= 1, "there is a value, and p is a probability");
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 == sorted.size()) return sorted.back();
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

std::optional<double> quantile_below(const std::vector<double>& sorted, std::uint64_t beyond, double p) {
  const std::size_t all = sorted.size() + beyond;
  if (all == 0) return std::nullopt;
  const double place = p * static_cast<double>(all - 1);
  const auto below = static_cast<std::size_t>(place);
  const double rest = place - static_cast<double>(below);
  if (below + (rest > 0 ? 1 : 0) >= sorted.size()) return std::nullopt;
  return rest > 0 ? sorted[below] + rest * (sorted[below + 1] - sorted[below]) : sorted[below];
}

double mean_of_worst_5(const std::vector<double>& sorted, Worse worse) {
  constexpr std::size_t kOneIn = 20;  // 5%
  expect(sorted.size() >= kFewestForWorst5 && worse != Worse::neither, "the worst 5% hold a whole value");
  const auto place = [&](std::size_t from_the_worst) {
    return sorted[worse == Worse::low ? from_the_worst : sorted.size() - 1 - from_the_worst];
  };
  const std::size_t whole = sorted.size() / kOneIn, rest = sorted.size() % kOneIn;
  // What the others are beyond the value at the cut: equal values then give that value itself.
  const double cut = place(rest > 0 ? whole : whole - 1);
  double beyond = 0;
  for (std::size_t i = 0; i < whole; ++i) beyond += place(i) - cut;
  return cut + beyond * static_cast<double>(kOneIn) / static_cast<double>(sorted.size());
}

namespace {

using See = std::function<void(std::uint32_t replica, const Figures& figures)>;

/// Metric::of of latencies that are at hand: gathering them takes longer than all else here.
Fraction quantile_of(const Latencies& own, double p) {
  const std::optional<Duration> latency = own.quantile(p);
  return latency ? Fraction{to_seconds(*latency), 1} : Fraction{0, 0};
}

/// The quantile of all latencies takes the place of the mean of the replicas' own.
Statistics pooled(Statistics of, const Latencies& all, double p) {
  const std::optional<Duration> latency = all.quantile(p);
  of.mean = latency ? std::optional(to_seconds(*latency)) : std::nullopt;
  of.sd = of.se = std::nullopt;
  of.ci95 = std::nullopt;
  return of;
}

/// `pass` shows every replica in their order, as often as it is called.
Summary summarize_in_passes(const ScenarioFacts& facts, std::uint32_t count, std::uint64_t budget,
                            const std::function<void(const See&)>& pass) {
  expect(count <= kMostReplicas, "a metric of a point fits the budget");
  Summary out{.facts = facts,
              .replicas = count,
              .interrupted = false,
              .only = std::nullopt,
              .fingerprint = kNoFingerprint,
              .metrics = {}};
  const std::vector<Metric> metrics = metrics_of(facts);
  Controls controls;
  std::vector<double> counts;
  const std::size_t borne = controls_borne(facts, count);
  counts.reserve(count * borne);
  const std::uint64_t of_one = std::max<std::uint64_t>(1, count) * sizeof(Fraction);
  const auto at_once = static_cast<std::size_t>(std::max<std::uint64_t>(1, budget / of_one));
  for (std::size_t first = 0; first < metrics.size(); first += at_once) {
    std::vector<MetricStatistics> statistics(std::min(at_once, metrics.size() - first));
    std::vector<Latencies> pools(statistics.size());
    Latencies own;  // of one replica
    // Where the latencies of a metric are: they are gathered once for all of their quantiles.
    const auto pool_of = [&](std::size_t i) {
      while (i > 0 && metrics[first + i - 1].pool == metrics[first + i].pool) --i;
      return i;
    };
    for (MetricStatistics& each : statistics) each.reserve(count);
    pass([&](std::uint32_t, const Figures& figures) {
      for (std::size_t i = 0; i < statistics.size(); ++i) {
        const Metric& metric = metrics[first + i];
        if (metric.pool) {
          if (pool_of(i) == i) {
            own.clear();
            (*metric.pool)(figures, own);
            pools[i].add(own);
          }
          statistics[i].add(quantile_of(own, metric.quantile));
        } else {
          statistics[i].add(metric.of(figures),
                            metric.value == RunValue::whole_run ? figures.ending : Ending::completed);
        }
      }
      if (first > 0) return;
      out.fingerprint = add_fingerprint(out.fingerprint, figures.fingerprint);
      add_controls(facts, borne, figures, counts);
    });
    if (first == 0) controls = Controls(counts, borne);
    out.controls = controls.used();
    for (std::size_t i = 0; i < statistics.size(); ++i) {
      const Metric& metric = metrics[first + i];
      Statistics of = statistics[i].statistics(metric.worse, metric.value, controls);
      out.metrics.push_back({metric.name, metric.pool ? pooled(of, pools[pool_of(i)], metric.quantile) : of});
    }
  }
  return out;
}

}  // namespace

Summary summarize(const Store& store, std::uint32_t point, std::uint32_t count, std::uint64_t budget) {
  return summarize_in_passes(store.point(point).facts, count, budget, [&](const See& see) {
    store.read(point, store.first_replica(point), count, see);
  });
}

Summary summarize(const Store& store, std::uint32_t point, std::uint32_t count, const Store::See& also) {
  bool first = true;  // of the passes
  return summarize_in_passes(store.point(point).facts, count, kValueBudget, [&](const See& see) {
    store.read(point, store.first_replica(point), count, [&](std::uint32_t replica, const Figures& figures) {
      see(replica, figures);
      if (first) also(replica, figures);
    });
    first = false;
  });
}

Summary summarize(const ScenarioFacts& facts, std::span<const Figures> replicas) {
  return summarize_in_passes(facts, static_cast<std::uint32_t>(replicas.size()), kValueBudget,
                             [&](const See& see) {
                               for (std::uint32_t i = 0; i < replicas.size(); ++i) see(i, replicas[i]);
                             });
}

}  // namespace gauntlet
