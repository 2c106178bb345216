#include "report/text.hpp"

#include "tests/study/results/sample_study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace gauntlet {
namespace {

using testing::HasSubstr;
using testing::Not;

Summary with_interval() {
  Summary of = sample_summary(200);
  for (NamedStatistics& metric : of.metrics)
    if (metric.name == "ettr")
      metric.statistics.ci95 = Interval{0.8328, 0.8338};  // +- 0.05 points about 83.33
  return of;
}

TEST(Report, BeginsWithTheAnswerAndItsInterval) {
  // 3,000 of 3,600 s; an hour is shown in minutes up to two hours.
  EXPECT_EQ(answer_line(with_interval()),
            "sample: 83.33% +- 0.05 of 60 min trained the model (ETTR; 95% interval, Monte Carlo only, 200 "
            "replicas).");
  const std::string report = text_report(with_interval(), {});
  EXPECT_EQ(report.substr(0, report.find('\n')), answer_line(with_interval()));
}

TEST(Report, ClaimsNoIntervalForOneReplica) {
  EXPECT_EQ(answer_line(sample_summary(1)),
            "sample: 83.33% of 60 min trained the model (ETTR; one replica, so no interval).");
  Summary seventh = sample_summary(1);
  seventh.only = 7;
  EXPECT_EQ(answer_line(seventh),
            "sample: 83.33% of 60 min trained the model (ETTR; replica 7 alone, so no interval).");
}

TEST(Report, HasNoAnswerWithoutTime) {
  EXPECT_EQ(answer_line(sample_summary(0)), "sample: no time has passed, so there is no answer.");
}

TEST(Report, SaysWhyTheNumberIsWhatItIs) {
  // Over 3 replicas 600 s are lost each: 499 s recomputing on average, 101 s restarting; gpu is charged 350 s.
  const std::string report = text_report(sample_summary(3), {});
  EXPECT_THAT(report, HasSubstr("\nA run loses 10 min: 83% of that in `recomputing`, 17% in `restarting`. "
                                "The costliest cause is `gpu`\nwith 58%.\n"));
  EXPECT_THAT(report, HasSubstr("Next:  `recomputing` costs most. Lose less at a stop:\n"
                                "       --set checkpoint.interval=... or --set policies.checkpoint=young\n"));
}

TEST(Report, ListsLossesMostFirstAndLeavesOutWhatCostNothing) {
  const std::string report = text_report(sample_summary(3), {});
  const auto at = [&](const char* line) {
    const std::size_t found = report.find(line);
    EXPECT_NE(found, std::string::npos) << line;
    return found;
  };
  // In minutes, as the largest is under two hours: 499 s of 3,600 s; the longest bar has
  // 24 marks, and 24 * 101 / 499 = 4.86 are 5.
  EXPECT_LT(at("  recomputing                       8.3   13.86%  ########################"),
            at("  restarting                        1.7    2.81%  #####\n"));
  EXPECT_LT(at("  gpu                               5.8    9.72%  ########################         3.0"),
            at("  nic                               1.7    2.78%  #######                          0.0"));
  EXPECT_THAT(report, Not(HasSubstr("  waiting_for_spare  ")));
  EXPECT_THAT(report, Not(HasSubstr("  false_alarm  ")));
}

TEST(Report, SaysWhichReplicasAFigureIsOf) {
  // Replica 0 of 3 has no failure, so the mean time to failure is that of two: (1,000 s + 500 s) / 2 = 12.5 min.
  EXPECT_THAT(text_report(sample_summary(3), {}), HasSubstr("MTTF                        12.5 min"));
  EXPECT_THAT(text_report(sample_summary(3), {}), HasSubstr("in 2 of 3 replicas"));
  EXPECT_THAT(text_report(sample_summary(1), {}), HasSubstr("MTTF                     unknown"));
}

TEST(Report, ShowsAsManyDigitsAsTheIntervalNeeds) {
  // +- 0.04 min of 12.5 min: with one digit after the point the interval would read as zero.
  Summary of = sample_summary(3);
  for (NamedStatistics& metric : of.metrics)
    if (metric.name == "mttf_s") metric.statistics.ci95 = Interval{747.6, 752.4};  // +- 2.4 s = 0.04 min
  EXPECT_THAT(text_report(of, {}), HasSubstr("MTTF                       12.50 min        +- 0.04"));
}

TEST(Report, CallsNothingUncertainThatIsAlwaysTheSame) {
  Summary of = sample_summary(3);
  for (NamedStatistics& metric : of.metrics)
    if (metric.name == "wall_time_s") {
      metric.statistics.sd = 0;
      metric.statistics.ci95 = Interval{3600, 3600};
      metric.statistics.p5 = metric.statistics.p95 = 3600;
    }
  EXPECT_THAT(text_report(of, {}), HasSubstr("  wall time                   60.0 min\n"));
}

TEST(Report, SaysHowToRepeatIt) {
  EXPECT_THAT(text_report(sample_summary(3), {.command = "gauntlet run x.toml --seed 7"}),
              HasSubstr("\nAgain: gauntlet run x.toml --seed 7\n"));
  EXPECT_THAT(text_report(sample_summary(3), {}), Not(HasSubstr("Again:")));
}

TEST(Report, IsPlainAndNarrowUnlessAskedForColour) {
  Summary wordy = with_interval();
  wordy.facts.question = std::string(30, 'q') + " " + std::string(60, 'r') + " " + std::string(30, 's');
  const std::string report = text_report(wordy, {});
  EXPECT_EQ(report.find('\x1b'), std::string::npos);
  std::istringstream lines(report);
  std::getline(lines, wordy.facts.name);  // the answer is one line, whatever the scenario's name
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100U) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
  }
  EXPECT_NE(text_report(wordy, {.command = "", .colour = Colour::always}).find("\x1b[1m"), std::string::npos);
}

}  // namespace
}  // namespace gauntlet
