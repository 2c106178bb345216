// What `rank` asks of its levers: which ones, over how many replicas, and its result.
#include "commands/rank/rank.hpp"

#include "tests/study/seeded_study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

PointSource rank_source(std::vector<std::string> sets = {}) { return {"tiny-8", std::move(sets), 3}; }

TEST(RankPlan, LooksUpToFiveTimesUnlessTheReplicasAreGiven) {
  const RankPlan open = plan_rank(rank_source(), {}, std::nullopt, 4);
  EXPECT_EQ(open.terms.replicas, 100U);
  EXPECT_EQ(open.terms.looks, 6U);
  EXPECT_EQ(open.terms.claimed, 4U);
  EXPECT_EQ(plan_rank(rank_source({"study.replicas=20"}), {}, std::nullopt, 4).terms.replicas, 20U);
  const RankPlan fixed = plan_rank(rank_source(), {}, 7, 4);
  EXPECT_EQ(fixed.terms.replicas, 7U);
  EXPECT_EQ(fixed.terms.looks, 1U);
}

TEST(RankPlan, RefusesLeversThatThereAreNotAndScenariosThatDoNotLoad) {
  const RankPlan unknown = plan_rank(rank_source(), {"job.strat"}, std::nullopt, 5);
  ASSERT_EQ(unknown.problems.size(), 1U);
  EXPECT_THAT(unknown.problems[0].text(),
              HasSubstr("--lever: \"job.strat\" is not a lever of this scenario"));
  EXPECT_FALSE(plan_rank(PointSource("none.toml", {}, 1), {}, std::nullopt, 5).problems.empty());
}

TEST(RankCommand, HasTheSummaryOfTheReplicasThatEveryLeverHas) {
  const PointSource source = rank_source({"job.window=1d", "job.planned.times=[]"});
  SeededStudy study(source, 3);
  const RankResult result = rank(study.experiment, source, plan_rank(source, {"job.start", "spares"}, 6, 5));
  EXPECT_EQ(result.as_given.replicas, 6U);
  EXPECT_EQ(result.ranking.replicas, 6U);
  EXPECT_NEAR(result.ranking.wall_s, *result.as_given.mean("wall_time_s"), 1e-6);
  EXPECT_NEAR(*result.ranking.cost, *result.as_given.mean("cost"), 1e-6);
  EXPECT_EQ(result.ranking.levers.size() + result.ranking.without_effect.size(), 5U);
  EXPECT_THAT(to_json(result), HasSubstr("\"path\": \"job.start.warm_up\""));
}

TEST(RankCommand, StoppedBeforeAnythingHasNoReplicas) {
  const PointSource source = rank_source();
  const auto executor = make_thread_executor({.seed = 1}, 1);
  const auto store = Store::temporary({}, source.point().point->facts.faults);
  const std::atomic<bool> stop = true;
  Experiment experiment(*executor, *store, {.stop = &stop});
  const RankResult result = rank(experiment, source, plan_rank(source, {}, std::nullopt, 5));
  EXPECT_TRUE(result.ranking.interrupted);
  EXPECT_EQ(result.as_given.replicas, 0U);
  EXPECT_THAT(result.ranking.levers, IsEmpty());
}

}  // namespace
}  // namespace gauntlet
