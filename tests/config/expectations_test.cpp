// What a planner expects before a run, where components differ and rates change.
#include "config/checks/expectations.hpp"

#include "tests/config/scenario_texts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gauntlet {
namespace {

/// In hours, of 16 GPUs that crash every 160 h each, in a window of 240 h: every 10 h where all are alike.
double hours_between_crashes_with(const std::string& profile) {
  const std::string crash =
      "[faults.crash]\ncomponent = \"gpu\"\neffect = \"crash\"\nremedy = \"restart\"\nmtbf = \"160h\"\n";
  const LoadedScenario loaded = load_text(kSmall + crash + profile);
  EXPECT_EQ(problems_of(loaded), "");
  if (!loaded.scenario) return 0;
  const Duration mtbf = expected_mtbf(loaded.scenario->world);
  EXPECT_EQ(loaded.scenario->policies.checkpoint.prior_mtbf, mtbf);  // what the policies start from
  return to_seconds(mtbf) / 3600;
}

TEST(Expectations, CountWhoFailsMoreOften) {
  EXPECT_NEAR(hours_between_crashes_with(""), 10, 1e-9);
  // A quarter fails 5 times as often: twice as often in the mean.
  EXPECT_NEAR(hours_between_crashes_with("lemons = { share = 0.25, factor = 5.0 }\n"), 5, 1e-9);
  // 8 x 3 + 6 + 2 x 0.5 = 31 in place of 16; of a batch that other clusters have a part of, only what is here.
  EXPECT_NEAR(hours_between_crashes_with("batches = [{ first = 14, last = 99, factor = 0.5 }, "
                                         "{ first = 0, last = 7, factor = 3.0 }]\n"),
              160.0 / 31, 1e-9);
  EXPECT_NEAR(hours_between_crashes_with("lemons = { share = 0.25, factor = 5.0 }\n"
                                         "batches = [{ first = 0, last = 7, factor = 3.0 }]\n"),
              2.5, 1e-9);
}

TEST(Expectations, CountWhatARateIsInTheMeanOverTheWindow) {
  // 24 h at once, 96 h at 5 times and 120 h at half the rate; what comes after the window does not matter.
  EXPECT_NEAR(hours_between_crashes_with("curve = [{ at = \"1d\", factor = 5.0 }, { at = \"5d\", factor = "
                                         "0.5 }, { at = \"11d\", factor = 100.0 }]\n"),
              10 * 240.0 / (24 + 96 * 5 + 120 * 0.5), 1e-9);
  EXPECT_NEAR(hours_between_crashes_with("daily = { amplitude = 0.5, peak = \"15h\" }\n"), 10, 1e-9);
}

TEST(Expectations, CountWhatATraceHasInTheWindow) {
  const auto hours_between = [](const std::string& scenario) {
    const LoadedScenario loaded =
        load_text(scenario +
                  "[faults.f]\ncomponent = \"host\"\neffect = \"crash\"\nremedy = \"restart\"\n"
                  "trace = [{ at = \"20h\", component = 0 }, { at = \"50h\", component = 1 }, "
                  "{ at = \"90h\", component = 0 }, { at = \"400h\", component = 0 }]\n");
    EXPECT_EQ(problems_of(loaded), "");
    return loaded.scenario ? to_seconds(expected_mtbf(loaded.scenario->world)) / 3600 : 0;
  };
  EXPECT_NEAR(hours_between(kSmall), 240.0 / 3, 1e-9);  // the last comes after the window
  // A job that ends with its work: the time that the records cover.
  EXPECT_NEAR(hours_between(with(kSmall, "window = \"10d\"", "steps = 1000")), 400.0 / 4, 1e-9);
}

// Hosts of eight GPUs with two NICs.
TEST(Expectations, CountNicsApartFromGpus) {
  const auto hours_between = [](const std::string& component) {
    const LoadedScenario loaded =
        load_text(with(kSmall, "hardware = \"h100\"", kTwoNics) + "[faults.f]\ncomponent = \"" + component +
                  "\"\neffect = \"crash\"\nremedy = \"restart\"\nmtbf = \"160h\"\n");
    EXPECT_EQ(problems_of(loaded), "");
    return loaded.scenario ? to_seconds(expected_mtbf(loaded.scenario->world)) / 3600 : 0;
  };
  EXPECT_NEAR(hours_between("host"), 80, 1e-9);
  EXPECT_NEAR(hours_between("gpu"), 10, 1e-9);
  EXPECT_NEAR(hours_between("nic"), 40, 1e-9);
}

}  // namespace
}  // namespace gauntlet
