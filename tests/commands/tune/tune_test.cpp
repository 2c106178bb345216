// tune on the scenario that has an exact answer, scenarios/one-fault.toml, and what it makes of people's words.
#include "commands/tune/tune.hpp"

#include "commands/tune/text.hpp"
#include "study/threads.hpp"
#include "tests/study/points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

struct TuneStudy {
  explicit TuneStudy(std::uint64_t seed, unsigned threads = 1, std::shared_ptr<Store> with = nullptr)
      : source("one-fault", {}, seed),
        executor(make_thread_executor({.seed = seed}, threads)),
        store(with ? std::move(with)
                   : std::shared_ptr<Store>(Store::temporary({}, source.point().point->facts.faults))),
        experiment(
            *executor, *store,
            {.stop = nullptr, .progress = [this](std::uint32_t done, std::uint64_t) { ran += done; }}) {}

  TuneResult run(
      const TuneWords& words = {
          .over = {"checkpoint.interval"}, .minimize = "", .maximize = "", .subject_to = {}, .budget = {}}) {
    ParsedTune parsed = parse_tune(words, source);
    EXPECT_TRUE(parsed.task);
    return tune(experiment, source, std::move(*parsed.task));
  }

  PointSource source;
  std::unique_ptr<Executor> executor;
  std::shared_ptr<Store> store;
  Experiment experiment;
  std::uint64_t ran = 0;
};

/// Seconds that a second of work takes, but for a factor: theorem 1 of https://doi.org/10.1145/2063384.2063428, with a
/// failure a day and a minute for a checkpoint.
double exact_time(double interval) { return std::expm1((interval + 60) / 86400) / interval * 86400; }

double exact_optimum() {
  double best = 60;
  for (double interval = 60; interval < 86400; interval += 0.5)
    if (exact_time(interval) < exact_time(best)) best = interval;
  return best;
}

double seconds(const std::string& text) { return *number_of(text, FieldKind::duration); }

TEST(Tune, FindsTheExactOptimumOfOneFault) {
  const double exact = exact_optimum();
  EXPECT_NEAR(exact, 53 * 60, 30) << "as the scenario's comment says";
  // Of twenty intervals of 95%, fewer than 16 hold the optimum once in 400 times; seed 3 is one that does not.
  constexpr std::uint64_t kSeeds = 20;
  std::uint64_t covered = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const TuneResult result = TuneStudy(seed).run();
    const TunedField& field = result.fields.at(0);
    EXPECT_EQ(result.end, TuneResult::End::settled);
    const double overhead = exact_time(exact) - 1;
    EXPECT_LT(exact_time(seconds(field.best)) - exact_time(exact), 0.01 * overhead);
    ASSERT_TRUE(field.interval);
    covered += seconds(field.interval->low) <= exact && exact <= seconds(field.interval->high);
    if (seed > 3) continue;
    // How flat: what it calls the ends of 1% costs 0.5% to 2%.
    for (const std::string& end : {field.flat.low, field.flat.high})
      EXPECT_NEAR(std::log((exact_time(seconds(end)) - exact_time(exact)) / (0.01 * overhead)), 0,
                  std::log(2.0))
          << end;
    ASSERT_EQ(result.analytic.size(), 3U);
    for (const AnalyticOptimum& formula : result.analytic) {
      ASSERT_TRUE(formula.regret);
      EXPECT_LT(*formula.regret, 0.01) << formula.name;
    }
    EXPECT_EQ(result.analytic[2].value, "53min");
  }
  EXPECT_GE(covered, 16U);
}

TEST(Tune, GivesTheSameBytesForAnyNumberOfThreadsAndGoesOnWhereItWasKilled) {
  TuneStudy one(1, 1), two(1, 2);
  const std::string json = to_json(one.run());
  EXPECT_EQ(to_json(two.run()), json);
  // A store that a killed search left: some replicas of the first points. Then one that has them all.
  auto store = std::shared_ptr<Store>(Store::temporary({}, one.source.point().point->facts.faults));
  TuneStudy killed(1, 1, store);
  const PointNumber point =
      killed.experiment.add(killed.source.point({{"checkpoint.interval", "1min52s"}}).point);
  ASSERT_TRUE(killed.experiment.ensure({{{.point = point, .replicas = 5}}}));
  TuneStudy resumed(1, 1, store);
  EXPECT_EQ(to_json(resumed.run()), json);
  EXPECT_EQ(resumed.ran + 5, one.ran);
  TuneStudy again(1, 1, store);
  EXPECT_EQ(to_json(again.run()), json);
  EXPECT_EQ(again.ran, 0U);
}

TEST(Tune, InterruptedItCountsEveryReplicaThatTheStoreHolds) {
  TuneStudy with(1);
  std::atomic<bool> stop = false;
  std::uint32_t ran = 0;
  Experiment experiment(*with.executor, *with.store,
                        {.stop = &stop, .progress = [&](std::uint32_t done, std::uint64_t) {
                           ran += done;
                           if (ran >= 500) stop = true;  // in the middle of a round
                         }});
  ParsedTune parsed = parse_tune({.over = {"checkpoint.interval", "spares.count=0:4"},
                                  .minimize = "",
                                  .maximize = "",
                                  .subject_to = {},
                                  .budget = {}},
                                 with.source);
  const TuneResult result = tune(experiment, with.source, std::move(*parsed.task));
  EXPECT_EQ(result.end, TuneResult::End::interrupted);
  EXPECT_GE(ran, 500U);
  EXPECT_EQ(with.store->replicas(), ran);
  EXPECT_EQ(result.replicas, ran);
}

TEST(Tune, DoesNotLookAtReplicasThatItDidNotAskFor) {
  const TuneWords words = {.over = {"checkpoint.interval", "spares.count=0:4"},
                           .minimize = "",
                           .maximize = "",
                           .subject_to = {"wall_time_s.p95<110d"},
                           .budget = 1500};
  TuneStudy alone(1);
  const TuneResult result = alone.run(words);
  // A store that another study has filled further, at points of this one.
  auto store = std::shared_ptr<Store>(Store::temporary({}, alone.source.point().point->facts.faults));
  TuneStudy other(1, 1, store);
  constexpr std::uint32_t kMany = 600;
  for (const std::size_t i : {result.today, *result.best}) {
    const std::vector<std::string>& values = result.points[i].values;
    ASSERT_LT(result.points[i].replicas, kMany);
    const PointNumber point = other.experiment.add(
        other.source.point({{"checkpoint.interval", values[0]}, {"spares.count", values[1]}}).point);
    ASSERT_TRUE(other.experiment.ensure({{{.point = point, .replicas = kMany}}}));
  }
  EXPECT_EQ(to_json(TuneStudy(1, 1, store).run(words)), to_json(result));
}

/// The report without its line breaks.
std::string report(const TuneResult& result) {
  std::string text = text_report(result, {.command = "gauntlet tune one-fault"});
  std::ranges::replace(text, '\n', ' ');
  return text;
}

TEST(Tune, OfASmallBudgetNeverRunsMoreAndSaysWhatItHasNotFoundOut) {
  std::uint32_t without_curve = 0, with_curve = 0;
  for (const std::uint32_t budget : {100U, 110U, 130U, 160U, 200U, 300U})
    for (const std::vector<std::string>& over :
         {std::vector<std::string>{"checkpoint.interval"}, {"checkpoint.interval", "spares.count=0:4"}}) {
      SCOPED_TRACE(std::to_string(budget) + " replicas, fields: " + std::to_string(over.size()));
      TuneStudy study(1);
      const TuneResult result =
          study.run({.over = over, .minimize = "", .maximize = "", .subject_to = {}, .budget = budget});
      EXPECT_LE(study.ran, budget);
      EXPECT_EQ(result.replicas, study.ran);
      ASSERT_TRUE(result.best);
      EXPECT_GE(result.points[*result.best].replicas, kFewestForInterval);
      const std::string text = report(result), json = to_json(result);
      const bool curve = result.window_points > 0;
      ++(curve ? with_curve : without_curve);
      EXPECT_TRUE(curve || over.size() > 1 || !result.regret);
      EXPECT_EQ(result.end == TuneResult::End::budget, text.find("--budget allows more") != text.npos)
          << text;
      for (const TunedField& field : result.fields) {
        const auto values_run =
            std::ranges::count_if(field.curve, [&](std::size_t i) { return result.points[i].replicas > 0; });
        EXPECT_TRUE(values_run > 1 || !field.interval) << "nothing beside the best has run";
        if (field.whole) continue;  // its rows are compared, and no curve is fitted
        // Without a curve there is no flat range, and no interval but of rows that are not told apart.
        EXPECT_EQ(field.flat_known, curve);
        if (curve) continue;
        EXPECT_EQ(field.interval.has_value(), field.alike.has_value());
        EXPECT_FALSE(field.plateau);
        if (!field.matters) continue;
        EXPECT_THAT(text, Not(HasSubstr("Flat range: " + field.path)));
        EXPECT_THAT(text, AnyOf(HasSubstr("The flat range around " + field.path + " = "),
                                HasSubstr("are not told apart")));
      }
      EXPECT_EQ(json.find("\"flat\": null") != json.npos, !curve);
      // Of the formulas none may have run.
      const bool ran = std::ranges::any_of(result.analytic, [&](const AnalyticOptimum& formula) {
        return result.points[formula.point].replicas > 0;
      });
      EXPECT_EQ(text.find("(in brackets the extra") != text.npos, ran || curve);
    }
  EXPECT_GT(without_curve, 2U) << "else this shows nothing";
  EXPECT_GT(with_curve, 2U);
}

TEST(Tune, BoundsNoSavingOfWholeNumbersThatHaveNotRun) {
  const auto of = [](const std::string& over) {
    return TuneStudy(1).run(
        {.over = {over}, .minimize = "", .maximize = "", .subject_to = {}, .budget = 800});
  };
  EXPECT_FALSE(of("spares.count=0:300").regret) << "most of them have not run";
  EXPECT_TRUE(of("spares.count=0:4").regret);
}

TEST(Tune, SaysByHowMuchABoundThatNothingMeetsIsMissed) {
  const TuneResult result = TuneStudy(1).run({.over = {"checkpoint.interval"},
                                              .minimize = "wall_time_s",
                                              .maximize = "",
                                              .subject_to = {"wall_time_s.p95<102d", "gave_up<1%"},
                                              .budget = 1500});
  EXPECT_FALSE(result.meets);
  ASSERT_TRUE(result.best);
  const TunedPoint& best = result.points[*result.best];
  EXPECT_GT(best.figures.at(0).value_or(0), 102 * 86400.0);
  EXPECT_EQ(best.figures.at(1), 0.0);
}

std::vector<std::string> problems(const TuneWords& words) {
  std::vector<std::string> out;
  for (const Problem& problem : parse_tune(words, tiny_source()).problems) out.push_back(problem.text());
  return out;
}

TEST(Tune, RefusesAFieldThatNothingReads) {
  const std::vector<std::string> all = problems(
      {.over = {"checkpoint.interval"}, .minimize = "", .maximize = "", .subject_to = {}, .budget = {}});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0], HasSubstr("checkpoint.interval has no effect: policies.checkpoint = \"daly\""));
}

TEST(Tune, RefusesAKeyThatSaysHowToRunTheStudy) {
  const std::vector<std::string> all = problems(
      {.over = {"study.seed=1:100"}, .minimize = "", .maximize = "", .subject_to = {}, .budget = {}});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0], HasSubstr("study.seed says how a study runs"));
}

TEST(Tune, FindsEveryMistakeInWords) {
  const std::vector<std::string> all =
      problems({.over = {"checkpoint.intervall", "detection.timeot", "checkpoint.interval=1GB:2GB",
                         "checkpoint.interval=2h:1h", "policies.detect", "spares.count", "spares.count"},
                .minimize = "cots",
                .maximize = "",
                .subject_to = {"cots<1"},
                .budget = {}});
  ASSERT_EQ(all.size(), 8U);
  EXPECT_THAT(all[0], HasSubstr("is not a key of this scenario; did you mean \"checkpoint.interval\"?"));
  EXPECT_THAT(all[1], HasSubstr("did you mean \"detection.timeout\""));
  EXPECT_THAT(all[2], HasSubstr("has the unknown unit \"GB\""));
  EXPECT_THAT(all[3], HasSubstr("is reversed"));
  EXPECT_THAT(all[4], HasSubstr("holds no number to tune; compare its values with"));
  EXPECT_THAT(all[5], HasSubstr("spares.count is named twice"));
  EXPECT_THAT(all[6], HasSubstr("--minimize: \"cots\" is not a metric; did you mean \"cost\"?"));
  EXPECT_THAT(all[7], HasSubstr("--subject-to: \"cots\" is not a metric"));
}

// one-fault has no price, and a window of no end.
TEST(Tune, RefusesACostWithoutAPriceOnce) {
  const PointSource source("one-fault", {}, 1);
  const auto about = [&](std::string minimize, std::vector<std::string> bounds) {
    std::vector<std::string> texts;
    for (const Problem& problem : parse_tune({.over = {"checkpoint.interval"},
                                  .minimize = std::move(minimize),
                                  .maximize = "",
                                  .subject_to = std::move(bounds),
                                  .budget = {}},
                                             source)
                                      .problems)
      texts.push_back(problem.text());
    return texts;
  };
  const auto no_price = [](const std::string& option, const std::string& metric) {
    return option + ": " + metric +
           " has no value, as the scenario has no price; name one: --set 'cost.gpu_hour=\"2.5USD\"'; or take "
           "gpu_hours";
  };
  EXPECT_THAT(about("cost.lost", {}), testing::ElementsAre(no_price("--minimize", "cost.lost")));
  EXPECT_THAT(about("", {"cost.p95<3USD"}), testing::ElementsAre(no_price("--subject-to", "cost")));
  EXPECT_THAT(about("gpu_hours", {}), testing::IsEmpty());
  EXPECT_THAT(about("costt", {}), testing::SizeIs(1));
}

}  // namespace
}  // namespace gauntlet
