#include "report/text.hpp"

#include "tests/study/store/sample_study.hpp"

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
            "sample: effective training time was 83.33% +- 0.05 of 60 min (ETTR; 95% interval, Monte Carlo "
            "only, 200 "
            "replicas).");
  const std::string report = text_report(with_interval(), {});
  EXPECT_EQ(report.substr(0, report.find('\n')), answer_line(with_interval()));
}

TEST(Report, ClaimsNoIntervalForOneReplica) {
  EXPECT_EQ(answer_line(sample_summary(1)),
            "sample: effective training time was 83.33% of 60 min (ETTR; one replica, so no interval).");
  Summary seventh = sample_summary(1);
  seventh.only = 7;
  EXPECT_EQ(answer_line(seventh),
            "sample: effective training time was 83.33% of 60 min (ETTR; replica 7 alone, so no interval).");
}

TEST(Report, HasNoColumnsForWhatTooFewReplicasCannotSay) {
  EXPECT_EQ(
      answer_line(sample_summary(4)),
      "sample: effective training time was 83.33% of 60 min (ETTR; 4 replicas, too few for an interval).");
  EXPECT_THAT(text_report(sample_summary(4), {}), HasSubstr("\nTraining                      mean\n"));
  EXPECT_THAT(text_report(sample_summary(1), {}), HasSubstr("\nTraining\n"));
  EXPECT_THAT(text_report(sample_summary(5), {}),
              HasSubstr("mean            (95%)      5% to 95% of runs\n"));
}

TEST(Report, SaysThatMoreReplicasWereAskedFor) {
  Summary cut = sample_summary(200);
  cut.interrupted = true;
  EXPECT_THAT(answer_line(cut), HasSubstr("Monte Carlo only, 200 replicas, interrupted)."));
}

// Of 200 runs, those that gave up.
Summary with_some_that_gave_up(double count) {
  Summary of = sample_summary(200);
  of.facts.give_up_after = std::chrono::hours(720);
  for (NamedStatistics& metric : of.metrics)
    if (metric.name == "gave_up") metric.statistics.mean = count / 200;
  return of;
}

TEST(Report, SaysOnItsSecondLineThatRunsGaveUp) {
  EXPECT_THAT(text_report(with_some_that_gave_up(119), {}),
              HasSubstr("200 replicas).\n119 of 200 runs gave up: no progress for 30 days, or in 10,000 "
                        "starts in a row.\n"));
  EXPECT_THAT(text_report(with_some_that_gave_up(0), {}), Not(HasSubstr("gave up")));
}

void set_mean(Summary& of, std::string_view name, double mean) {
  for (NamedStatistics& metric : of.metrics)
    if (metric.name == name) metric.statistics.mean = mean;
}

// 2,592,000 s = 30 days of each run that gave up are lost; what all lost beyond that may be in any phase, the largest too.
TEST(Report, SaysWhatRunsThatGaveUpWaitedForAsFarAsLossesProveIt) {
  const auto report = [](double gave_up, double waiting, double restarting, double gpu, double nic) {
    Summary of = with_some_that_gave_up(gave_up);
    set_mean(of, "lost_s.recomputing", 0);
    set_mean(of, "lost_s.waiting_for_spare", waiting);
    set_mean(of, "lost_s.restarting", restarting);
    for (const char* none : {"start", "unattributed"})
      set_mean(of, std::string("lost_s.by_cause.") + none, 0);
    set_mean(of, "lost_s.by_cause.gpu", gpu);
    set_mean(of, "wall_time_s", 2'592'000);
    set_mean(of, "lost_s.by_cause.nic", nic);
    return text_report(of, {});
  };
  // 200,000 s too much: (2,600,000 - 200,000) / 2,592,000 = 92.6%; (1,400,000 - 200,000) / 2,592,000 = 46% prove no cause.
  EXPECT_THAT(
      report(200, 2'600'000, 192'000, 1'400'000, 1'392'000),
      HasSubstr(
          "\n200 of 200 runs gave up: no progress for 30 days, or in 10,000 starts in a row.\nOf that time "
          "at least 92% went to "
          "`waiting_for_spare`: no spare host replaced an evicted one.\n"));
  EXPECT_THAT(report(200, 2'600'000, 192'000, 2'792'000, 0),
              HasSubstr("replaced an evicted one; all is\ncharged to `gpu`.\n"));
  // Half of them: 1,296,000 s a run. (1,300,000 - 104,000) / 1,296,000 = 92.3%.
  EXPECT_THAT(
      report(100, 100'000, 1'300'000, 1'300'000, 100'000),
      HasSubstr(
          "10,000 starts in a row.\nOf that time at least 92% went to `restarting`: no start succeeded; "
          "at least 92% is "
          "charged to\n`gpu`.\n"));
  // One of 200: 12,960 s a run, less than was lost by others in the same phase.
  EXPECT_THAT(
      report(1, 100'000, 50'000, 150'000, 0),
      HasSubstr(
          "1 of 200 runs gave up: no progress for 30 days, or in 10,000 starts in a row.\nTo see what one "
          "of them waited for, run it "
          "alone with --replica N."));
  Summary alone = sample_summary(1);
  set_mean(alone, "gave_up", 1);
  set_mean(alone, "wall_time_s", 90'000);
  EXPECT_THAT(text_report(alone, {}), HasSubstr("1 of 1 run gave up: no progress for 24 h, or in 10,000 "
                                                "starts in a row.\nWith --out DIR, the last incident in "
                                                "incidents.csv is what it waited for.\n"));
}

TEST(Report, RunsThatAreTooShortToHaveWaitedMadeTooManyStarts) {
  Summary of = with_some_that_gave_up(200);
  set_mean(of, "wall_time_s", 3'600);
  set_mean(of, "lost_s.recomputing", 0);
  set_mean(of, "lost_s.restarting", 900);
  EXPECT_THAT(text_report(of, {}), HasSubstr("gave up: no progress in 10,000 starts in a row.\n"));
  EXPECT_THAT(text_report(of, {}), HasSubstr("of the lost time went to `restarting`: no start succeeded."));
}

TEST(Report, SaysWhenTheWorkIsDone) {
  Summary of = sample_summary(200);
  of.facts.window = {};
  of.facts.steps = 3000;
  for (NamedStatistics& metric : of.metrics)
    if (metric.name == "wall_time_s") {
      metric.statistics.p50 = 3000;
      metric.statistics.p95 = 6000;
    }
  // Of 3,600 s gpu costs 350 s, nic 100 s and what nothing explains 50 s: 3,100 s = 51.7 min without them.
  EXPECT_THAT(text_report(of, {}),
              HasSubstr("\n3,000 steps finish in 60 min (without faults: 51.7 min); half of the "
                        "runs within 50 min, 95% within\n100 min.\n"));
  Summary some = with_some_that_gave_up(1);
  some.facts.window = {};
  some.facts.steps = 4000;
  EXPECT_THAT(text_report(some, {}), Not(HasSubstr("finish in"))) << "not all of them do";
  EXPECT_THAT(text_report(some, {}), HasSubstr("Completed work: 3,000 of 4,000 steps"));
}

TEST(Report, ARunThatEndedEarlyDidNotFinish) {
  Summary stopped = sample_summary(1);  // 3,000 steps
  stopped.facts.window = {};
  stopped.facts.steps = 3001;
  EXPECT_THAT(text_report(stopped, {}), Not(HasSubstr("finish in")));
  EXPECT_THAT(text_report(stopped, {}), HasSubstr("Completed work: 3,000 of 3,001 steps"));
}

TEST(Report, SaysWhatIsDoneInAWindow) {
  // 3,000 steps of 1e6 tokens, 3,000 s = 50 min effective.
  EXPECT_THAT(text_report(sample_summary(200), {}),
              HasSubstr("\nCompleted work: 3,000 steps, 3.00 G tokens, 50 min of effective training.\n"));
}

TEST(Report, BillsWhatIsLost) {
  // 160 USD, a sixth of it lost; 64 GPUs for 50 min are 53.33 effective GPU-hours.
  const std::string report = text_report(sample_summary(200), {});
  EXPECT_THAT(report, HasSubstr("  GPU-hours                   80.0"));
  EXPECT_THAT(report, HasSubstr("  cost of lost time           26.7 USD"));
  EXPECT_THAT(report, HasSubstr("  per effective GPU-hour      3.00 USD"));
  EXPECT_THAT(report, HasSubstr("  waited for a spare          0.00 %"));
  Summary small = sample_summary(200);
  for (NamedStatistics& metric : small.metrics)
    if (metric.name == "gpu_hours") metric.statistics.mean = 0.0234;
  EXPECT_THAT(text_report(small, {}), HasSubstr("  GPU-hours                  0.023"));
  for (NamedStatistics& metric : small.metrics)
    if (metric.name == "gpu_hours") metric.statistics.mean = 21299543;
  EXPECT_THAT(text_report(small, {}), HasSubstr("  GPU-hours             21,299,543"));
}

TEST(Report, HasNoAnswerWithoutTime) {
  EXPECT_EQ(answer_line(sample_summary(0)), "sample: no time has passed, so there is no answer.");
}

TEST(Report, SaysWhyTheNumberIsWhatItIs) {
  // Over 3 replicas 600 s are lost each: 499 s recomputing on average, 101 s restarting; gpu is charged 350 s.
  const std::string report = text_report(sample_summary(3), {});
  EXPECT_THAT(report, HasSubstr("\nA run loses 10 min: 83% of that in `recomputing`, 17% in `restarting`. "
                                "The largest cause is `gpu`:\n58%.\n"));
  EXPECT_THAT(
      report,
      HasSubstr(
          "Try next: `recomputing` loses the most time. Lose less at a stop:\n"
          "          --set policies.checkpoint=exact, or with `fixed` --set checkpoint.interval=...\n"));
}

TEST(Report, DoesNotAdviseAnIntervalWhereThePolicyComputesIt) {
  Summary computed = sample_summary(3);
  computed.facts.computes_interval = true;
  const std::string report = text_report(computed, {});
  EXPECT_THAT(report, Not(HasSubstr("--set policies.checkpoint")));
  EXPECT_THAT(report, Not(HasSubstr("checkpoint.interval")));
  EXPECT_THAT(report, HasSubstr("Save faster, so that the policy saves more often:\n"
                                "          --set storage.stall=...\n"));
  computed.facts.saves_behind_training = true;
  EXPECT_THAT(text_report(computed, {}),
              HasSubstr("Save faster, so that less is lost at a stop:\n"
                        "          --set storage.stall=... or --set storage.persist=...\n"));
  Summary stalled = sample_summary(3);
  for (NamedStatistics& metric : stalled.metrics)
    if (metric.name == "lost_s.checkpoint_stall") metric.statistics.mean = 2000;
  EXPECT_THAT(text_report(stalled, {}), HasSubstr("--set policies.checkpoint=fixed"));
  stalled.facts.computes_interval = true;
  EXPECT_THAT(text_report(stalled, {}), HasSubstr("Save faster:\n          --set storage.stall=...\n"));
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
  // Replica 0 of 3 has no failure: 3 x 3,600 s over 0 + 3.6 + 7.2 failures are 1,000 s, or 16.7 min.
  EXPECT_THAT(text_report(sample_summary(3), {}), HasSubstr("MTTF                        16.7 min"));
  EXPECT_THAT(text_report(sample_summary(3), {}), HasSubstr("in 2 of 3 replicas"));
  EXPECT_THAT(text_report(sample_summary(1), {}), HasSubstr("MTTF                     unknown"));
}

TEST(Report, ShowsAsManyDigitsAsTheIntervalNeeds) {
  // +- 0.04 min of 16.67 min: with one digit after the point the interval would read as zero.
  Summary of = sample_summary(3);
  for (NamedStatistics& metric : of.metrics)
    if (metric.name == "mttf_s") metric.statistics.ci95 = Interval{997.6, 1002.4};  // +- 2.4 s = 0.04 min
  EXPECT_THAT(text_report(of, {}), HasSubstr("MTTF                       16.67 min        +- 0.04"));
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
              HasSubstr("\nReproduce with: gauntlet run x.toml --seed 7\n"));
  EXPECT_THAT(text_report(sample_summary(3), {}), Not(HasSubstr("Reproduce with:")));
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
