// What --subject-to, --minimize and --maximize take.
#include "commands/tune/bound.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gauntlet {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kMetrics = {"ettr", "wall_time_s", "cost", "gave_up", "lost_s.by_cause.p95"};

Bound bound(const std::string& text) {
  const ParsedBound parsed = parse_bound(text, kMetrics);
  EXPECT_TRUE(parsed.bound) << text << (parsed.problem ? parsed.problem->text() : "");
  return parsed.bound.value_or(Bound{});
}

TEST(Bound, IsAFigureASignAndALimitInTheMetricsUnit) {
  const Bound wall = bound("wall_time_s.p95<60d");
  EXPECT_EQ(wall.metric, "wall_time_s");
  EXPECT_EQ(wall.statistic, Statistic::p95);
  EXPECT_EQ(wall.limit, 60 * 86400.0);
  EXPECT_TRUE(wall.met(60 * 86400.0) && !wall.met(60 * 86400.0 + 1));
  const Bound share = bound(" ettr >= 92% ");
  EXPECT_EQ(share.statistic, Statistic::mean);
  EXPECT_DOUBLE_EQ(share.limit, 0.92);
  EXPECT_TRUE(share.met(0.93) && !share.met(0.91));
  EXPECT_EQ(bound("cost.p50<2.5USD").limit, 2.5);
  EXPECT_EQ(parse_bound("cost<2.5EUR", kMetrics, "EUR").bound->limit, 2.5);
  EXPECT_THAT(parse_bound("cost<2.5EUR", kMetrics, "USD").problem->text(),
              HasSubstr("is in EUR, and the scenario's costs are in USD; write the limit in USD"));
  EXPECT_EQ(bound("lost_s.by_cause.p95<2h").metric, "lost_s.by_cause.p95") << "a fault called p95";
}

TEST(Bound, SaysWhatIsWrongWithIt) {
  const auto problem = [](const std::string& text) {
    const ParsedBound parsed = parse_bound(text, kMetrics);
    return parsed.problem ? parsed.problem->text() : "no problem";
  };
  EXPECT_THAT(problem("wall_time_s.p95"), HasSubstr("has neither < nor >; write for example"));
  EXPECT_THAT(problem("1d<wall_time_s<2d"), HasSubstr("has two signs"));
  EXPECT_THAT(problem("wall_time<60d"),
              HasSubstr("\"wall_time\" is not a metric; did you mean \"wall_time_s\"?"));
  EXPECT_THAT(problem("wall_time_s.p90<60d"), HasSubstr("wall_time_s.p50 and wall_time_s.p95 are known"));
  EXPECT_THAT(problem("wall_time_s<60"), HasSubstr("\"60\" has no unit"));
  EXPECT_THAT(problem("wall_time_s<60USD"), HasSubstr("--subject-to: \"wall_time_s<60USD\": \"60USD\""));
  EXPECT_THAT(problem("gave_up<x"), HasSubstr("is not a number"));
  EXPECT_THAT(problem("gave_up<inf"), HasSubstr("is not a number"));
  EXPECT_THAT(problem("gave_up<"), HasSubstr("is not a number"));
  EXPECT_THAT(problem_of_metric("wall_time_s.p95", kMetrics, "--minimize").value_or(Problem{}).text(),
              HasSubstr("the objective is the mean of a metric; write --minimize wall_time_s"));
}

TEST(Bound, MeasuresRatiosByTheirTotalsAndQuantilesBySingleRuns) {
  const std::vector<Fraction> values = {{1, 1}, {30, 10}, {0, 0}};  // the last run does not define it
  EXPECT_DOUBLE_EQ(statistic_of(values, Statistic::mean).value_or(0), 31.0 / 11);
  EXPECT_DOUBLE_EQ(statistic_of(values, Statistic::p50).value_or(0), 2);
  const std::vector<Fraction> undefined = {{0, 0}};
  EXPECT_FALSE(statistic_of(undefined, Statistic::mean) || statistic_of(undefined, Statistic::p95));
  // One of ten never came to its end: p95 is at 8.55, and p50 at 4.5.
  std::vector<Fraction> ends;
  for (int i = 0; i < 9; ++i) ends.push_back({static_cast<double>(i), 1});
  ends.push_back({std::numeric_limits<double>::infinity(), 1});
  EXPECT_TRUE(std::isinf(statistic_of(ends, Statistic::p95).value()));
  EXPECT_DOUBLE_EQ(statistic_of(ends, Statistic::p50).value_or(0), 4.5);
}

}  // namespace
}  // namespace gauntlet
