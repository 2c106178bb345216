// The one currency of a scenario, and work that is counted in tokens.
#include "config/scenario.hpp"
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gauntlet {
namespace {

using ::testing::HasSubstr;

LoadedScenario priced(const std::string& cost, const std::vector<std::string>& sets = {}) {
  return load_text(std::string(kSmall) + "[cost]\n" + cost, sets);
}

TEST(Currency, IsTheOneOfAllAmounts) {
  const LoadedScenario loaded = priced("gpu_hour = \"2.10EUR\"\nidle_gpu_hour = \"1 EUR\"\n");
  ASSERT_EQ(problems_of(loaded), "");
  EXPECT_EQ(loaded.scenario->world.cost.currency, "EUR");
  EXPECT_DOUBLE_EQ(loaded.scenario->world.cost.gpu_hour.value, 2.1);
  // What nobody wrote is shown in the same currency, and the whole reads back as it is.
  const std::string shown = show(loaded);
  EXPECT_THAT(shown, HasSubstr("tb_month = \"0EUR\""));
  const LoadedScenario again = load_text(shown);
  ASSERT_EQ(problems_of(again), "");
  EXPECT_EQ(again.scenario->world.cost.currency, "EUR");
  EXPECT_EQ(show(again, Comments::none), show(loaded, Comments::none));
}

TEST(Currency, IsUSDWhereNoAmountSaysOne) {
  EXPECT_EQ(load_text(kSmall).scenario->world.cost.currency, "USD");
  EXPECT_EQ(priced("gpu_hour = \"0\"\n").scenario->world.cost.currency, "USD");
  EXPECT_EQ(priced("gpu_hour = \"0CHF\"\n").scenario->world.cost.currency, "CHF");
  EXPECT_EQ(priced("tb_month = \"20CHF\"\n").scenario->world.cost.currency, "CHF");
}

TEST(Currency, IsNotMixed) {
  EXPECT_THAT(
      problems_of(priced("gpu_hour = \"2EUR\"\ntb_month = \"20USD\"\n")),
      HasSubstr("21:12: cost.tb_month = \"20USD\" is in USD, and cost.gpu_hour is in EUR (test.toml:20); "
                "write all amounts of a scenario in one currency; no exchange rates are known\n"));
  EXPECT_THAT(problems_of(priced("gpu_hour = \"2USD\"\nidle_gpu_hour = \"1USD\"\n", {"cost.gpu_hour=2EUR"})),
              HasSubstr("cost.idle_gpu_hour = \"1USD\" is in USD, and cost.gpu_hour is in EUR (--set)"));
  // Nothing costs as much in any currency.
  const LoadedScenario zero = priced("gpu_hour = \"0USD\"\nidle_gpu_hour = \"1EUR\"\n");
  ASSERT_EQ(problems_of(zero), "");
  EXPECT_EQ(zero.scenario->world.cost.currency, "EUR");
}

TEST(Currency, IsACodeOfISO4217) {
  EXPECT_THAT(
      problems_of(priced("gpu_hour = \"2Euro\"\n")),
      HasSubstr("cost.gpu_hour = \"2Euro\" has the unknown currency \"Euro\"; write a code of ISO 4217"));
  EXPECT_THAT(problems_of(priced("gpu_hour = 2.5\n")),
              HasSubstr("has no currency; write \"2.5USD\" or \"2.5EUR\""));
}

TEST(Currency, OfAnUncertainPriceIsTheScenarios) {
  const std::string eur = "gpu_hour = \"2EUR\"\n";
  const auto uncertain = [&](const std::string& low, const std::string& high) {
    return problems_of(priced(eur + "[study]\nuncertain = [{path = \"cost.gpu_hour\", low = \"" + low +
                              "\", high = \"" + high + "\"}]\n"));
  };
  EXPECT_EQ(uncertain("1EUR", "3EUR"), "");
  EXPECT_THAT(uncertain("1USD", "3USD"), HasSubstr("is an amount in EUR, and low and high are not"));
  EXPECT_THAT(uncertain("1EUR", "3USD"), HasSubstr("is an amount in USD, and low is an amount in EUR"));
}

TEST(Work, IsWrittenInTokens) {
  const LoadedScenario loaded = load_text(with(kSmall, "window = \"10d\"", "tokens = \"2T\""));
  ASSERT_EQ(problems_of(loaded), "");
  const JobModel& job = loaded.scenario->world.job;
  EXPECT_EQ(job.tokens, 2e12);
  // The fewest whole steps that train on so many.
  const double of_step = 16.0 * job.model.sequence;
  EXPECT_GE(static_cast<double>(job.steps) * of_step, 2e12);
  EXPECT_LT(static_cast<double>(job.steps - 1) * of_step, 2e12);
  const LoadedScenario number = load_text(with(kSmall, "window = \"10d\"", "tokens = 2e12"));
  EXPECT_EQ(number.scenario->world.job.steps, job.steps);
  // As it was written, and read back.
  const std::string shown = show(loaded);
  EXPECT_THAT(shown, HasSubstr("tokens = \"2T\""));
  EXPECT_EQ(problems_of(load_text(shown)), "");
  EXPECT_EQ(load_text(with(kSmall, "window = \"10d\"", "tokens = 1e9"), {"job.tokens=2T"})
                .scenario->world.job.steps,
            job.steps);
}

TEST(Work, InTokensIsReadAsOnTheCommandLine) {
  const auto of = [](const std::string& tokens) {
    return problems_of(load_text(with(kSmall, "window = \"10d\"", "tokens = " + tokens)));
  };
  EXPECT_EQ(of("\"1.5 B\""), "");
  EXPECT_THAT(of("\"2X\""),
              HasSubstr("job.tokens = \"2X\" has an unknown unit; write k, M, G (or B) or T, as in 15.6T"));
  EXPECT_THAT(of("\"many\""),
              HasSubstr("job.tokens = \"many\" is not a number of tokens; write for example \"15.6T\""));
  EXPECT_THAT(of("\"2000000T\""), HasSubstr("is above 1e+18"));
  EXPECT_THAT(of("\"2T\"\nsteps = 7"), HasSubstr("job.steps = 7 are not the "));
}

TEST(Work, InTokensCanBeUncertain) {
  EXPECT_EQ(
      problems_of(load_text(with(kSmall, "window = \"10d\"", "tokens = \"2T\"") +
                            "[study]\nuncertain = [{path = \"job.tokens\", low = 1e12, high = 3e12}]\n")),
      "");
}

}  // namespace
}  // namespace gauntlet
