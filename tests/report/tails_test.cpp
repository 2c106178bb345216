#include "report/tails.hpp"

#include "tests/study/store/sample_study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace gauntlet {
namespace {

/// Of `n` replicas, with what so many know.
Summary with_ettr(std::uint64_t n) {
  Summary of = sample_summary(2);
  for (NamedStatistics& metric : of.metrics) {
    if (metric.name != "ettr") continue;
    Statistics& statistics = metric.statistics;
    statistics = {};
    statistics.n = n;
    statistics.mean = 0.9;
    statistics.sd = 0.02;
    statistics.se = 0.001;
    statistics.ci95 = Interval{0.898, 0.902};
    if (n >= kFewestForWorst5) statistics.worst_5_mean = 0.8;
    if (n >= kFewestForP1) statistics.p1 = 0.79;
    if (n >= kFewestForP1) statistics.p99 = 0.95;
  }
  return of;
}

std::string table(std::uint64_t n, std::string_view figure = {}) {
  std::vector<TailRow> rows;
  add_tails(rows, with_ettr(n), "ettr", "ETTR", figure);
  return tails_table(rows);
}

TEST(TailsTable, HasWhatIsKnownAndSaysWhatTheRestNeeds) {
  EXPECT_EQ(table(100),
            "  Tails of single runs          p1     p99   worst 5%\n"
            "  ETTR                   %   79.00   95.00      80.00\n");
  EXPECT_EQ(table(99, "ETTR"),
            "  Tails of single runs             p1   p99   worst 5%\n"
            "  ETTR                   ETTR, %    -     -      80.00\n"
            "  -: p1 and p99 need 100 replicas\n");
  EXPECT_EQ(table(19),
            "Tails of single runs: p1 and p99 need 100 replicas, the mean of the worst 5% needs 20.\n");
  EXPECT_EQ(table(4), "") << "the report says that these are too few for an interval";
}

TEST(MissedByFew, IsWhatSoManyRunsMissWith5Percent) {
  ScenarioFacts facts;
  facts.faults = {"gpu", "switch"};
  for (std::uint64_t runs = kFewestForInterval; runs < kFewestForP1; ++runs) {
    const std::string text = missed_by_few(facts, runs);
    const double one_in = std::stod(text.substr(text.find("one run in ") + 11));
    const auto missed = [&](double k) { return std::pow(1 - 1 / k, static_cast<double>(runs)); };
    EXPECT_LE(missed(one_in), 0.05) << text;
    EXPECT_GT(missed(one_in + 1), 0.05) << text;
  }
  EXPECT_EQ(missed_by_few(facts, 20),
            "20 runs may all miss what happens in one run in 7, and no interval here includes that");
  EXPECT_EQ(missed_by_few(facts, 100), "");
  EXPECT_EQ(missed_by_few(facts, 1), "");
  facts.replayed = facts.faults;
  EXPECT_EQ(missed_by_few(facts, 20), "") << "a trace strikes all runs alike";
}

TEST(TailsTable, SaysHowManyRunsGaveUp) {
  const auto row = [](std::uint64_t gave_up, std::uint64_t n = 200) {
    Summary of = sample_summary(2);
    for (NamedStatistics& metric : of.metrics) {
      if (metric.name != "wall_time_s") continue;
      metric.statistics = {};
      metric.statistics.n = n;
      metric.statistics.mean = 20 * 86'400.0;
      metric.statistics.sd = 3 * 86'400.0;
      metric.statistics.ci95 = Interval{19.9 * 86'400, 20.1 * 86'400};
      metric.statistics.gave_up = gave_up;
      if (n >= kFewestForP1) metric.statistics.p1 = 18 * 86'400.0;
    }
    return of;
  };
  std::vector<TailRow> rows;
  add_tails(rows, row(3), "wall_time_s", "A", "wall time");
  EXPECT_EQ(
      tails_table(rows),
      "  Tails of single runs                       p1   p99       worst 5%\n"
      "  A                      wall time, days   18.0   gave up   gave up\n"
      "  gave up: 3 of 200 runs. They never came to their end, so they count as worse than all others.\n");
  add_tails(rows, row(1), "wall_time_s", "B", "wall time");
  EXPECT_THAT(tails_table(rows),
              testing::HasSubstr("  gave up: A 3 of 200 runs, B 1 of 200 runs. They never"));
  std::vector<TailRow> few;
  add_tails(few, row(3, 50), "wall_time_s", "A", "wall time");
  EXPECT_THAT(tails_table(few), testing::ContainsRegex("  A +wall time, days +- +- +gave up\n"));
}

TEST(TailsTable, NeedsWhatTheRowWithTheFewestReplicasNeeds) {
  std::vector<TailRow> rows;
  add_tails(rows, with_ettr(200), "ettr", "A", "ETTR");
  add_tails(rows, with_ettr(30), "ettr", "B", "ETTR");
  EXPECT_THAT(tails_table(rows), testing::EndsWith("  -: p1 and p99 need 100 replicas\n"));
  add_tails(rows, with_ettr(10), "ettr", "C", "ETTR");
  EXPECT_THAT(tails_table(rows), testing::Not(testing::HasSubstr("  C ")));
  EXPECT_THAT(tails_table(rows), testing::EndsWith("the mean of the worst 5% needs 20\n"));
}

TEST(TailsTable, ShowsOneFigureWithTheSameDigits) {
  std::vector<TailRow> rows;
  add_tails(rows, with_ettr(200), "ettr", "A", "ETTR");
  Summary sure = with_ettr(200);
  for (NamedStatistics& metric : sure.metrics)
    if (metric.name == "ettr") metric.statistics.ci95 = Interval{0.89999, 0.90001};  // +- 0.001%
  add_tails(rows, sure, "ettr", "B", "ETTR");
  EXPECT_THAT(tails_table(rows),
              testing::HasSubstr("A                      ETTR, %   79.000   95.000     80.000"));
}

TEST(TailsTable, LeavesOutWhatDoesNotScatter) {
  std::vector<TailRow> rows;
  add_tails(rows, with_ettr(200), "no_such_metric", "none");
  Summary equal = with_ettr(200);
  for (NamedStatistics& metric : equal.metrics) metric.statistics.sd = 0;
  add_tails(rows, equal, "ettr", "ETTR");
  EXPECT_EQ(tails_table(rows), "");
}

}  // namespace
}  // namespace gauntlet
