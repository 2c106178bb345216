#include "commands/compare/answer.hpp"
#include "commands/compare/text.hpp"
#include "commands/compare/timeline.hpp"
#include "core/component.hpp"
#include "tests/study/store/sample_study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace gauntlet {
namespace {

using std::chrono::hours;
using testing::HasSubstr;
using testing::Not;

PairedDifference about(double difference, double half_width, double factor = 14) {
  return {.difference = difference,
          .se = half_width / 2,
          .ci95 = Interval{difference - half_width, difference + half_width},
          .variance_factor = factor};
}

LossDifference loss(std::string cause, std::optional<Phase> phase, double first, double difference,
                    double half_width) {
  return {.cause = std::move(cause),
          .phase = phase,
          .first = first,
          .second = first + difference,
          .of = about(difference, half_width)};
}

void sort_by_size(std::vector<LossDifference>& parts) {
  std::ranges::stable_sort(parts, std::greater<>(),
                           [](const LossDifference& part) { return std::abs(*part.of.difference); });
}

/// A comparison with these differences by cause and phase, in seconds, all of them certain.
CompareResult comparison_of(const std::vector<LossDifference>& parts) {
  Comparison of;
  of.because = parts;
  double all = 0;
  for (const LossDifference& part : parts) {
    all += *part.of.difference;
    const auto add = [&](std::vector<LossDifference>& groups, const std::string& cause,
                         std::optional<Phase> phase) {
      const auto same = [&](const LossDifference& group) {
        return group.cause == cause && group.phase == phase;
      };
      if (std::ranges::none_of(groups, same)) groups.push_back(loss(cause, phase, 0, 0, 60));
      LossDifference& group = *std::ranges::find_if(groups, same);
      group = loss(cause, phase, group.first + part.first, *group.of.difference + *part.of.difference, 60);
    };
    add(of.by_cause, part.cause, std::nullopt);
    add(of.by_phase, "", part.phase);
  }
  of.lost = loss("", std::nullopt, 100 * 3600, all, 0.3 * 3600);
  for (auto* groups : {&of.because, &of.by_cause, &of.by_phase}) sort_by_size(*groups);
  of.metrics = {{.name = "wall_time_s",
                 .in_first = true,
                 .in_second = true,
                 .first = 54 * 86400,
                 .second = 54 * 86400,
                 .of = {.difference = 0, .se = 0, .ci95 = Interval{0, 0}, .variance_factor = std::nullopt}}};
  CompareResult result;
  result.seed = 1;
  result.replicas = 200;
  for (const char* label : {"a.toml", "b.toml"}) {
    Summary summary = sample_summary(6);
    for (NamedStatistics& metric : summary.metrics)
      if (metric.name == "wall_time_s") metric.statistics.mean = 54 * 86400;
    result.scenarios.push_back({.label = label,
                                .command = std::string("gauntlet run ") + label,
                                .settings = {},
                                .summary = summary});
  }
  result.comparisons = {of};
  return result;
}

std::string answer(const CompareResult& result) { return answer_line(result, result.comparisons.at(0)); }

constexpr double kHour = 3600;

TEST(CompareReport, SaysWhatMakesTheDifference) {
  // 7.8 + 1.4 h; the second is half a percent of one cause more than 80% of a phase, so each phase has one name.
  const CompareResult result = comparison_of({loss("hang", Phase::undetected, 2 * kHour, 7.8 * kHour, 600),
                                              loss("crash", Phase::restarting, kHour, 1.4 * kHour, 600)});
  EXPECT_EQ(answer(result),
            "B (b.toml) loses 9.2 h +- 0.3 more than A (a.toml) in 54 days: 7.8 h of it in hang undetected.");
  const std::string report = text_report(result, {.command = "gauntlet compare a.toml b.toml"});
  EXPECT_THAT(report, HasSubstr("random numbers: 14x less variance of B - A than with independent runs."));
  EXPECT_THAT(report, HasSubstr("Reproduce with: gauntlet compare a.toml b.toml\n"));
}

TEST(CompareReport, SaysWhetherTheFaultsAreTheSame) {
  CompareResult result = comparison_of({loss("hang", Phase::undetected, 2 * kHour, kHour, 600)});
  const auto report = [&] { return text_report(result, {.command = "gauntlet compare a.toml b.toml"}); };
  EXPECT_THAT(report(), HasSubstr("200 replicas of each with the same faults (seed 1)"));
  ++result.scenarios.back().summary.facts.spares;
  EXPECT_THAT(report(), HasSubstr("with the same faults on the hosts that the job starts on (seed 1)"));
  ++result.scenarios.back().summary.facts.hosts;
  EXPECT_THAT(report(), Not(HasSubstr("the same faults")));
  EXPECT_THAT(report(), HasSubstr("200 replicas of each with faults of the same seed"));
}

TEST(CompareReport, NamesThePhaseWhereManyCausesShareIt) {
  const CompareResult result =
      comparison_of({loss("gpu", Phase::recomputing, kHour, -3 * kHour, 600),
                     loss("nic", Phase::recomputing, kHour, -2 * kHour, 600),
                     loss("host", Phase::recomputing, kHour, -1 * kHour, 600),
                     loss("disk", Phase::recomputing, kHour, -1 * kHour, 600),
                     loss("checkpoint", Phase::checkpoint_stall, kHour, 3 * kHour, 600)});
  // -7 + 3 = -4: no part of a whole, so each says its direction.
  EXPECT_EQ(answer(result),
            "B (b.toml) loses 4.0 h +- 0.3 less than A (a.toml) in 54 days: 7.0 h less in recomputing (gpu "
            "3.0, nic "
            "2.0, 2 more causes); 3.0 h more in checkpoint_stall.");
}

TEST(CompareReport, NamesTheCauseWhereItCostsInManyPhases) {
  const CompareResult result = comparison_of({loss("fire", Phase::recomputing, 0, 3 * kHour, 600),
                                              loss("fire", Phase::restarting, 0, 2 * kHour, 600),
                                              loss("fire", Phase::diagnosing, 0, 2 * kHour, 600)});
  EXPECT_THAT(answer(result),
              HasSubstr(": 7.0 h of it in fire (recomputing 3.0, restarting 2.0, 1 more phase)."));
}

TEST(CompareReport, ClaimsNoDifferenceThatIsNone) {
  CompareResult result = comparison_of({loss("hang", Phase::undetected, kHour, 0.1 * kHour, 600)});
  EXPECT_EQ(answer(result),
            "The difference of B (b.toml) and A (a.toml) is within chance: B loses 6.0 min +- 18.0 more in "
            "54 days.");
  result.replicas = 3;  // no interval
  result.comparisons[0].lost.of.ci95.reset();
  EXPECT_THAT(answer(result), HasSubstr("B (b.toml) loses 6.0 min more than A (a.toml) in 54 days"));
  EXPECT_THAT(answer(result), HasSubstr("; 3 replicas are too few for an interval."));
  result.comparisons[0].lost.of = {
      .difference = 0, .se = 0, .ci95 = Interval{0, 0}, .variance_factor = std::nullopt};
  EXPECT_EQ(answer(result), "B (b.toml) and A (a.toml) lose the same time in every replica in 54 days.");
}

TEST(CompareReport, OfTheSameWorkTellsWhatTookLonger) {
  CompareResult result = comparison_of({loss("hang", Phase::undetected, kHour, 20 * kHour, 600)});
  result.comparisons[0].basis = Basis::work;
  result.comparisons[0].metrics[0].of = about(20 * kHour, kHour);
  EXPECT_EQ(answer(result),
            "B (b.toml) takes 20.0 h +- 1.0 longer than A (a.toml) for the same work (54 days against 54 "
            "days): 20.0 h of it in hang undetected.");
  result.comparisons[0].basis = Basis::day;
  EXPECT_THAT(answer(result), HasSubstr("loses 20.0 h +- 0.3 more than A (a.toml) per day: "));
}

TEST(CompareReport, SaysTheCostWhereItDiffersAndWhichFiguresAreOfOneAlone) {
  CompareResult result = comparison_of({loss("hang", Phase::undetected, kHour, 9 * kHour, 600)});
  result.comparisons[0].metrics.push_back({.name = "cost",
                                           .in_first = true,
                                           .in_second = true,
                                           .first = 5e6,
                                           .second = 7e6,
                                           .of = about(2e6, 1e5)});
  result.comparisons[0].metrics.push_back({.name = "faults.fire",
                                           .in_first = false,
                                           .in_second = true,
                                           .first = 0,
                                           .second = 4,
                                           .of = about(4, 1)});
  result.comparisons[0].metrics.push_back(
      {.name = "asked", .in_first = true, .in_second = true, .first = 1, .second = 1.5, .of = about(0.5, 1)});
  const std::string report = text_report(result, {});
  EXPECT_THAT(report, HasSubstr("\nB costs 2.00 M USD +- 0.10 more.\n"));
  EXPECT_THAT(report, testing::ContainsRegex("faults.fire +- +4.0 +\\+4.0 +1.0 +14x\n"));
  EXPECT_THAT(report, HasSubstr("-: the scenario does not have this fault, which counts as 0."));
  EXPECT_THAT(report, Not(HasSubstr("asked")));
  EXPECT_THAT(report, HasSubstr("0 more are equal in every replica, 1 differ by no more than chance"));
}

// Dozens of figures are of single fault kinds: those whose losses differ most are told, the rest is counted.
TEST(CompareReport, TellsTheFiguresOfTheKindsThatMakeTheDifference) {
  std::vector<LossDifference> parts;
  for (int k = 0; k < 10; ++k)
    parts.push_back(loss("kind_" + std::to_string(k), Phase::undetected, 0, (k + 1) * kHour, 60));
  CompareResult result = comparison_of(parts);
  const auto add = [&](const std::string& name, const PairedDifference& of) {
    result.comparisons[0].metrics.push_back({.name = name,
                                             .in_first = true,
                                             .in_second = true,
                                             .first = 9,
                                             .second = 9 + *of.difference,
                                             .of = of});
  };
  for (int k = 0; k < 10; ++k) add("detection.by_kind.kind_" + std::to_string(k) + ".missed", about(5, 1));
  PairedDifference seldom = about(0.05, 0);
  seldom.ci95.reset();  // different in a few replicas only
  add("detection.by_kind.kind_9.met", seldom);
  add("faults.kind_9", seldom);
  const std::string report = text_report(result, {});
  EXPECT_THAT(report, HasSubstr("detection.by_kind.kind_9.missed"));
  EXPECT_LT(report.find("by_kind.kind_9."), report.find("by_kind.kind_8."));
  EXPECT_THAT(report, HasSubstr("detection.by_kind.kind_2.missed"));
  EXPECT_THAT(report, Not(HasSubstr("detection.by_kind.kind_1.missed")));
  EXPECT_THAT(report, Not(HasSubstr("kind_9.met")));
  EXPECT_THAT(report,
              HasSubstr("  2 more figures of single fault kinds differ; 0 more are equal in every replica, "
                        "2 differ by no more than chance (--json has them).\n"));
  result.replicas = 3;  // no interval at all: what differs is told
  EXPECT_THAT(text_report(result, {}), HasSubstr("kind_9.met"));
}

Incident incident(int hour, Duration undetected, Duration restarting) {
  Incident of;
  of.opened = kStart + hours(hour);
  of.component = {ComponentKind::gpu, 7};
  at(of.lost, Phase::undetected) = undetected;
  at(of.lost, Phase::restarting) = restarting;
  return of;
}

TEST(Timeline, NamesEveryKindOfComponent) {
  for (std::size_t kind = 0; kind < kComponentNames.size(); ++kind) {
    ShownReplica shown;
    Incident of = incident(26, hours(1), hours(0));
    of.component = {static_cast<ComponentKind>(kind), 7};
    shown.incidents.push_back({.cause = "fault", .first = of, .second = std::nullopt});
    at(shown.first.phases, Phase::undetected) = hours(1);
    const std::string name = kind == 0 ? "job" : std::string(kComponentNames[kind]) + " 7";
    EXPECT_THAT(timeline(shown, "A", "B"),
                testing::ContainsRegex("1d 02:00 +fault +" + name + " +60.0 -> -"));
  }
}

TEST(Timeline, TellsTheIncidentsThatDifferMostAndSumsUpTheRest) {
  using std::chrono::minutes;
  ShownReplica shown;
  // 25 incidents: number k lasts 10 + k minutes longer in the second. Five are left out: 10 + 11 + 12 + 13 + 14 = 60 min.
  for (int k = 24; k >= 0; --k) {
    shown.incidents.push_back({.cause = "hang",
                               .first = incident(26 + k, minutes(10), minutes(3)),
                               .second = incident(26 + k, minutes(20 + k), minutes(3))});
    at(shown.first.phases, Phase::undetected) += minutes(10);
    at(shown.second.phases, Phase::undetected) += minutes(20 + k);
    for (Figures* side : {&shown.first, &shown.second}) at(side->phases, Phase::restarting) += minutes(3);
  }
  shown.incidents.push_back(
      {.cause = "crash", .first = std::nullopt, .second = incident(60, hours(1), hours(1))});
  at(shown.second.phases, Phase::undetected) += hours(1);
  at(shown.second.phases, Phase::restarting) += hours(2);  // one of them outside of any incident
  const std::string text = timeline(shown, "A", "B");
  EXPECT_THAT(text, HasSubstr("Lost time by incident, h, A -> B\n"));
  EXPECT_THAT(text, testing::ContainsRegex("1d 08:00 +hang +gpu 7 +0.17 -> 0.43 +0.05 +0.22 -> 0.48\n"));
  EXPECT_THAT(text, Not(HasSubstr("1d 07:00"))) << "the least of those that are left out";
  EXPECT_THAT(text,
              testing::ContainsRegex("2d 12:00 +crash +gpu 7 +- -> 1.00 +- -> 1.00 +- -> 0.00 +- -> 2.00\n"));
  EXPECT_THAT(text, testing::ContainsRegex("6 more +incidents +1.00 -> 2.25 +0.30 +1.30 -> 2.55\n"));
  EXPECT_THAT(text, testing::ContainsRegex("outside +of incidents +0.00 -> 1.00 +0.00 -> 1.00\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 2 + 20 + 3 + 1);
}

}  // namespace
}  // namespace gauntlet
