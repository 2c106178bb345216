#include "report/detection_table.hpp"

#include "report/text.hpp"
#include "tests/study/store/sample_study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace gauntlet {
namespace {

using testing::HasSubstr;
using testing::Not;

/// `kinds` kinds that met the job; the k-th cost k minutes, k + 1 of it were detected and the rest of 100 missed.
Summary with_many_kinds(std::uint32_t kinds) {
  Summary of;
  of.replicas = 10;
  for (std::uint32_t k = 0; k < kinds; ++k) {
    of.facts.faults.push_back("kind_" + std::to_string(k));
    const std::string prefix = "detection.by_kind." + of.facts.faults.back() + ".";
    const auto add = [&](const std::string& name, double mean) {
      NamedStatistics& metric = of.metrics.emplace_back();
      metric.name = name;
      metric.statistics.mean = mean;
    };
    add("lost_s.by_cause." + of.facts.faults.back(), 60 * k);
    add(prefix + "met", 100);
    add(prefix + "detected", k + 1);
    add(prefix + "missed", 99 - k);
    add(prefix + "latency_p50_s", 20);
    add(prefix + "latency_p95_s", 90);
    add(prefix + "missed_cost_s", 30);
    add(prefix + "handled_share", 0.925);
    add(prefix + "evictions_wrong", 0.01);
  }
  return of;
}

TEST(DetectionTable, SaysWhatBecameOfTheFaultsOfAKind) {
  EXPECT_EQ(
      detection_table(with_many_kinds(1)),
      "                         reached                 p50       p95  handled           cost of      wrong\n"
      "  by fault kind              job  detected   latency   latency     auto  missed    missed  evictions\n"
      "  kind_0                   100.0       1.0      20 s      90 s    92.5%    99.0      30 s       0.01\n"
      "  reached job: the fault struck a host of the job, or came with a host that joined the job.\n"
      "  A fault that is neither detected nor missed did no harm.\n");
}

TEST(DetectionTable, ListsTheCostliestFirstAndSumsUpTheRest) {
  const std::string table = detection_table(with_many_kinds(13));
  EXPECT_LT(table.find("  kind_12 "), table.find("  kind_11 "));
  EXPECT_THAT(table, HasSubstr("  kind_3 "));
  EXPECT_THAT(table, Not(HasSubstr("  kind_2 ")));
  // 3 kinds: 1 + 2 + 3 of 300 were detected, 3 x 30 s lost.
  EXPECT_THAT(
      table,
      HasSubstr(
          "  3 more                   300.0       6.0         -         -        -   294.0      90 s       "
          "0.03\n"));
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(DetectionTable, LeavesOutWhatNeverMetTheJob) {
  const std::string table = detection_table(sample_summary(3));
  EXPECT_THAT(table, HasSubstr("  gpu  "));
  EXPECT_THAT(table, Not(HasSubstr("  nic  ")));
  EXPECT_EQ(detection_table(sample_summary(0)), "");
}

TEST(Report, SaysWhatWasHandledWithoutAPerson) {
  const std::string report = text_report(sample_summary(3), {});
  EXPECT_THAT(report, HasSubstr("  handled automatically      50.00 %"));
  EXPECT_THAT(report, HasSubstr("  detection + diagnosis       30.0 s"));
  EXPECT_THAT(report, HasSubstr("cost 25 s\n"));  // wrong evictions
  EXPECT_THAT(report, HasSubstr("cost 40 s\n"));  // missed faults
  EXPECT_THAT(report, HasSubstr("Detection per run, by fault kind\n"));
}

}  // namespace
}  // namespace gauntlet
