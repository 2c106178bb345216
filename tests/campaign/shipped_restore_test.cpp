// What the shipped scenarios are there to show about going on after a stop.
#include "config/scenario.hpp"
#include "models/storage/storage.hpp"
#include "study/replica.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gauntlet {
namespace {

LoadedScenario loaded(const std::string& scenario, const std::vector<std::string>& sets = {}) {
  LoadedScenario out = load_scenario("scenarios/" + scenario + ".toml", sets);
  for (const Problem& each : out.problems) ADD_FAILURE() << each.text();
  return out;
}

// "within 15 minutes from the latest checkpoints": https://arxiv.org/abs/2402.15627, sec. 6.3.
TEST(ShippedRestore, MegaScaleCatchesUpWithinAQuarterOfAnHour) {
  const LoadedScenario megascale = loaded("megascale-175b-12288");
  ASSERT_TRUE(megascale.scenario);
  Simulation simulation(megascale.scenario->world, megascale.scenario->policies);
  double recomputing_s = 0, stops = 0;
  for (std::uint32_t r = 0; r < 6; ++r) {
    const Figures& figures = simulation.run({.seed = 1, .replica = r});
    recomputing_s += to_seconds(at(figures.phases, Phase::recomputing));
    stops += figures.interruptions + figures.false_alarms;
  }
  EXPECT_GT(stops, 500);
  EXPECT_LT(recomputing_s / stops, 15 * 60);
}

TEST(ShippedRestore, EveryRankTakesFiveTimesAsLongAtTwelveThousandGpus) {
  for (const char* name : {"megascale-175b-12288", "questions/restore/base"}) {
    const LoadedScenario of = loaded(name);
    ASSERT_TRUE(of.scenario);
    const auto load = checkpoint_costs(of.scenario->world)[Tier::storage].load;
    EXPECT_GT(load[static_cast<std::size_t>(Restore::every_rank)],
              5 * load[static_cast<std::size_t>(Restore::one_reader)])
        << name;
  }
}

TEST(ShippedRestore, EvaluationsAreACauseOfTheirOwn) {
  const LoadedScenario tiny = loaded(
      "tiny-8", {"job.evaluation.every=100000", "job.evaluation.time=90s", "faults.slow_host.mtbf=never"});
  ASSERT_TRUE(tiny.scenario);
  Simulation simulation(tiny.scenario->world, tiny.scenario->policies);
  const Figures& figures = simulation.run({.seed = 1, .replica = 0});
  const auto evaluations = figures.steps / 100'000;
  EXPECT_GT(evaluations, 3);
  EXPECT_EQ(lost_to(figures, kCauseEvaluation), evaluations * std::chrono::seconds(90));
}

}  // namespace
}  // namespace gauntlet
