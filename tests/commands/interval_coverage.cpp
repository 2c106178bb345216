#include "tests/commands/interval_coverage.hpp"

#include "commands/compare/compare.hpp"
#include "commands/plan/purchases.hpp"
#include "commands/plan/variants.hpp"
#include "commands/scale/scale.hpp"
#include "commands/sweep/sweep.hpp"
#include "commands/tune/tune.hpp"
#include "config/fields/exposure.hpp"
#include "core/math/special.hpp"
#include "core/random/stream.hpp"
#include "policies/checkpoint/interval.hpp"
#include "study/design.hpp"
#include "study/finish/finish.hpp"
#include "study/levers/rank.hpp"
#include "study/uncertainty/two_level.hpp"
#include "study/uncertainty/uncertainty.hpp"
#include "tests/study/seeded_study.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace gauntlet::coverage {
namespace {

constexpr std::uint64_t kFirstSeed = 1000;
constexpr std::uint32_t kReplicas = 40;
constexpr double kDay = 86'400, kStart = 180, kHalfStep = 1;
constexpr double kMtbf = kDay;  // between failures of the job

/// scenarios/one-fault.toml as this world: `days` of work, a rate that was seen as `count` failures.
PointSource poisson_world(int days, int count) {
  const std::string seen = std::to_string(count);
  return {"one-fault",
          {"job.steps=" + std::to_string(days * 43'200), "storage.free=true", "storage.stall=0s",
           "checkpoint.interval=2s", "cost.gpu_hour=2USD",
           "faults.crash={ component=\"host\", clock=\"training\", effect=\"crash\", remedy=\"restart\", "
           "log=\"crashed\", rate={ count=" +
               seen + ", over=\"" + seen + "d x 8 hosts\" } }"},
          kFirstSeed};
}

/// How many failures strike so many days of work in the mean: training goes on for half a step longer for each. Controls leave so little
/// scatter that this shows.
constexpr double failures_in(double days) { return days * kDay / (kDay - kHalfStep); }

/// A run of it, with `mean` failures in the mean.
double wall(int days, double mean, double start = kStart) {
  return days * kDay + start + mean * (start + kHalfStep);
}

std::shared_ptr<const Point> loaded(const PointSource& source, const Settings& settings = {}) {
  LoadedPoint point = source.point(settings);
  if (!point.point) throw std::runtime_error(point.problems.at(0).text());
  return point.point;
}

void add(Coverages& to, const std::string& what, const std::optional<Interval>& interval, double truth) {
  Coverage& of = to[what];
  if (!interval) return;
  ++of.given;
  const double rounding =
      1e-9 * std::abs(truth);  // what controls explain wholly has an interval without a width
  if (interval->low <= truth + rounding && truth - rounding <= interval->high) ++of.covered;
}

std::optional<Interval> ci95_of(const Summary& summary, std::string_view metric) {
  const Statistics* of = summary.find(metric);
  return of != nullptr ? of->ci95 : std::nullopt;
}

Coverages repeat(std::uint32_t repetitions, const PointSource& source,
                 const std::function<void(SeededStudy&, Coverages&)>& study) {
  Coverages out;
  for (std::uint32_t i = 0; i < repetitions; ++i) {
    SeededStudy repetition(source, kFirstSeed + i);
    study(repetition, out);
  }
  return out;
}

/// P(N <= k), N Poisson of that mean.
double poisson_at_most(int k, double mean) {
  double term = std::exp(-mean), sum = term;
  for (int i = 1; i <= k; ++i) sum += term *= mean / i;
  return sum;
}

}  // namespace

Coverages coverage_of_run(std::uint32_t repetitions) {
  constexpr int kDays = 10;
  const PointSource source = poisson_world(kDays, 7);
  const auto point = loaded(source);
  return repeat(repetitions, source, [&](SeededStudy& of, Coverages& out) {
    const PointNumber number = of.experiment.add(point);
    ASSERT_TRUE(of.experiment.ensure({{{.point = number, .replicas = kReplicas}}}));
    const Summary summary = of.experiment.summary(number, kReplicas);
    add(out, "run: interruptions", ci95_of(summary, "interruptions"), failures_in(kDays));
    add(out, "run: wall_time_s", ci95_of(summary, "wall_time_s"), wall(kDays, failures_in(kDays)));
    add(out, "run: ettr", ci95_of(summary, "ettr"), kDays * kDay / wall(kDays, failures_in(kDays)));
    // The rate by the clock of training is counted over the wall time, which is longer where there are more failures.
    const double failures = failures_in(kDays),
                 longer = kStart * (failures * failures + 2 * failures) / (kDays * kDay);
    add(out, "run: mttf_s", ci95_of(summary, "mttf_s"), wall(kDays, failures) / (failures + longer));
  });
}

Coverages coverage_of_compare(std::uint32_t repetitions) {
  constexpr int kDays = 10;
  constexpr double kSlower = 300;
  const PointSource source = poisson_world(kDays, 7);
  const auto first = loaded(source), second = loaded(source, {{"job.start.warm_up", "5min"}});
  const double before = wall(kDays, failures_in(kDays)), after = wall(kDays, failures_in(kDays), kSlower);
  return repeat(repetitions, source, [&](SeededStudy& of, Coverages& out) {
    const std::vector<ComparedPoint> points = {
        {.point = of.experiment.add(first), .label = "first", .command = "", .settings = {}},
        {.point = of.experiment.add(second), .label = "second", .command = "", .settings = {}}};
    ASSERT_TRUE(of.experiment.ensure(std::vector{points[0].point, points[1].point}, kReplicas));
    const CompareResult result = compare(of.experiment, points, kReplicas, of.seed);
    const Comparison& found = result.comparisons.at(0);
    add(out, "compare: wall_time_s", found.find("wall_time_s")->of.ci95, after - before);
    add(out, "compare: ettr", found.find("ettr")->of.ci95, kDays * kDay * (1 / after - 1 / before));
    add(out, "compare: lost time", found.lost.of.ci95, after - before);
  });
}

Coverages coverage_of_sweep(std::uint32_t repetitions) {
  constexpr int kDays = 10;
  const PointSource source = poisson_world(kDays, 7);
  const auto axes = parse_axes(std::vector<std::string>{"job.start.warm_up=3min,5min"}, source.resolved());
  SweepPlan plan{.axes = axes.axes, .design = "grid", .points = grid(axes.axes)};
  const LoadedPoints points = load_points(source, plan);
  const double best = wall(kDays, failures_in(kDays)), other = wall(kDays, failures_in(kDays), 300);
  // So precise that it takes 32 or 64 replicas of the first point and about 128 of the second.
  const ReplicaTerms terms{.replicas = 1024, .precision = {{"wall_time_s", 170}}};
  return repeat(repetitions, source, [&](SeededStudy& of, Coverages& out) {
    const SweepResult result = sweep(of.experiment, plan, points.points, terms);
    ASSERT_EQ(result.points.size(), 2U);
    ASSERT_EQ(result.best, 0U);
    add(out, "sweep: the best point's wall_time_s", ci95_of(result.points[0].summary, "wall_time_s"), best);
    add(out, "sweep: the other's wall_time_s", ci95_of(result.points[1].summary, "wall_time_s"), other);
    add(out, "sweep: behind the best", result.points[1].behind->ci95, kDays * kDay * (1 / best - 1 / other));
  });
}

Coverages coverage_of_tune(std::uint32_t repetitions) {
  const PointSource source("one-fault", {"job.steps=864000"}, kFirstSeed);
  constexpr double kCost = 60;
  const double best = to_seconds(exact_interval(from_seconds(kCost), from_seconds(kMtbf)));
  const TuneWords words{
      .over = {"checkpoint.interval"}, .minimize = "", .maximize = "", .subject_to = {}, .budget = {}};
  return repeat(repetitions, source, [&](SeededStudy& of, Coverages& out) {
    const TuneResult result = tune(of.experiment, source, *parse_tune(words, source).task);
    const TunedField& field = result.fields.at(0);
    std::optional<Interval> interval;
    if (field.interval)
      interval = Interval{*number_of(field.interval->low, FieldKind::duration),
                          *number_of(field.interval->high, FieldKind::duration)};
    add(out, "tune: the best value", interval, best);
  });
}

Coverages coverage_of_plan(std::uint32_t repetitions) {
  constexpr int kDays = 10, kFailures = 11;  // of a run that is just in time
  const PointSource source = poisson_world(kDays, 7);
  // Between the runs with 11 failures and those with 12; where a start takes a tenth less, those with 12 are in time too.
  const double date = wall(kDays, kFailures + 0.5);
  const Scenario scenario = loaded(source)->scenario;
  const Offer quicker{.what = "restarts 10% quicker", .variant = {.more = {{"job.start.warm_up", "162s"}}}};
  const double less = -0.1 * kStart * (1 + failures_in(kDays)), per_second = 2 * 64 / 3600.0;
  return repeat(repetitions, source, [&](SeededStudy& of, Coverages& out) {
    const PlanQuestion question{
        .tokens = 1e12, .finish_by_s = date, .confidence = 0.9, .replicas = 200, .seed = of.seed};
    PlanVariants variants(of.experiment, source, question);
    const auto given = variants.point({});
    ASSERT_TRUE(given && variants.run(*given, question.replicas));
    const PlanOutcome outcome = variants.outcome(*given, 0, question.replicas);
    add(out, "plan: share done by the date", outcome.by_date.ci95,
        poisson_at_most(kFailures, failures_in(kDays)));
    add(out, "plan: cost", outcome.cost.ci95, wall(kDays, failures_in(kDays)) * per_second);
    const std::vector<Purchase> bought = purchases(variants, *given, {quicker});
    add(out, "plan: change of the mean", bought.at(0).mean.ci95, less);
    add(out, "plan: change of the share", bought.at(0).share.ci95,
        poisson_at_most(kFailures + 1, failures_in(kDays)) - poisson_at_most(kFailures, failures_in(kDays)));
    add(out, "plan: change of the cost", bought.at(0).cost.ci95, less * per_second);
  });
}

Coverages coverage_of_scale(std::uint32_t repetitions) {
  const PointSource source("one-fault", {"job.steps=432000"}, kFirstSeed);
  const ScalePlan plan = plan_scale(source, "32,64", BatchScaling::scaled, "--gpus");
  return repeat(repetitions, source, [&](SeededStudy& of, Coverages& out) {
    const ScaleResult result = scale(of.experiment, plan, kReplicas);
    for (const ScaledSize& size : result.sizes) {
      const std::string gpus = std::to_string(size.summary.facts.gpus) + " GPUs";
      const double mtbf = kMtbf * 64 / size.summary.facts.gpus;
      add(out, "scale: mttf_s of " + gpus, ci95_of(size.summary, "mttf_s"), mtbf);
      add(out, "scale: best interval of " + gpus, size.best_interval->ci95,
          to_seconds(exact_interval(std::chrono::minutes(1), from_seconds(mtbf))));
    }
  });
}

namespace {

constexpr int kRankedDays = 10;

/// A lever of this world, and the seconds that it saves: half the failures, half a start, a step that is 1% quicker (with 1%
/// fewer failures, which strike training).
constexpr double kQuicker = 0.99;
const double kRankedFailures = failures_in(kRankedDays);
const std::map<std::string, double> kTrueSavings = {
    {"faults.crash", (kRankedFailures - kRankedDays * kDay / (2 * kDay - kHalfStep)) * (kStart + kHalfStep)},
    {"job.start.warm_up", kStart / 2 * (1 + kRankedFailures)},
    {"job.step_time",
     wall(kRankedDays, kRankedFailures) - kQuicker* kRankedDays* kDay - kStart -
         kQuicker* kRankedDays* kDay / (kDay - kQuicker * kHalfStep) * (kStart + kQuicker * kHalfStep)}};

Coverages coverage_of_ranking(std::uint32_t repetitions, const RankTerms& terms, bool order) {
  // Every step is safe, also one that takes less than two seconds.
  std::vector<std::string> sets = poisson_world(kRankedDays, 7).sets();
  sets.emplace_back("checkpoint.interval=1s");
  const PointSource source("one-fault", std::move(sets), kFirstSeed);
  const auto base = loaded(source);
  const std::vector<Lever> levers = chosen_levers(levers_of(base->scenario, source.resolved()),
                                                  {"faults.crash", "job.start.warm_up", "job.step_time"}, "")
                                        .levers;
  const double given = wall(kRankedDays, kRankedFailures), per_second = 2 * 64 / 3600.0;
  return repeat(repetitions, source, [&](SeededStudy& of, Coverages& out) {
    const LeverRanking ranking = rank_levers(of.experiment, source, of.experiment.add(base), levers, terms);
    bool right = true;
    for (std::size_t place = 0; place < ranking.levers.size(); ++place) {
      const RankedLever& lever = ranking.levers[place];
      const double saved = kTrueSavings.at(lever.path);
      const std::string name = "rank: " + lever.path + (order ? ", where it stops: " : ": ");
      add(out, name + "time", lever.gains.time_s.ci95, saved);
      add(out, name + "cost", lever.gains.cost.ci95, saved * per_second);
      add(out, name + "goodput", lever.gains.goodput.ci95, given / (given - saved) - 1);
      for (std::size_t below = place + 1; place < ranking.certain && below < ranking.levers.size(); ++below)
        right = right && saved > kTrueSavings.at(ranking.levers[below].path);
    }
    if (!order) return;
    Coverage& of_order = out["rank: the order that is certain is the true one"];
    ++of_order.given;
    if (right) ++of_order.covered;
  });
}

}  // namespace

Coverages coverage_of_rank(std::uint32_t repetitions) {
  // Of the tenth of a failure that a quicker step saves, so many replicas have forty.
  return coverage_of_ranking(repetitions, {.replicas = 10 * kReplicas}, false);
}

Coverages coverage_of_rank_that_stops(std::uint32_t repetitions) {
  // Half the failures and half a start save nearly the same: some repetitions tell them apart at each look, and some at none.
  return coverage_of_ranking(repetitions, {.replicas = kReplicas, .looks = 5, .claimed = 3}, true);
}

namespace {

/// What is drawn for a repetition: the count that was to be expected where `count` failures were seen.
double true_count(std::uint64_t seed, int count) {
  return expected_count(count, uniform_at({.study = seed}, stream_name("test.truth"), 0, 0));
}

/// P(N <= 1), N Poisson of mean `mean` times a Gamma(count + 1/2) / count: negative binomial.
double share_with_one_failure(double mean, int count) {
  const double shape = count + 0.5, scale = mean / count;
  return std::pow(1 + scale, -shape) * (1 + shape * scale / (1 + scale));
}

void add_uncertain(Coverages& out, SeededStudy& of, const PointSource& source, int days, int count,
                   std::uint32_t draws) {
  const PointNumber point = of.experiment.add(loaded(source));
  const CarriedUncertainty carried = carry_uncertainty(
      of.experiment, source, {}, point, kReplicas,
      {.seed = of.seed, .draws = draws, .metrics = {"wall_time_s", "ettr"}, .finish_by = wall(days, 1.5)});
  ASSERT_TRUE(carried.result);
  const double truth = wall(days, days * true_count(of.seed, count) / count);
  const std::string name = "plan --uncertainty, count " + std::to_string(count) + ": ";
  add(out, name + "wall_time_s", carried.result->find("wall_time_s")->ci95, truth);
  add(out, name + "ettr", carried.result->find("ettr")->ci95, days * kDay / truth);
  add(out, name + "share done by the date", carried.result->share_ci95, share_with_one_failure(days, count));
}

}  // namespace

Coverages coverage_of_uncertainty(std::uint32_t repetitions, std::uint32_t draws) {
  constexpr int kDays = 1;  // one failure a run
  Coverages out;
  for (const int count : {7, 70}) {
    const PointSource source = poisson_world(kDays, count);
    out.merge(repeat(repetitions, source, [&](SeededStudy& of, Coverages& into) {
      add_uncertain(into, of, source, kDays, count, draws);
    }));
  }
  return out;
}

Coverages coverage_of_quantile_change(std::uint32_t repetitions) {
  constexpr std::uint32_t kRuns = 200;
  const double median = std::log(2.0), p95 = std::log(20.0);  // of an exponential distribution of mean 1
  Coverages out;
  for (std::uint32_t i = 0; i < repetitions; ++i) {
    std::vector<double> before, after;
    for (std::uint32_t run = 0; run < kRuns; ++run) {
      const double at = -std::log(uniform_at({kFirstSeed + i, run}, stream_name("test.time"), 0, 0));
      before.push_back(10 + at);
      after.push_back(10 + 0.8 * at);
    }
    add(out, "plan: change of the median", quantile_change(before, after, 0.5, i).ci95, -0.2 * median);
    add(out, "plan: change of the 95% quantile", quantile_change(before, after, 0.95, i).ci95, -0.2 * p95);
  }
  return out;
}

Coverages coverage_of_drawn_percentiles(std::uint32_t repetitions) {
  constexpr std::uint64_t kDraws = 200, kEach = 8;
  constexpr double kByDraw = 0.2, kByRun = 0.1;  // deviations of logarithms
  const double all = std::sqrt(kByDraw * kByDraw + kByRun * kByRun);
  Coverages out;
  for (std::uint32_t i = 0; i < repetitions; ++i) {
    const auto deviate = [&](const char* what, std::uint64_t draw, std::uint64_t run) {
      return normal_quantile(uniform_at({.study = kFirstSeed + i}, stream_name(what), draw, run));
    };
    std::vector<std::vector<double>> draws(kDraws);
    for (std::uint64_t draw = 0; draw < kDraws; ++draw)
      for (std::uint64_t run = 0; run < kEach; ++run)
        draws[draw].push_back(
            std::exp(kByDraw * deviate("test.draw", draw, 0) + kByRun * deviate("test.run", draw, run)));
    const FinishTimes found = percentiles_of_draws(draws);
    for (const std::size_t percent : {50U, 80U, 90U, 95U})
      add(out, "plan --uncertainty: finish of " + std::to_string(percent) + "%", found.ci95_at(percent),
          std::exp(all * normal_quantile(static_cast<double>(percent) / 100)));
  }
  return out;
}

void expect_coverage(const Coverages& of, std::uint32_t repetitions, std::uint32_t fewest,
                     std::uint32_t most) {
  for (const auto& [what, coverage] : of) {
    std::printf("%-60s %3u of %u intervals hold the truth\n", what.c_str(), coverage.covered, coverage.given);
    EXPECT_EQ(coverage.given, repetitions) << what;
    EXPECT_GE(coverage.covered, fewest) << what;
    EXPECT_LE(coverage.covered, most) << what;
  }
}

}  // namespace gauntlet::coverage
