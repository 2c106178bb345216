#include "policies/registry.hpp"

#include <gmock/gmock.h>

#include <set>
#include <string>

namespace gauntlet {
namespace {

using testing::ElementsAre;

TEST(Registry, ListsThePoliciesByName) {
  EXPECT_THAT(detector_names(), ElementsAre("heartbeat", "log", "hang"));
  EXPECT_THAT(diagnoser_names(), ElementsAre("suite"));
  EXPECT_THAT(checkpoint_policy_names(), ElementsAre("fixed", "young", "daly"));
  EXPECT_THAT(recovery_names(), ElementsAre("replace", "restart-in-place"));
}

// Each name makes something, and no two names of a list make the same.
TEST(Registry, MakesWhatItNames) {
  std::set<std::size_t> detectors;
  for (const std::string_view name : detector_names()) detectors.insert(make_detector(name).index());
  EXPECT_EQ(detectors.size(), detector_names().size());

  EXPECT_TRUE(std::holds_alternative<HeartbeatDetector>(make_detector("heartbeat")));
  EXPECT_TRUE(std::holds_alternative<LogDetector>(make_detector("log")));
  EXPECT_TRUE(std::holds_alternative<HangDetector>(make_detector("hang")));
  EXPECT_TRUE(std::holds_alternative<FixedInterval>(make_checkpoint_policy("fixed")));
  EXPECT_EQ(first_step_of_recovery("replace"), Recovery::First::diagnosis);
  EXPECT_EQ(first_step_of_recovery("restart-in-place"), Recovery::First::restart);
}

// What they order at a start tells the two formulas apart: with C = 2 s and M = 1 s Daly's gives M, Young's 2 s.
TEST(Registry, MakesYoungsAndDalysIntervals) {
  const CheckpointConstants constants{.prior_mtbf = std::chrono::seconds(1),
                                      .prior_cost = std::chrono::seconds(2)};
  const auto first_interval = [&](std::string_view name) {
    CheckpointPolicy policy = make_checkpoint_policy(name);
    WatchIds ids;
    Orders orders;
    std::visit([&](auto& each) { each.start(JobId{0}, constants, kStart, ids, orders); }, policy);
    return std::get<CheckpointEvery>(orders[0].what).interval;
  };
  EXPECT_EQ(first_interval("young"), std::chrono::seconds(2));
  EXPECT_EQ(first_interval("daly"), std::chrono::seconds(1));
}

TEST(RegistryDeathTest, AnUnknownNameIsABug) {
  EXPECT_DEATH(make_detector("crystal-ball"), "policies are named by the registry");
  EXPECT_DEATH(make_checkpoint_policy("never"), "policies are named by the registry");
  EXPECT_DEATH(first_step_of_recovery("give-up"), "policies are named by the registry");
}

}  // namespace
}  // namespace gauntlet
