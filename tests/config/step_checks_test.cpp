// What no step and no job can be: faster than the peak rate, longer than time is counted.
#include "config/checks/step_checks.hpp"

#include "config/fields/tokens.hpp"
#include "models/step/possible.hpp"
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gauntlet {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string problems(const std::vector<std::string>& sets) { return problems_of(load_text(kSmall, sets)); }

World world(const std::vector<std::string>& sets = {}) {
  const LoadedScenario loaded = load_text(kSmall, sets);
  EXPECT_EQ(problems_of(loaded), "");
  return loaded.scenario->world;
}

TEST(StepChecks, WorkOfAModelledStepTakesAtMostAHundredYears) {
  const Duration step = StepModel(world()).healthy();
  const std::int64_t most = kLongestWork / step;
  EXPECT_EQ(problems({"job.steps=" + std::to_string(most)}), "");
  const std::string refused =
      "of " + to_text(step) + " take more than 100 years; at most " + std::to_string(most);
  EXPECT_THAT(problems({"job.steps=" + std::to_string(most + 1)}), HasSubstr(refused));
  // Of work in tokens, the limit is in tokens, rounded down.
  const double tokens_of_step = world().job.global_batch * static_cast<double>(world().job.model.sequence);
  const std::string most_tokens = most_tokens_text(static_cast<double>(most) * tokens_of_step);
  EXPECT_LE(*parse_tokens(most_tokens).value, static_cast<double>(most) * tokens_of_step);
  for (const char* window : {"job.window=10d", "job.window=0s"}) {
    const std::string wrong = problems({"job.tokens=1e16", window});
    EXPECT_THAT(wrong, HasSubstr("job.tokens = "));
    EXPECT_THAT(
        wrong, HasSubstr(" steps of " + to_text(step) + " take more than 100 years; at most " + most_tokens));
    EXPECT_THAT(wrong, Not(HasSubstr("job.steps")));
  }
  EXPECT_EQ(problems({"job.tokens=" + most_tokens}), "");
  // The same text of a measured step.
  EXPECT_THAT(problems({"job.steps=1576800001", "job.step_time=2s"}),
              HasSubstr("of 2s take more than 100 years; at most 1576800000"));
  EXPECT_THAT(problems({"job.tokens=1e16", "job.step_time=2s"}),
              HasSubstr("of 2s take more than 100 years; at most " +
                        most_tokens_text(1'576'800'000 * tokens_of_step)));
}

TEST(StepChecks, NoStepIsFasterThanThePeakRate) {
  const World small = world();
  const double mfu = StepModel(small).evaluate().mfu;
  ASSERT_GT(mfu, 0.05);
  ASSERT_LT(mfu, 0.9);
  EXPECT_DOUBLE_EQ(least_step_time_factor(small, StepModel(small)), mfu) << "with it the MFU is 1";
  EXPECT_EQ(problems({"job.step_time_factor=" + std::to_string(mfu + 1e-4)}), "");
  const std::string wrong = problems({"job.step_time_factor=" + std::to_string(mfu - 1e-4)});
  EXPECT_THAT(wrong,
              HasSubstr("makes a step faster than the GPUs' peak rate: an MFU of 100%, where 100% is"));
  const std::size_t at = wrong.find("; write ") + 8;
  const std::string least = wrong.substr(at, wrong.find(" or more") - at);
  EXPECT_EQ(problems({"job.step_time_factor=" + least}), "") << "what is suggested is possible";
  // A larger factor needs no check, and of a measured step it has no effect.
  EXPECT_EQ(problems({"job.step_time_factor=900"}), "");
  EXPECT_EQ(problems({"job.step_time_factor=0.001", "job.step_time=2s"}), "");
}

TEST(StepChecks, AnMfuOfAJobInFp8MayBeTheRatioOfTheRates) {
  World small = world({"job.training.precision=fp8"});
  EXPECT_NEAR(highest_mfu(small), 2, 0.01) << "of an H100, 1,979 over 989.5 TFLOP/s";
  small.hardware.peak_fp8 = {};
  EXPECT_EQ(highest_mfu(small), 1) << "hardware without fp8 computes at its 16-bit rate";
  small.hardware.peak = {};
  EXPECT_EQ(highest_mfu(small), 1);
}

}  // namespace
}  // namespace gauntlet
