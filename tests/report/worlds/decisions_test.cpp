// Where the decisions of two runs first differ, and how a series of drills reports it.
#include "report/worlds/decisions.hpp"

#include "report/worlds/result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const Action kStops = Stop{.job = JobId{0}, .reason = StopReason::fault};
const Action kEvicts = Evict{HostId{4}};
const Action kWakes = Wake{.at = kStart + 1h};

/// One order a second, each in answer to the return of a host at that time.
Record run_of(const std::vector<Action>& actions) {
  Record record;
  for (const Action& action : actions) {
    const auto number = static_cast<std::uint32_t>(record.orders.size() + 1);
    const Time at = kStart + number * 1s;
    record.observations.push_back({at, HostReturned{HostId{number}}});
    record.orders.push_back({at, number, Order{OrderId{number}, action}});
  }
  return record;
}

Decisions decisions_of(const std::vector<Action>& measured, const std::vector<Action>& simulated) {
  const Record a = run_of(measured), b = run_of(simulated);
  const Figures none{};
  return compare_decisions({"measured", &a, &none}, {"simulated", &b, &none});
}

TEST(WorldDecisions, TimersAreNotDecisions) {
  const Decisions found = decisions_of({kStops, kWakes, kWakes, kEvicts}, {kStops, kEvicts});
  EXPECT_EQ(found.same, 2u);
  EXPECT_FALSE(found.first);
  EXPECT_EQ(decisions_text(found, "measured", "simulated"), "The decisions are the same: 2.\n");
}

TEST(WorldDecisions, TheFirstDifferenceIsNamedWithTheObservationBeforeIt) {
  const Decisions found = decisions_of({kStops, kEvicts}, {kStops, kWakes, kStops, kEvicts});
  EXPECT_EQ(found.same, 2u);
  EXPECT_EQ(found.left_alone, 0u);
  EXPECT_EQ(found.right_alone, 1u);
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->side, "simulated");
  EXPECT_THAT(found.first->decision, HasSubstr("Stop{"));
  EXPECT_THAT(found.first->observation, HasSubstr("HostReturned"));
}

TEST(WorldDecisions, OnlyTheRunThatTookItIsNamed) {
  const Decisions found = decisions_of({kStops, kEvicts}, {kStops});
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->side, "measured");
  EXPECT_EQ(found.first->at, kStart + 2s);
  EXPECT_THAT(decisions_text(found, "measured", "simulated"),
              HasSubstr("2.000 s, after HostReturned at 2.000 s (measured)"));
}

RepeatedDrills series() {
  Figures trained;
  trained.lost.resize(kCausesWithoutFault);
  trained.wall = 100s;
  at(trained.phases, Phase::effective) = 90s;
  trained.phases[static_cast<std::size_t>(Phase::slowdown)] = 10s;
  RepeatedDrills drills = {.scenario = "tiny", .version = "1", .asked = 3, .vary_seed = true};
  drills.pairs.push_back({.number = 1, .seed = 7, .measured = trained, .simulated = trained});
  drills.pairs.push_back({.number = 3,
                          .seed = 9,
                          .measured = trained,
                          .simulated = trained,
                          .decisions = decisions_of({kStops, kEvicts}, {kStops})});
  drills.failed.push_back({.number = 2, .seed = 8, .why = "no agent answered"});
  return drills;
}

TEST(RepeatedDrills, ADrillThatFailedIsCountedAndNamed) {
  const std::string text = text_report(series(), {.command = "gauntlet drill x"});
  EXPECT_THAT(text, HasSubstr("2 of 3 drills complete, 1 failed; each has a fault plan of its own\n"));
  EXPECT_THAT(text, HasSubstr("drill 2 (seed 8) failed: no agent answered\n"));
  EXPECT_THAT(text, HasSubstr("2 drills are too few for an interval, which needs 5.\n"));
  EXPECT_THAT(text, Not(HasSubstr("Interrupted")));
}

TEST(RepeatedDrills, DrillsWhoseDecisionsDifferAreListed) {
  const std::string text = text_report(series(), {.command = ""});
  EXPECT_THAT(text, HasSubstr("Decisions: the same in 1 of 2 drills\n"));
  EXPECT_THAT(text, HasSubstr("drill 3 (seed 9): The decisions differ: 1 on both sides, 1 measured alone"));
  EXPECT_THAT(text, Not(HasSubstr("drill 1 (seed 7)")));
}

TEST(RepeatedDrills, JsonHasEveryDrillAndTheFirstDifference) {
  const std::string json = to_json(series(), "gauntlet drill x");
  for (const char* each : {R"("repeat": 3)", R"("n": 2)", R"("why": "no agent answered")",
                           R"("measured_alone": 1)", R"("side": "measured")"})
    EXPECT_THAT(json, HasSubstr(each));
}

}  // namespace
}  // namespace gauntlet
