// Checkpoints, recovery, spares and retirement: what a scenario can say of them, and what cannot work.
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Scenario scenario_with(const std::vector<std::string>& sets) {
  const LoadedScenario loaded = load_text(kSmall, sets);
  EXPECT_EQ(problems_of(loaded), "");
  return loaded.scenario.value_or(Scenario{});
}

std::string mistakes_with(const std::vector<std::string>& sets) {
  return problems_of(load_text(kSmall, sets));
}

TEST(PolicyFields, HaveTheDefaultsThatTheConstantsState) {
  const PolicyConstants policies = scenario_with({}).policies;
  EXPECT_EQ(policies.names.restore, "one-reader");
  EXPECT_EQ(policies.names.retire, "never");
  EXPECT_EQ(policies.checkpoint.memory_interval, kForever);
  EXPECT_EQ(policies.checkpoint.peers_interval, kForever);
  EXPECT_EQ(policies.checkpoint.host_loss, CheckpointConstants{}.host_loss);
  EXPECT_TRUE(policies.recovery.reschedule);
  EXPECT_EQ(policies.recovery.roll_back, 0U);
  EXPECT_EQ(policies.recovery.start_attempts, 0U);
  EXPECT_EQ(policies.recovery.longest_backoff, RecoveryConstants{}.longest_backoff);
  EXPECT_EQ(policies.recovery.start_deadline, kForever);
  EXPECT_EQ(policies.recovery.wait_for_spare, kForever);
  EXPECT_EQ(policies.recovery.least_replicas, 1U);
  EXPECT_EQ(policies.retirement.evictions, RetirementConstants{}.evictions);
  EXPECT_EQ(policies.retirement.window, RetirementConstants{}.window);
}

TEST(PolicyFields, AreRead) {
  const PolicyConstants policies =
      scenario_with({"policies.restore=every-rank", "policies.recover=person", "policies.retire=score",
                     "policies.checkpoint=two-level", "checkpoint.memory_interval=10s",
                     "checkpoint.prior_quick_cost=2s", "recovery.reschedule=false", "recovery.roll_back=2",
                     "recovery.start_attempts=3", "recovery.start_backoff=10s", "recovery.retention=10min",
                     "recovery.start_deadline=2h", "recovery.wait_for_spare=5min", "retirement.evictions=4",
                     "retirement.window=7d"})
          .policies;
  EXPECT_EQ(policies.names.restore, "every-rank");
  EXPECT_EQ(policies.names.recover, "person");
  EXPECT_EQ(policies.names.retire, "score");
  EXPECT_EQ(policies.names.checkpoint, "two-level");
  EXPECT_EQ(policies.checkpoint.memory_interval, 10s);
  EXPECT_EQ(policies.checkpoint.prior_quick_cost, 2s);
  EXPECT_FALSE(policies.recovery.reschedule);
  EXPECT_EQ(policies.recovery.roll_back, 2U);
  EXPECT_EQ(policies.recovery.start_attempts, 3U);
  EXPECT_EQ(policies.recovery.start_backoff, 10s);
  EXPECT_EQ(policies.recovery.retention, 10min);
  EXPECT_EQ(policies.recovery.start_deadline, 2h);
  EXPECT_EQ(policies.recovery.wait_for_spare, 5min);
  EXPECT_EQ(policies.retirement.evictions, 4U);
  EXPECT_EQ(policies.retirement.window, 7 * 24h);
}

TEST(PolicyFields, ThatCannotWorkAreMistakes) {
  EXPECT_THAT(mistakes_with({"policies.checkpoint=weekly"}), HasSubstr("policies.checkpoint = \"weekly\""));
  EXPECT_THAT(mistakes_with({"checkpoint.memory_interval=30min"}),
              HasSubstr("checkpoint.memory_interval = \"30min\" is not below checkpoint.interval = 30min"));
  EXPECT_THAT(
      mistakes_with({"checkpoint.peers_interval=2min", "checkpoint.memory_interval=3min"}),
      HasSubstr("checkpoint.memory_interval = \"3min\" is not below checkpoint.peers_interval = 2min"));
  EXPECT_THAT(mistakes_with({"storage.persist=40min", "storage.stall=1s"}),
              HasSubstr("that a checkpoint takes to be durable"));
  EXPECT_THAT(mistakes_with({"checkpoint.host_loss=0.0"}), HasSubstr("checkpoint.host_loss = 0.0"));
  EXPECT_THAT(mistakes_with({"recovery.start_backoff=10min"}),
              HasSubstr("recovery.start_backoff = \"10min\" is above longest_backoff = 5min"));
  EXPECT_THAT(mistakes_with({"recovery.retention=10min"}),
              HasSubstr("recovery.retention = \"10min\" is given, and start_attempts = 0 tries forever"));
  EXPECT_THAT(mistakes_with({"recovery.least_replicas=2"}), HasSubstr("the job waits for a host forever"));
  EXPECT_THAT(
      mistakes_with({"recovery.start_deadline=1min", "job.start.provisioning=2min"}),
      HasSubstr(
          "recovery.start_deadline = \"1min\" is over before the phases of job.start are, which take 2min"));
  EXPECT_THAT(mistakes_with({"retirement.evictions=0"}), HasSubstr("retirement.evictions = 0 is below 1"));
}

// Policies that find the interval themselves are not held to the one that they do not use.
TEST(PolicyFields, OfIntervalsThatAPolicyDoesNotUseAreNoMistakes) {
  EXPECT_EQ(mistakes_with({"policies.checkpoint=young", "checkpoint.memory_interval=40min"}), "");
  EXPECT_EQ(mistakes_with({"policies.checkpoint=two-level", "checkpoint.memory_interval=40min",
                           "checkpoint.peers_interval=2min"}),
            "");
}

TEST(Spares, AreSizedByTheQuantileOfTheBinomial) {
  const std::vector<std::string> sized = {"spares.policy=quantile", "spares.quantile=0.99",
                                          "spares.daily_failure=0.1"};
  const LoadedScenario loaded = load_text(kSmall, sized);
  ASSERT_EQ(problems_of(loaded), "");
  // Of 2 hosts both fail in 1 of 100 days, one at most in 99.
  EXPECT_EQ(loaded.scenario->world.inventory.spares, 1U);
  // What is shown says how many, and loads to the same thing.
  const std::string shown = show(loaded);
  EXPECT_THAT(shown, HasSubstr("count = 1"));
  EXPECT_EQ(show(load_text(shown), Comments::none), show(loaded, Comments::none));
  // A size of one's own, laid over the policy, holds; so does a policy over a size.
  EXPECT_EQ(load_text(shown, {"spares.count=5"}).scenario->world.inventory.spares, 5U);
  EXPECT_EQ(load_text(kSmall + "[spares]\ncount = 5\n", sized).scenario->world.inventory.spares, 1U);
  EXPECT_THAT(
      problems_of(load_text(kSmall + "[spares]\ncount = 5\npolicy = \"quantile\"\ndaily_failure = 0.1\n")),
      HasSubstr("spares.count = 5 differs from the 1 that policy = \"quantile\" gives"));
  EXPECT_THAT(mistakes_with({"spares.policy=quantile", "spares.quantile=1.0"}),
              HasSubstr("spares.quantile = 1.0"));
}

// Here two replicas share a host, and come and go together.
TEST(PolicyFields, OfASmallerJobAreOfWholeReplicasInWholeHosts) {
  const auto says = [](std::vector<std::string> sets) {
    sets.push_back("recovery.wait_for_spare=5min");
    return mistakes_with(sets);
  };
  EXPECT_EQ(says({"recovery.least_replicas=2"}), "");
  EXPECT_THAT(says({"recovery.least_replicas=1"}), HasSubstr("recovery.least_replicas = 1 is too few"));
  EXPECT_THAT(says({"recovery.least_replicas=3"}),
              HasSubstr("recovery.least_replicas = 3 is more than 2, the most"));
  EXPECT_THAT(says({"cluster.hosts=3", "job.layout.pp=2", "job.layout.dp=3", "job.global_batch=12"}),
              HasSubstr("share hosts of 8 GPUs"));
  EXPECT_THAT(says({"job.layout.tp=8", "job.layout.pp=2", "job.layout.dp=1"}),
              HasSubstr("the 1 of job.layout.dp are as few as"));
}

}  // namespace
}  // namespace gauntlet
