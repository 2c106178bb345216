// The scenario that the project is about, through every room: its file, its replicas, what they say on average.
#include "config/scenario.hpp"
#include "study/results/metrics.hpp"
#include "study/study.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

TEST(MainJob, Llama3LosesWhatItsPaperSays) {
  const LoadedScenario loaded = load_scenario("scenarios/llama3-405b-54d.toml", {});
  ASSERT_TRUE(loaded.scenario) << (loaded.problems.empty() ? "" : loaded.problems.front().text());
  const Summary summary = run_study(*loaded.scenario, {.range = {0, 200}, .seed = 1, .threads = 2});
  ASSERT_EQ(summary.replicas, 200U);
  // 419 unexpected and 47 planned interruptions (https://arxiv.org/abs/2407.21783, sec. 3.3.4). The 419 are Poisson:
  // their mean over 200 replicas has a standard error of sqrt(419 / 200) = 1.45, and 6 is four of them.
  EXPECT_NEAR(summary.mean("interruptions").value(), 466, 6);
  // "higher than a 90% effective training time" (the same place). A checkpoint every 10 min loses 5 on average; with some
  // minutes to restart that is about 10 min for each of 466 interruptions in 77,760 min, 6%. Two or three points around it
  // are left to what is assumed: detection, planned stops, repairs.
  EXPECT_GT(summary.mean("ettr").value(), 0.88);
  EXPECT_LT(summary.mean("ettr").value(), 0.96);
}

}  // namespace
}  // namespace gauntlet
