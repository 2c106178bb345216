// Several things at the instant of a planned stop. Faults come first, then planned stops in the order of their list, then all else
// that the world has for that instant (docs/decisions.md, 2026-11-29, "Planned stops wait for one another").
#include "tests/campaign/full_and_elided.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using testing::ElementsAre;

constexpr Time kInstant = kStart + kHour;

/// The stop requests and the acts of operators at that instant, in the order in which the policies hear of them.
std::vector<std::string> requests(const Record& record) {
  std::vector<std::string> all;
  for (const Observed& seen : record.observations) {
    const auto* request = std::get_if<StopRequest>(&seen.what);
    if (seen.at == kInstant && request != nullptr)
      all.push_back("hold for " + std::to_string(request->hold / kMinute) + " min");
    if (seen.at == kInstant && std::holds_alternative<OperatorActed>(seen.what)) all.push_back("operator");
  }
  return all;
}

/// Eight hosts whose operators want a stop of a minute half an hour before that instant, and stops of so many minutes at the
/// instant. The earlier stop schedules the first of these, when all else of the instant may be scheduled already.
World with_stops(const std::vector<int>& minutes) {
  World world = eight_hosts();
  world.job.planned_stops = {{kInstant - 30 * kMinute, kMinute}};
  for (const int each : minutes) world.job.planned_stops.push_back({kInstant, each * kMinute});
  return world;
}

/// A fault that heals at the instant. A stall strikes after the earlier stop, others before it.
FaultKind healing(std::string_view name) {
  std::vector<FaultKind> all = every_fault();
  FaultKind kind = *std::ranges::find(all, name, &FaultKind::name);
  const Duration lasts = kind.effect == Effect::stall ? 40 * kSecond : 50 * kMinute;
  kind.heals_after = Law::constant(to_seconds(lasts));
  kind.trace = {{kInstant - lasts, 1}};
  return kind;
}

/// The place of the first order to save or to stop of that instant: how many orders had been given before.
std::size_t place_of_answer(const Record& record) {
  const auto answers = [](const RecordedOrder& each) {
    return each.at == kInstant && (std::holds_alternative<Checkpoint>(each.order.what) ||
                                   std::holds_alternative<Stop>(each.order.what));
  };
  return static_cast<std::size_t>(std::ranges::find_if(record.orders, answers) - record.orders.begin());
}

TEST(OneInstant, PlannedStopsComeInTheOrderOfTheirListAndTheJobIsHeldForTheLongest) {
  for (const std::vector<int>& minutes : {std::vector{10, 30}, std::vector{30, 10}}) {
    const World world = with_stops(minutes);
    const PolicyConstants policies = every_detector();
    Simulation simulation(world, policies);
    const Figures& figures = simulation.run({.seed = 1, .replica = 0});
    EXPECT_THAT(requests(simulation.record()),
                ElementsAre("hold for " + std::to_string(minutes[0]) + " min",
                            "hold for " + std::to_string(minutes[1]) + " min"));
    EXPECT_EQ(figures.planned_stops, 3U);
    EXPECT_EQ(figures.interruptions, 3U);
    ASSERT_EQ(figures.incidents.size(), 2U);
    EXPECT_EQ(figures.incidents[1].stops, 2U);
    // Each from the stop, which waits for a checkpoint of less than a minute, until the end of the hold.
    EXPECT_LE(at(figures.phases, Phase::planned), 31 * kMinute);
    EXPECT_GT(at(figures.phases, Phase::planned), 29 * kMinute);
    expect_same_run(world, policies, 1);
  }
}

TEST(OneInstant, AnOperatorsStopComesAfterEveryPlannedStop) {
  World world = with_stops({10, 30});
  world.operators = {{.name = "end", .at = kInstant, .what = OperatorAction::stop, .host = {}, .reason = ""}};
  const PolicyConstants policies = every_detector();
  Simulation simulation(world, policies);
  const Figures& figures = simulation.run({.seed = 1, .replica = 0});
  EXPECT_THAT(requests(simulation.record()), ElementsAre("hold for 10 min", "hold for 30 min", "operator"));
  EXPECT_EQ(figures.planned_stops, 4U);
  EXPECT_EQ(figures.ending, Ending::stopped);
  EXPECT_LT(figures.wall, kHour + kMinute);
  expect_same_run(world, policies, 1);
}

// A planned stop saves first. A host that is taken out while the job saves leaves after that, with nothing lost but the steps since.
TEST(OneInstant, AnEvictionByAnOperatorWaitsForTheCheckpointOfThePlannedStop) {
  World world = with_stops({10});
  world.operators = {
      {.name = "out", .at = kInstant, .what = OperatorAction::evict, .host = HostId{2}, .reason = ""}};
  const PolicyConstants policies = every_detector();
  Simulation simulation(world, policies);
  const Figures& figures = simulation.run({.seed = 1, .replica = 0});
  EXPECT_THAT(requests(simulation.record()), ElementsAre("hold for 10 min", "operator"));
  EXPECT_LE(at(figures.phases, Phase::recomputing), kMinute);
  EXPECT_EQ(figures.planned_stops, 3U);
  expect_same_run(world, policies, 1);
}

TEST(OneInstant, AFaultHealsAfterThePlannedStop) {
  for (const char* name : {"stall_short", "slow", "degrade"}) {
    SCOPED_TRACE(name);
    World world = with_stops({10});
    add_faults(world, {healing(name)}, 1);
    const PolicyConstants policies = every_detector();
    Simulation simulation(world, policies);
    const Figures& figures = simulation.run({.seed = 1, .replica = 0});
    const TruthLog& truth = simulation.cluster().truth();
    ASSERT_FALSE(truth.empty());
    EXPECT_EQ(truth.back().what, TruthKind::ended);
    EXPECT_EQ(truth.back().at, kInstant);
    EXPECT_GT(truth.back().orders, place_of_answer(simulation.record())) << "the request was answered before";
    EXPECT_EQ(figures.planned_stops, 2U);
    EXPECT_GT(at(figures.phases, Phase::planned), 9 * kMinute);
    expect_same_run(world, policies, 1, name);
  }
}

TEST(OneInstant, AFaultStrikesBeforeThePlannedStop) {
  World world = with_stops({10});
  FaultKind crash = every_fault()[1];
  ASSERT_EQ(crash.name, "crash_logged");
  crash.trace = {{kInstant, 1}};
  add_faults(world, {crash}, 1);
  const PolicyConstants policies = every_detector();
  Simulation simulation(world, policies);
  const Figures& figures = simulation.run({.seed = 1, .replica = 0});
  const TruthLog& truth = simulation.cluster().truth();
  ASSERT_FALSE(truth.empty());
  EXPECT_EQ(truth[0].what, TruthKind::onset);
  EXPECT_EQ(truth[0].orders, place_of_answer(simulation.record())) << "nothing was ordered before";
  ASSERT_EQ(figures.incidents.size(), 2U);
  EXPECT_EQ(figures.incidents[1].cause, cause_of(FaultKindId{0}));
  expect_same_run(world, policies, 1);
}

}  // namespace
}  // namespace gauntlet
