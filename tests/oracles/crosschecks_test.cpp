// What other simulators publish, with few replicas; `gauntlet validate policies` runs the same with many.
#include "commands/validate/policies/crosschecks.hpp"

#include "commands/validate/oracles/measure.hpp"
#include "commands/validate/policies/validate_policies.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace gauntlet {
namespace {

TEST(CrossChecks, HoldWithFewReplicas) {
  for (const auto figures : by_scenario(published_figures())) {
    const CrossCheck cross = cross_check(figures);
    for (const Problem& problem : cross.problems) ADD_FAILURE() << problem.text();
    if (!cross.oracle) continue;
    for (const PolicyCheck& check :
         check(*cross.oracle, {.seed = 1, .replicas = cross.oracle->few, .threads = 2})) {
      std::printf("%s, %s: %.6g, expected %.6g, standard error %.2g\n", check.subject.c_str(),
                  check.figure.c_str(), check.measured.value_or(NAN), check.expected,
                  check.error.value_or(NAN));
      EXPECT_FALSE(check.fails()) << check.subject << ", " << check.figure;
      if (check.bound.judge == PolicyJudge::absolute) {
        EXPECT_LT(check.error.value_or(1), check.bound.limit / 2);
      }
    }
  }
}

TEST(CrossChecks, AreGroupedByScenario) {
  std::size_t figures = 0;
  for (const auto group : by_scenario(published_figures())) {
    EXPECT_FALSE(group.empty());
    figures += group.size();
    for (const PublishedFigure& figure : group) EXPECT_STREQ(figure.scenario, group.front().scenario);
  }
  EXPECT_EQ(figures, published_figures().size());
}

TEST(CrossChecks, AScenarioThatDoesNotLoadSaysWhy) {
  PublishedFigure figure = published_figures().front();
  figure.scenario = "crosscheck/no-such-scenario";
  const CrossCheck cross = cross_check({&figure, 1});
  EXPECT_FALSE(cross.oracle);
  ASSERT_EQ(cross.problems.size(), 1U);
  EXPECT_NE(cross.problems[0].text().find("no-such-scenario"), std::string::npos);
}

TEST(ValidatePolicies, RunsWhatWasAskedForAlone) {
  const PolicyValidation result = validate_policies({.quick = true, .only = "intervals, C = 1,"});
  ASSERT_EQ(result.checks.size(), 3U);
  EXPECT_TRUE(result.holds());
  EXPECT_EQ(result.checks[0].subject, "intervals, C = 1, M = 185 min");
  EXPECT_FALSE(validate_policies({.only = "no such check"}).holds());
}

}  // namespace
}  // namespace gauntlet
