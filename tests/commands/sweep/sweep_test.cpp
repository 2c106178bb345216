// A sweep over made-up replicas whose best point, noise and covariance are known.
#include "commands/sweep/sweep.hpp"

#include "commands/sweep/page.hpp"
#include "commands/sweep/text.hpp"
#include "core/random/stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kSweepSeed = 3;

// Any small scenario: its replicas are made up but in one test.
PointSource swept_source() { return {"scenarios/tiny-8.toml", {"job.window=4d"}, kSweepSeed}; }

std::shared_ptr<const Point> tiny_point() {
  static const LoadedPoint loaded = swept_source().point();
  return loaded.point;
}

/// Of a wall time of 1000 s each replica trains 900 - (interval in minutes - 8)^2 / 2 seconds, and up to 60 s less by a
/// fault that all points meet, and up to `own` s by luck of its own.
class MadeUp final : public Executor {
 public:
  MadeUp(double own, std::uint64_t luck) : own_(own), luck_(luck) {}
  void add(PointNumber, std::shared_ptr<const Point> point) override { points_.push_back(std::move(point)); }
  std::size_t run(std::span<const Task> tasks, const Consume& consume,
                  const std::atomic<bool>* stop) override {
    std::size_t done = 0;
    for (const Task& task : tasks) {
      if (stop != nullptr && *stop) break;
      std::vector<Figures> figures;
      for (std::uint32_t k = 0; k < task.count; ++k) figures.push_back(replica(task.point, task.first + k));
      ran += task.count;
      consume(task, figures);
      ++done;
    }
    return done;
  }
  std::uint64_t ran = 0;

 private:
  Figures replica(PointNumber number, std::uint32_t k) const {
    const Point& point = *points_.at(number);
    const double minutes = to_seconds(*parse_duration(point.settings.front().value).value) / 60;
    const double shared = 60 * uniform_at({kSweepSeed, k}, stream_name("test.shared"), 0, 0);
    const double own = own_ * uniform_at({kSweepSeed, k}, stream_name("test.own"), 1000 * luck_ + number, 0);
    Figures of;
    of.ending = Ending::time_over;
    of.wall = std::chrono::seconds(1000);
    const Duration effective = from_seconds(900 - (minutes - 8) * (minutes - 8) / 2 - shared - own);
    at(of.phases, Phase::effective) = effective;
    at(of.phases, Phase::recomputing) = of.wall - effective;
    of.lost.assign(kCausesWithoutFault + point.facts.faults.size(), PhaseTimes{});
    at(of.lost[kCauseStart.value], Phase::recomputing) = of.wall - effective;
    of.faults.assign(point.facts.faults.size(), 0);
    of.compensated.assign(point.facts.faults.size(), 0);
    of.fault_scores.resize(point.facts.faults.size());
    of.fingerprint = k + 1;
    return of;
  }

  double own_;
  std::uint64_t luck_;  // another one, other values of own luck
  std::vector<std::shared_ptr<const Point>> points_;
};

struct SweepStudy {
  SweepStudy(const std::string& vary, double own, std::atomic<bool>* stop = nullptr, std::uint64_t luck = 0)
      : executor(own, luck),
        store(Store::temporary({.command = "sweep",
                                .arguments = "",
                                .version = "0",
                                .seed = kSweepSeed,
                                .scenario = "tiny-8",
                                .text = ""},
                               tiny_point()->facts.faults)),
        experiment(executor, *store, {.stop = stop, .progress = {}}) {
    plan.axes = {*parse_axis(vary, swept_source().resolved()).axis};
    plan.points = grid(plan.axes);
    points = load_points(swept_source(), plan).points;
  }
  SweepResult run(const ReplicaTerms& terms) { return sweep(experiment, plan, points, terms); }

  MadeUp executor;
  std::unique_ptr<Store> store;
  Experiment experiment;
  SweepPlan plan;
  std::vector<std::shared_ptr<const Point>> points;
};

std::vector<std::uint32_t> replicas_of(const SweepResult& result) {
  std::vector<std::uint32_t> counts;
  for (const SweptPoint& point : result.points) counts.push_back(point.summary.replicas);
  return counts;
}

std::vector<std::string> may_be_best(const SweepResult& result) {
  std::vector<std::string> names;
  for (const SweptPoint& point : result.points)
    if (point.may_be_best) names.push_back(result.fields[0].values[point.at[0]]);
  return names;
}

TEST(Sweep, FindsTheBestPointAndThoseThatMayBe) {
  SweepStudy study("checkpoint.interval=4min,8min,7min,30min", 4);
  const SweepResult result = study.run({.replicas = 100});
  EXPECT_THAT(result.fields[0].values, ElementsAre("4min", "7min", "8min", "30min"));
  ASSERT_TRUE(result.best && result.second);
  EXPECT_EQ(result.settings_text(result.points[*result.best]), "checkpoint.interval = 8min");
  EXPECT_EQ(result.settings_text(result.points[*result.second]), "checkpoint.interval = 7min");
  // 7 min is behind by half a second of 1000, with an error of 4 x sqrt(2 / 12 / 100) = 0.16 s; 4 min by 8 s.
  const PairedDifference& seven = *result.points[*result.second].behind;
  EXPECT_NEAR(*seven.difference, 0.5e-3, 4 * 0.17e-3);
  EXPECT_NEAR(*seven.se, 0.163e-3, 0.04e-3);
  EXPECT_THAT(may_be_best(result), testing::Contains("8min"));
  EXPECT_THAT(may_be_best(result), testing::Not(testing::Contains("4min")));
  // Variance apart 2 x (60^2 + 4^2) / 12, paired 2 x 4^2 / 12: a factor of 226.
  EXPECT_NEAR(*result.variance_factor, 226, 70);
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.replicas(), 400U);
}

TEST(Sweep, TheSameEventsAreNotTheSameResults) {
  constexpr const char* kNothing = "The varied keys change nothing";
  // The replicas of all points have the same fingerprints.
  SweepStudy study("checkpoint.interval=4min,8min", 4);
  const SweepResult result = study.run({.replicas = 10});
  EXPECT_THAT(text_report(result, {}), testing::Not(HasSubstr(kNothing)));
  SweepResult same = result;
  same.points[1].summary = same.points[0].summary;
  const std::string report = text_report(same, {});
  EXPECT_THAT(report, HasSubstr(kNothing));
  // No point is named as the best.
  EXPECT_THAT(answer_line(same), testing::StartsWith("checkpoint.interval changes nothing: every point gives "
                                                     "the same ETTR, "));
  EXPECT_THAT(report, testing::Not(HasSubstr("best")));
  EXPECT_THAT(report, HasSubstr("the same"));
  const Page page = page_of(same, {});
  EXPECT_EQ(page.figures.front().name, "ETTR");
  EXPECT_THAT(page.sections.front().heading, testing::Not(HasSubstr("best")));
  EXPECT_THAT(to_html(page), testing::Not(HasSubstr("best: ")));
}

TEST(Sweep, WhatChanceMayExplainIsNotToldApart) {
  SweepStudy study("checkpoint.interval=6min,7min,8min,9min,30min", 60);
  EXPECT_THAT(may_be_best(study.run({.replicas = 40})), ElementsAre("6min", "7min", "8min", "9min"));
}

TEST(Sweep, TheTrueBestIsHardlyEverLeftOut) {
  // 5% by construction, and less as the correction is cautious: of 100 sweeps 14 or more wrong ones have a chance below
  // 0.1% even at the full 5%.
  SCOPED_TRACE("seed 3");
  int wrong = 0;
  for (std::uint64_t luck = 0; luck < 100; ++luck) {
    SweepStudy study("checkpoint.interval=7min,8min,9min", 60, nullptr, luck);
    const auto names = may_be_best(study.run({.replicas = 10}));
    wrong += std::ranges::find(names, "8min") == names.end();
  }
  EXPECT_LT(wrong, 14);
}

TEST(Sweep, WithAPrecisionPointsRunUntilTheyReachIt) {
  // All points have a standard deviation of (60 + own) uniforms: 17.4 s; +- 2.5 s needs (1.97 x 17.4 / 2.5)^2 = 188, so 32, 64 and
  // 128 are too few, and their intervals say how many more.
  SweepStudy study("checkpoint.interval=4min,8min", 4);
  const SweepResult result = study.run({.replicas = 1000, .precision = {{"ettr", 0.0025}}});
  EXPECT_THAT(replicas_of(result), ElementsAre(189, 190));
  for (const SweptPoint& point : result.points) {
    EXPECT_TRUE(point.precise);
    EXPECT_LT(point.summary.find("ettr")->ci95->high - *point.summary.mean("ettr"), 0.0025);
  }
  EXPECT_EQ(study.executor.ran, 379U);
}

TEST(Sweep, WhatMissesThePrecisionIsSaid) {
  SweepStudy capped("checkpoint.interval=4min,8min", 4);
  const SweepResult by_replicas = capped.run({.replicas = 50, .precision = {{"ettr", 0.0025}}});
  EXPECT_THAT(replicas_of(by_replicas), ElementsAre(50, 50));
  EXPECT_FALSE(by_replicas.points[0].precise || by_replicas.points[1].precise || by_replicas.budget_spent);

  SweepStudy poor("checkpoint.interval=4min,8min", 4);
  const SweepResult by_budget = poor.run({.replicas = 1000, .precision = {{"ettr", 0.0025}}, .budget = 151});
  EXPECT_THAT(replicas_of(by_budget), ElementsAre(75, 75));
  EXPECT_TRUE(by_budget.budget_spent);
  EXPECT_LE(poor.executor.ran, 151U);

  SweepStudy split("checkpoint.interval=4min,8min,9min", 4);
  EXPECT_THAT(replicas_of(split.run({.replicas = 1000, .budget = 100})), ElementsAre(33, 33, 33));
}

TEST(Sweep, DecisionsDoNotDependOnWhatTheStoreHasAlready) {
  SweepStudy fresh("checkpoint.interval=4min,8min", 4), resumed("checkpoint.interval=4min,8min", 4);
  const ReplicaTerms terms = {.replicas = 1000, .precision = {{"ettr", 0.0025}}};
  resumed.run({.replicas = 700});
  EXPECT_EQ(to_json(fresh.run(terms)), to_json(resumed.run(terms)));
  EXPECT_EQ(resumed.executor.ran, 1400U);
}

TEST(Sweep, AnInterruptedSweepReportsWhatItHas) {
  std::atomic<bool> stop = true;
  SweepStudy study("checkpoint.interval=4min,8min", 4, &stop);
  const SweepResult none = study.run({.replicas = 10});
  EXPECT_TRUE(none.interrupted);
  EXPECT_FALSE(none.best);
  EXPECT_THAT(to_json(none), HasSubstr("\"interrupted\": true"));
}

// No hour of it is effective, so that none has a cost: the report has a best point all the same.
TEST(Sweep, CostDecidesNothingWhereNobodyTrains) {
  const PointSource source{
      "scenarios/tiny-8.toml", {"job.start.warm_up=20d", "job.planned.times=[]"}, kSweepSeed};
  SweepPlan plan;
  plan.axes = {*parse_axis("spares.count=1,4", source.resolved()).axis};
  plan.points = grid(plan.axes);
  const auto points = load_points(source, plan).points;
  const auto executor = make_thread_executor({.seed = kSweepSeed}, 1);
  const auto store = Store::temporary({}, points[0]->facts.faults);
  Experiment experiment(*executor, *store, {});
  const SweepResult result = sweep(experiment, plan, points, {.replicas = 2});
  EXPECT_EQ(result.objective, "ettr");
  EXPECT_TRUE(result.best);
}

TEST(Sweep, CostDecidesWherePointsHoldDifferentGpus) {
  const PointSource source = swept_source();
  SweepPlan plan;
  plan.axes = {*parse_axis("spares.count=1,4", source.resolved()).axis};
  plan.points = grid(plan.axes);
  const auto points = load_points(source, plan).points;
  const auto executor = make_thread_executor({.seed = kSweepSeed}, 1);
  const auto store = Store::temporary({}, points[0]->facts.faults);
  Experiment experiment(*executor, *store, {});
  const SweepResult result = sweep(experiment, plan, points, {.replicas = 20});
  EXPECT_EQ(result.objective, "cost.per_effective_gpu_hour");
  EXPECT_TRUE(result.smallest);
  // Three hosts more on top of nine cost more than they can save here.
  EXPECT_EQ(result.settings_text(result.points[*result.best]), "spares.count = 1");
  EXPECT_GT(*result.points[1].behind->difference, 0);
}

/// Without a spare every run gives up at its first failure, having trained for anything between an hour and days: few such runs
/// have so wide an interval of their cost that a t-test finds them as good as any.
TEST(Sweep, APointWhoseRunsAllGaveUpIsNeverAmongTheBest) {
  const PointSource source{"scenarios/tiny-8.toml",
                           {"job.give_up_after=1h", "job.window=30d", "job.planned.times=[]",
                            "faults.gpu_lost.mtbf=40d", "repair.time=12h"},
                           kSweepSeed};
  SweepPlan plan;
  plan.axes = {*parse_axis("spares.count=0,20", source.resolved()).axis};
  plan.points = grid(plan.axes);
  const auto points = load_points(source, plan).points;
  const auto executor = make_thread_executor({.seed = kSweepSeed}, 1);
  const auto store = Store::temporary({}, points[0]->facts.faults);
  Experiment experiment(*executor, *store, {});
  const SweepResult result = sweep(experiment, plan, points, {.replicas = 3});
  ASSERT_TRUE(result.points[0].all_gave_up());
  ASSERT_FALSE(result.points[1].all_gave_up());
  EXPECT_EQ(result.best, 1U);
  EXPECT_EQ(result.second, 0U);
  EXPECT_FALSE(result.points[0].may_be_best);
  EXPECT_EQ(result.objective, "cost.per_effective_gpu_hour");
  const std::string text = text_report(result, {.command = "x", .colour = Colour::never});
  EXPECT_THAT(text, HasSubstr("All runs of the other points gave up"));
  EXPECT_THAT(text, testing::Not(HasSubstr("may be best")));
}

TEST(Sweep, PrecisionsAndBudgetsAreChecked) {
  const ScenarioFacts& facts = tiny_point()->facts;
  EXPECT_EQ(parse_precision("ettr=0.002", facts).goal->half_width, 0.002);
  EXPECT_EQ(parse_precision("ettr=0.2%", facts).goal->half_width, 0.002);
  EXPECT_EQ(parse_precision("0.05%", facts).goal->half_width, 0.0005);
  EXPECT_EQ(parse_precision("0.05%", facts).goal->metric, "ettr");
  EXPECT_EQ(parse_precision("wall_time_s=1h", facts).goal->half_width, 3600);
  EXPECT_THAT(parse_precision("ettr", facts).problem->text(),
              HasSubstr("--precision: \"ettr\" has no value"));
  EXPECT_THAT(parse_precision("inf", facts).problem->text(), HasSubstr("\"inf\" is not a half-width"));
  EXPECT_THAT(parse_precision("etr=1", facts).problem->text(), HasSubstr("did you mean \"ettr\"?"));
  for (const char* wrong : {"ettr=", "ettr=0", "ettr=-1", "ettr=1h", "ettr=nan", "ettr=0.002x"})
    EXPECT_THAT(parse_precision(wrong, facts).problem->text(), HasSubstr("is not a half-width")) << wrong;
  EXPECT_EQ(parse_precision("detection.recall=1%", facts).goal->half_width, 0.01);
  for (const char* no_share : {"mttf_s=1%", "cost.lost=5%", "interruptions=1%"})
    EXPECT_THAT(parse_precision(no_share, facts).problem->text(), HasSubstr("is not a share")) << no_share;
  for (const char* metric : {"ettr", "interruptions", "wall_time_s"}) {  // what is advised is accepted
    const std::string advice = parse_precision(metric + std::string("=x"), facts).problem->suggestion;
    const std::string last = advice.substr(advice.rfind(' ') + 1);
    EXPECT_TRUE(parse_precision(last, facts).goal) << last;
  }
  // Every interval of a share is as narrow: 5 and 50 were meant as percentages, or as points.
  for (const char* wide : {"50", "1", "ettr=5", "ettr=100%", "detection.recall=1.5"})
    EXPECT_THAT(parse_precision(wide, facts).problem->text(),
                HasSubstr("percentage points, which every interval"))
        << wide;
  EXPECT_THAT(parse_precision("50", facts).problem->text(),
              testing::EndsWith("; write it as a percentage, such as 0.05%"));
  EXPECT_THAT(parse_precision("mfu=1", facts).problem->text(), testing::EndsWith("such as mfu=0.05%"));
  EXPECT_TRUE(parse_precision("interruptions=5", facts).goal);
  EXPECT_EQ(
      parse_precision("0.05", facts).note,
      "--precision 0.05 asks for a half-width of 5 percentage points; 0.05% would ask for 0.05 points.");
  EXPECT_EQ(parse_precision("0.05%", facts).note, "");
  EXPECT_EQ(parse_precision("wall_time_s=1h", facts).note, "");
  EXPECT_EQ(parse_budget("20000").budget, 20000U);
  for (const char* wrong : {"0", "-3", "many", "1e4", "99999999999999999999"})
    EXPECT_TRUE(parse_budget(wrong).problem) << wrong;
}

SweepPlan plan_of(std::vector<std::string> vary) {
  SweepPlan plan;
  ParsedAxes parsed = parse_axes(vary, swept_source().resolved());
  EXPECT_TRUE(parsed.problems.empty());
  plan.axes = std::move(parsed.axes);
  plan.points = grid(plan.axes);
  return plan;
}

TEST(Sweep, PointsThatTheScenarioRefusesAreLeftOutAndNamed) {
  SweepPlan plan = plan_of({"spares.count=1,2", "checkpoint.interval=0s,5min"});
  const LoadedPoints some = load_points(swept_source(), plan);
  EXPECT_TRUE(some.problems.empty());
  ASSERT_EQ(some.points.size(), 2U);
  ASSERT_EQ(plan.points.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(plan.points[i], some.points[i]->settings);
  ASSERT_EQ(plan.refused.size(), 2U);
  EXPECT_THAT(plan.refused[0].why, HasSubstr("spares.count = 1, checkpoint.interval = 0s"));

  SweepPlan none = plan_of({"checkpoint.interval=0s"});
  EXPECT_THAT(load_points(swept_source(), none).problems.at(0).text(), HasSubstr("checkpoint.interval"));
}

TEST(Sweep, AWordThatTheScenarioRefusesIsAMistake) {
  SweepPlan plan = plan_of({"policies.checkpoint=young,yung"});
  const LoadedPoints loaded = load_points(swept_source(), plan);
  EXPECT_TRUE(loaded.points.empty());
  EXPECT_THAT(loaded.problems.at(0).text(), HasSubstr("did you mean \"young\"?"));
}

}  // namespace
}  // namespace gauntlet
