// What `check` accepts, `run` runs: no broken contract, no run without an end. A sample of all fields and values; all of them
// are tried by accepted_slow_test.cpp.
#include "tests/input/accepted.hpp"

#include "config/scenario.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gauntlet {
namespace {

/// Runs them, and holds both kinds to be there: a test of which nothing is accepted, or nothing refused, says nothing.
void expect_each_runs_or_is_refused(const std::vector<Case>& cases) {
  std::size_t accepted = 0;
  for (const Case& each : cases) {
    const Tried outcome = outcome_of(each);
    accepted += outcome.accepted ? 1 : 0;
    EXPECT_EQ(outcome.failure, "");
  }
  EXPECT_GT(accepted, cases.size() / 4);
  EXPECT_LT(accepted, cases.size());
}

TEST(AcceptedInput, ASampleOfAllFieldsAtTheirExtremes) {
  const std::vector<Case> all = extreme_cases("tiny-8");
  ASSERT_GT(all.size(), 2000u);
  expect_each_runs_or_is_refused(every(17, all));
}

TEST(AcceptedInput, TimesBeyondTheRangeOfTheClockSaturate) {
  std::size_t accepted = 0;
  for (const char* set : {
           "job.start.data_loader=\"292y\"",
           "job.start.data_loader={name = \"lognormal\", median = \"1h\", sigma = 300.0}",
           "cluster.hardware.nvlink=\"1e-9GB/s\"",
           "cluster.hardware.peak=\"1e300FLOP/s\"",
           "job.calibration.gemm_efficiency=1e-12",
           "job.window=\"9223372036854775807ns\"",
           "job.give_up_after=\"9223372036854775807ns\"",
           "telemetry.delay=\"292y\"",
           "telemetry.heartbeat_period=\"100y\"",
           "storage.stall=\"292y\"",
           "storage.load=\"292y\"",
           "faults.slow_host.factor=1e9",
       }) {
    for (const char* scenario : {"tiny-8", "one-fault"}) {
      const Tried outcome = outcome_of({scenario, set});
      EXPECT_EQ(outcome.failure, "");
      accepted += outcome.accepted ? 1 : 0;
    }
  }
  EXPECT_GE(accepted, 16U);  // one-fault has no slow_host, and the clock ends some of the others
}

// Hardware so slow that the seconds of a step are no numbers: such a step took no time at all, and the run no end.
TEST(AcceptedInput, HardwareThatNoStepCanBeComputedForIsRefused) {
  for (const char* set :
       {"cluster.hardware.peak=\"1e-300FLOP/s\"", "cluster.hardware.memory_bandwidth=\"1e-310GB/s\"",
        "cluster.hardware.nvlink=\"1e-310GB/s\"", "cluster.hardware.nic=\"1e-310GB/s\"",
        "job.calibration.gemm_efficiency=1e-310", "job.calibration.memory_efficiency=1e-310"}) {
    for (const char* scenario : {"every-fault", "slow-hosts"}) {
      const std::vector<std::string> sets = {set};
      const LoadedScenario loaded = load_scenario(scenario, sets);
      ASSERT_EQ(loaded.problems.size(), 1U) << scenario << " " << set;
      const Problem& problem = loaded.problems.front();
      const std::string path = std::string(set).substr(0, std::string(set).find('='));
      EXPECT_EQ(problem.what.substr(0, path.size()), path);
      EXPECT_EQ(problem.why, "is so low that the time of a step cannot be computed");
      EXPECT_EQ(problem.suggestion.find("write what the hardware has, such as "), 0U);
    }
  }
}

// Samples at regular times are seldom simulated one by one: a long run is not a reason to refuse them.
TEST(AcceptedInput, LongWindowsRun) {
  for (const char* set : {"job.window=\"25y\"", "job.window=\"100y\""}) {
    const Tried outcome = outcome_of({"tiny-8", set});
    EXPECT_EQ(outcome.failure, "");
    EXPECT_TRUE(outcome.accepted) << set;
  }
}

TEST(AcceptedInput, ShapesThatNoDrawFollowsAreRefused) {
  for (const char* set : {"faults.gpu_lost.law.shape=0.001", "faults.gpu_lost.law.shape=1e300",
                          "faults.gpu_lost.law={name = \"gamma\", shape = 1e300}",
                          "repair.time={name = \"gamma\", mean = \"6h\", shape = 1e-9}"}) {
    const Tried outcome = outcome_of({"tiny-8", set});
    EXPECT_EQ(outcome.failure, "");
    EXPECT_FALSE(outcome.accepted) << set;
  }
}

TEST(AcceptedInput, WhatComesTooOftenIsRefused) {
  for (const char* set :
       {"telemetry.heartbeat_period=\"1ns\"", "telemetry.gap_mtbf=\"1ms\"", "telemetry.blip_mtbf=\"1ms\"",
        "telemetry.traffic_interval=\"1ns\"", "faults.host_down.mtbf=\"1ms\""}) {
    const Tried outcome = outcome_of({"tiny-8", set});
    EXPECT_EQ(outcome.failure, "");
    EXPECT_FALSE(outcome.accepted) << set;
  }
}

}  // namespace
}  // namespace gauntlet
