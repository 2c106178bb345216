// The error of a modelled step time, from the published steps that were held out.
#include "study/published/step_error.hpp"

#include "core/math/special.hpp"
#include "study/point.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

HeldOutStep step(std::string stack, std::string source, double log_ratio) {
  HeldOutStep out;
  out.stack = std::move(stack);
  out.source = std::move(source);
  out.log_ratio = log_ratio;
  return out;
}

TEST(StepError, OfAStackWithoutStepsIsThePriorAlone) {
  // Others: 0.0 and 0.2, so m0 = 0.1 and v0 = 0.02. One more x is 0.1 + T sqrt(v0 (1 + 1/4)), T of 4 degrees of freedom.
  const std::vector<HeldOutStep> steps = {step("a", "p", 0.0), step("b", "p", 0.2)};
  const StepTimeError error = *step_time_error(steps, "mine");
  const double reach = 2.131846786 * std::sqrt(0.02 * 1.25);  // T of 4, at 95%
  EXPECT_NEAR(std::log(error.low), 0.1 - reach, 1e-9);
  EXPECT_NEAR(std::log(error.high), 0.1 + reach, 1e-9);
  EXPECT_NEAR(error.median(), std::exp(0.1), 1e-12);
  EXPECT_EQ(error.degrees, 4);
  EXPECT_NEAR(std::log(error.at(0.99)), 0.1 + 3.746947388 * std::sqrt(0.02 * 1.25), 1e-9) << "T of 4, at 99%";
  EXPECT_EQ(error.steps, 0U);
  EXPECT_EQ(error.other_sources, 2U);
  EXPECT_FALSE(step_time_error(std::vector{step("a", "p", 0.0)}, "mine")) << "one tells no variance";
}

TEST(StepError, APublicationCountsOnceAndTheOthersAsFour) {
  // Own: p with 0.1 and 0.3, whose mean is 0.2, and q with 0.4: 0.3 on average. Squares around that: of p (0.2^2 + 0^2) / 2 =
  // 0.02, of q 0.1^2 = 0.01. Prior: m0 = 0.1, v0 = 0.02, worth 4 publications.
  const std::vector<HeldOutStep> steps = {step("a", "p", 0.0), step("b", "p", 0.2), step("mine", "p", 0.1),
                                          step("mine", "p", 0.3), step("mine", "q", 0.4)};
  const double mean = (4 * 0.1 + 2 * 0.3) / 6, squares = 4 * 0.02 + 0.03 + 4 * 2 / 6.0 * 0.2 * 0.2;
  const double reach = 1.943180281 * std::sqrt(squares / 6 * (1 + 1 / 6.0));  // T of 6, at 95%
  const StepTimeError error = *step_time_error(steps, "mine");
  EXPECT_NEAR(std::log(error.low), mean - reach, 1e-9);
  EXPECT_NEAR(std::log(error.high), mean + reach, 1e-9);
  EXPECT_EQ(error.degrees, 6);
  EXPECT_EQ(error.steps, 3U);
  EXPECT_EQ(error.sources, 2U);
  // The same steps twice are of no more publications.
  std::vector<HeldOutStep> twice = steps;
  twice.insert(twice.end(), steps.begin(), steps.end());
  EXPECT_NEAR(step_time_error(twice, "mine")->high, error.high, 1e-12);
}

/// What the shipped rows say of themselves: each publication against the interval that the others give it.
TEST(StepError, IntervalsHoldPublicationsThatTheyDoNotKnow) {
  std::set<std::pair<std::string, std::string>> sources;
  for (const HeldOutStep& each : held_out_steps()) sources.insert({each.stack, each.source});
  ASSERT_GE(sources.size(), 13U);
  double held = 0, held_far = 0, above = 0, steps = 0;
  for (const auto& [stack, source] : sources) {
    std::vector<HeldOutStep> others;
    double within = 0, within_far = 0, slower = 0, of_source = 0;
    for (const HeldOutStep& each : held_out_steps())
      if (each.stack != stack || each.source != source) others.push_back(each);
    const StepTimeError error = *step_time_error(others, stack);
    for (const HeldOutStep& each : held_out_steps()) {
      if (each.stack != stack || each.source != source) continue;
      const double ratio = std::exp(each.log_ratio);
      within += error.low <= ratio && ratio <= error.high ? 1 : 0;
      within_far += error.at(0.005) <= ratio && ratio <= error.at(0.995) ? 1 : 0;
      slower += ratio > error.median() ? 1 : 0;
      ++of_source;
    }
    held += within / of_source;
    held_far += within_far / of_source;
    above += slower / of_source;
    steps += of_source;
  }
  const double share = held / static_cast<double>(sources.size());
  std::printf("%.0f steps of %zu publications: %.3f within 90%%, %.2f publications within 99%%\n", steps,
              sources.size(), share, held_far);
  // Of 13 with 90% each, fewer than 10 hold with probability 3%.
  EXPECT_GE(share, 10 / 13.0);
  // With 99% each, fewer than 12 hold with probability 0.7%; on either side of the median lie 3 at least with 97.8%.
  EXPECT_GE(held_far, 12) << "the far tails";
  EXPECT_GE(above, 3);
  EXPECT_LE(above, 10);
}

TEST(StepError, TheShippedRowsAreAboutTenPercentSlowerThanModelled) {
  const StepTimeError error = *step_time_error(held_out_steps(), "megatron-core");
  EXPECT_EQ(error.steps, 9U);
  EXPECT_EQ(error.sources, 2U);
  EXPECT_EQ(error.other_steps, 35U);
  EXPECT_GT(error.median(), 1.0);
  EXPECT_LT(error.median(), 1.2);
  EXPECT_LT(error.low, 0.95);
  EXPECT_GT(error.high, 1.25);  // one of the nine took 1.26 times as long
}

World world_of(const std::vector<std::string>& sets) {
  const LoadedPoint loaded = PointSource("scenarios/tiny-8.toml", sets, 1).point();
  EXPECT_TRUE(loaded.point) << (loaded.problems.empty() ? "" : loaded.problems[0].text());
  return loaded.point->scenario.world;
}

TEST(StepError, SaysWhatNoStepHasInCommonWithTheJob) {
  EXPECT_FALSE(step_time_error(world_of({"job.step_time=3s"}))) << "a measured step time has no error";
  const StepTimeError usual = *step_time_error(world_of({}));
  EXPECT_THAT(usual.beyond, IsEmpty());
  const StepTimeError other =
      *step_time_error(world_of({"cluster.hardware.name=H900", "job.calibration.gemm_efficiency=0.5"}));
  EXPECT_THAT(other.beyond, ElementsAre("ran on H900", "was modelled with the constants of this scenario"));
  EXPECT_THAT(text_of(other),
              HasSubstr("None of them ran on H900 or was modelled with the constants of this scenario."));
  EXPECT_EQ(other.low, usual.low);
}

}  // namespace
}  // namespace gauntlet
