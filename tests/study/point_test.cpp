#include "study/point.hpp"

#include "tests/study/points.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

TEST(Point, HasItsSettingsOverTheSetsOfItsSource) {
  const PointSource source("scenarios/tiny-8.toml", {"job.window=6d", "spares.count=5"}, 3);
  const LoadedPoint base = source.point();
  const LoadedPoint fewer = source.point({{"spares.count", "1"}}, "fewer");
  ASSERT_TRUE(base.point && fewer.point);
  EXPECT_EQ(base.point->facts.spares, 5U);
  EXPECT_EQ(fewer.point->facts.spares, 1U);
  EXPECT_EQ(fewer.point->facts.window, std::chrono::hours(144));
  EXPECT_EQ(fewer.point->label, "fewer");
  EXPECT_NE(base.point->text, fewer.point->text);
  EXPECT_EQ(fewer.point->text, source.point({{"spares.count", "1"}}).point->text);
  ASSERT_NE(source.resolved().find("spares.count"), nullptr);
  EXPECT_EQ(std::get<std::int64_t>(source.resolved().find("spares.count")->data), 5);
}

TEST(Point, SaysWhatIsWrongWithItsSettings) {
  const LoadedPoint none = tiny_source().point({{"spares.count", "few"}, {"no.such", "1"}});
  EXPECT_EQ(none.point, nullptr);
  EXPECT_EQ(none.problems.size(), 2U);
  const PointSource nowhere("no-such-scenario", {}, 3);
  EXPECT_EQ(nowhere.point().problems.size(), 1U);
  EXPECT_TRUE(nowhere.resolved().table()->empty());
}

TEST(Point, SettingsAsPeopleReadThem) {
  EXPECT_EQ(settings_text({{"checkpoint.interval", "10min"}, {"spares.count", "4"}}),
            "checkpoint.interval = 10min, spares.count = 4");
  EXPECT_EQ(settings_text({}), "");
}

TEST(Point, FactsAreThoseOfTheScenario) {
  const LoadedScenario loaded = load_scenario("scenarios/tiny-8.toml", {});
  ASSERT_TRUE(loaded.scenario);
  const World& world = loaded.scenario->world;
  const ScenarioFacts facts = facts_of(*loaded.scenario, 3, "0");
  EXPECT_EQ(facts.name, "tiny-8");
  EXPECT_EQ(facts.hosts, 8U);
  EXPECT_EQ(facts.gpus, 64U);
  EXPECT_EQ(facts.gpus_held, 64U + 8 * facts.spares);
  EXPECT_EQ(facts.faults.size(), world.faults.size());
  EXPECT_DOUBLE_EQ(facts.tokens_per_step, static_cast<double>(world.job.global_batch) *
                                              static_cast<double>(world.job.model.sequence));
  // Without recomputation a step takes about 6 FLOPs a parameter and token (2 forward, 4 backward); attention adds some.
  const double plain = 6 * world.job.model.parameters * facts.tokens_per_step;
  EXPECT_GT(facts.flops_per_step.value, 0.8 * plain);
  EXPECT_LT(facts.flops_per_step.value, 1.5 * plain);
}

TEST(Point, FactsSayWhetherThePolicyComputesTheInterval) {
  const auto facts_with = [](std::vector<std::string> sets) {
    const LoadedScenario loaded = load_scenario("scenarios/tiny-8.toml", sets);
    for (const Problem& problem : loaded.problems) ADD_FAILURE() << problem.text();
    return loaded.scenario ? facts_of(*loaded.scenario, 3, "0") : ScenarioFacts{};
  };
  for (const char* policy : {"young", "daly", "exact", "two-level"})
    EXPECT_TRUE(facts_with({std::string("policies.checkpoint=") + policy}).computes_interval) << policy;
  EXPECT_FALSE(facts_with({"policies.checkpoint=fixed"}).computes_interval);
  EXPECT_TRUE(facts_with({"storage.mode=two_stage"}).saves_behind_training);
  EXPECT_FALSE(facts_with({"storage.mode=synchronous"}).saves_behind_training);
}

// 100e9 parameters of 14 bytes are 1.4 TB; the last three of them at 20 USD are 84 USD a month. The checkpoint that is being
// written is not in the cost.
TEST(Point, StorageCostsByTheSizeOfTheStateAndWhatIsKept) {
  const auto month = [](const std::vector<std::string>& sets) {
    std::vector<std::string> all = {"job.model.parameters=100e9", "storage.bytes_per_parameter=14.0",
                                    "storage.keep_last=3", "cost.tb_month=20USD", "job.step_time=5s"};
    all.insert(all.end(), sets.begin(), sets.end());
    const LoadedScenario loaded = load_scenario("scenarios/tiny-8.toml", all);
    for (const Problem& problem : loaded.problems) ADD_FAILURE() << problem.text();
    return loaded.scenario ? facts_of(*loaded.scenario, 3, "0").storage_month.value : 0;
  };
  EXPECT_DOUBLE_EQ(month({}), 84);
  EXPECT_DOUBLE_EQ(month({"storage.keep_last=1"}), 28);
  EXPECT_DOUBLE_EQ(month({"storage.bytes_per_parameter=7.0"}), 42);
  EXPECT_DOUBLE_EQ(month({"job.layout.dp=4", "cluster.hosts=4"}), 84)
      << "the state is stored once, whatever the ranks";
  EXPECT_EQ(month({"cost.tb_month=0USD"}), 0);
}

}  // namespace
}  // namespace gauntlet
