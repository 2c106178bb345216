#include "policies/controller/registry.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>

namespace gauntlet {
namespace {

using testing::ElementsAre;

TEST(Registry, ListsThePoliciesByName) {
  EXPECT_THAT(detector_names(), ElementsAre("heartbeat", "exit", "log", "hang", "collective-timeout",
                                            "traffic-stopped", "traffic-period", "fail-slow", "mfu", "loss",
                                            "flap", "learned-hang", "change-point"));
  EXPECT_THAT(diagnoser_names(), ElementsAre("suite", "localise", "person", "evidence"));
  EXPECT_THAT(checkpoint_policy_names(), ElementsAre("fixed", "young", "daly", "exact", "two-level"));
  EXPECT_THAT(recovery_names(), ElementsAre("replace", "restart-in-place", "restart", "person"));
  EXPECT_THAT(restore_names(), ElementsAre("one-reader", "every-rank"));
  EXPECT_THAT(retirement_names(), ElementsAre("never", "threshold", "score"));
  EXPECT_THAT(spares_policy_names(), ElementsAre("fixed", "quantile"));
}

// Each name makes something, and no two names of a list make the same.
TEST(Registry, MakesWhatItNames) {
  std::set<std::size_t> detectors;
  for (const std::string_view name : detector_names()) detectors.insert(make_detector(name).index());
  EXPECT_EQ(detectors.size(), detector_names().size());

  EXPECT_TRUE(std::holds_alternative<HeartbeatDetector>(make_detector("heartbeat")));
  EXPECT_TRUE(std::holds_alternative<LearnedHangDetector>(make_detector("learned-hang")));
  EXPECT_TRUE(std::holds_alternative<FlapDetector>(make_detector("flap")));
  EXPECT_TRUE(make_diagnoser("localise").localises);
  EXPECT_EQ(make_diagnoser("person").means, Diagnoser::Means::person);
  EXPECT_TRUE(std::holds_alternative<FixedInterval>(make_checkpoint_policy("fixed")));
  EXPECT_EQ(first_step_of_recovery("replace"), Recovery::First::diagnosis);
  EXPECT_EQ(first_step_of_recovery("restart-in-place"), Recovery::First::restart);
  EXPECT_EQ(first_step_of_recovery("restart"), Recovery::First::restart_only);
  EXPECT_EQ(first_step_of_recovery("person"), Recovery::First::person);
  EXPECT_EQ(restore_named("one-reader"), Restore::one_reader);
  EXPECT_EQ(restore_named("every-rank"), Restore::every_rank);
  EXPECT_TRUE(std::holds_alternative<TwoLevelInterval>(make_checkpoint_policy("two-level")));
}

// A scenario is told which signals it lacks: what a detector says that it needs is what it watches.
TEST(Registry, SaysWhichSignalsADetectorWatches) {
  constexpr Inventory kJob{.job_hosts = 16, .gpus_per_host = 8, .layout = {.tp = 8, .dp = 16}};
  DetectionConstants constants;
  constants.lines = {{PatternId{2}}};
  constants.flap.lines = {PatternId{3}};
  for (const std::string_view name : detector_names()) {
    Detector detector = make_detector(name);
    WatchIds ids;
    Orders orders;
    std::visit(
        [&](auto& each) {
          each.start({JobId{0}, kJob, &constants}, ids, orders);
          each.job_began(kStart, orders);
        },
        detector);
    const auto stated = signals_of_detector(name);
    for (const Order& order : orders) {
      const auto* watch = std::get_if<Watch>(&order.what);
      if (watch == nullptr || watch->signal == Signal::step)
        continue;  // steps are the job's, and always there
      EXPECT_NE(std::find(stated.begin(), stated.end(), watch->signal), stated.end()) << name;
    }
  }
}

// What they order at a start tells the formulas apart: with C = 2 s and M = 1 s Daly's gives M, Young's 2 s, and the exact
// one 1 + W(-exp(-3)) = 0.947531 s.
TEST(Registry, MakesTheIntervalsThatItNames) {
  const CheckpointConstants constants{.prior_mtbf = std::chrono::seconds(1),
                                      .prior_cost = std::chrono::seconds(2),
                                      .shortest = Duration::zero()};
  const auto first_interval = [&](std::string_view name) {
    CheckpointPolicy policy = make_checkpoint_policy(name);
    WatchIds ids;
    Orders orders;
    std::visit([&](auto& each) { each.start(JobId{0}, constants, kStart, ids, orders); }, policy);
    return std::get<CheckpointEvery>(orders[0].what).interval;
  };
  EXPECT_EQ(first_interval("young"), std::chrono::seconds(2));
  EXPECT_EQ(first_interval("daly"), std::chrono::seconds(1));
  EXPECT_NEAR(to_seconds(first_interval("exact")), 0.947531, 1e-6);
}

TEST(RegistryDeathTest, AnUnknownNameIsABug) {
  EXPECT_DEATH(make_detector("crystal-ball"), "policies are named by the registry");
  EXPECT_DEATH(make_checkpoint_policy("never"), "policies are named by the registry");
  EXPECT_DEATH(first_step_of_recovery("give-up"), "policies are named by the registry");
}

}  // namespace
}  // namespace gauntlet
