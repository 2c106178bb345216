#include "commands/validate/policies/text.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

PolicyValidation two_checks() {
  PolicyValidation result{.version = "1.0", .seed = 7, .quick = false, .interrupted = false, .checks = {}};
  result.checks.push_back({.subject = "spares",
                           .conventions = "clock training",
                           .figure = "stalled",
                           .unit = "",
                           .expected = 0.1277,
                           .source = "Erlang",
                           .published = {},
                           .replicas = 1200,
                           .measured = 0.1281,
                           .error = 0.0002,
                           .bound = {PolicyJudge::z, 4},
                           .problem = {}});
  result.checks.push_back({.subject = "other",
                           .conventions = "as it says",
                           .figure = "goodput",
                           .unit = "%",
                           .expected = 80.2,
                           .source = "published",
                           .published = 79.6,
                           .replicas = 10,
                           .measured = 80.3,
                           .error = 0.02,
                           .bound = {PolicyJudge::absolute, 0.3},
                           .problem = {}});
  return result;
}

TEST(PolicyValidationText, AnswersFirst) {
  PolicyValidation result = two_checks();
  EXPECT_EQ(answer_line(result), "All 2 checks hold; the largest of 1 z-score is 2.00 (spares).");
  EXPECT_TRUE(result.holds());
  result.checks[1].measured = 80.6;
  EXPECT_EQ(answer_line(result), "1 of 2 checks fails: other.");
  EXPECT_FALSE(result.holds());
}

TEST(PolicyValidationText, WhatCannotFailIsNotJudgedAndNotCounted) {
  PolicyValidation result = two_checks();
  result.checks[1].bound = {PolicyJudge::none, 0};
  result.checks[1].measured = 2 * result.checks[1].expected;
  EXPECT_EQ(answer_line(result), "The one check holds; the largest of 1 z-score is 2.00 (spares).");
  EXPECT_TRUE(result.holds());
  EXPECT_FALSE(result.checks[1].holds());
  EXPECT_NE(to_json(result).find("\"holds\": null"), std::string::npos);
  EXPECT_NE(text_report(result, {}).find("1 more figure is shown without a bound"), std::string::npos);
  result.checks[0].measured = 0.13;
  EXPECT_EQ(answer_line(result), "1 of 1 check fails: spares.");
  // Nothing that can fail is no proof; nor is a figure without a bound that could not be measured.
  result.checks.erase(result.checks.begin());
  EXPECT_FALSE(result.holds());
  result.checks[0].measured.reset();
  EXPECT_TRUE(result.checks[0].fails());
}

TEST(PolicyValidationText, SaysWhatHowFarAndWhetherItHolds) {
  const std::string text = text_report(two_checks(), {.command = "again"});
  EXPECT_NE(text.find("stalled    0.12770   0.12810 +- 0.0002      1,200   z +2.00   |z| < 4   holds"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("goodput   80.200 %   80.300 % +- 0.02         10   +0.10%    0.3%   holds"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("goodput: the source prints 79.600 %"), std::string::npos) << text;
  EXPECT_NE(text.find("  clock training\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("Reproduce with: again\n")) << text;
}

TEST(PolicyValidationText, WhatWasNotMeasuredFailsAndSaysWhy) {
  PolicyValidation result = two_checks();
  result.checks[0].measured.reset();
  result.checks[0].problem = "the scenario does not load";
  EXPECT_FALSE(result.holds());
  const std::string text = text_report(result, {});
  EXPECT_NE(text.find("the scenario does not load"), std::string::npos) << text;
  EXPECT_NE(text.find("FAILS"), std::string::npos) << text;
}

TEST(PolicyValidationText, AnExactFigureHasNoError) {
  PolicyCheck check = two_checks().checks[0];
  check.bound = {PolicyJudge::relative, 1e-9};
  check.measured = check.expected;
  check.error.reset();
  EXPECT_TRUE(check.holds());
  check.measured = check.expected * (1 + 1e-8);
  EXPECT_FALSE(check.holds());
  check.bound = {PolicyJudge::z, 4};
  EXPECT_FALSE(check.holds());  // a z without an error is none
}

}  // namespace
}  // namespace gauntlet
