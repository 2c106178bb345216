#include "commands/tune/page.hpp"
#include "commands/tune/text.hpp"
#include "tests/report/page/charts_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gauntlet {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TunedPoint point(const std::string& value, double seconds, double ettr, std::optional<double> worse) {
  TunedPoint of;
  of.values = {value};
  of.numbers = {seconds};
  of.replicas = 64;
  of.objective = {.n = 64,
                  .mean = ettr,
                  .sd = 0.002,
                  .se = 0.0002,
                  .ci95 = Interval{ettr - 0.0004, ettr + 0.0004},
                  .p1 = {},
                  .p5 = {},
                  .p50 = {},
                  .p95 = {},
                  .p99 = {},
                  .worst_5_mean = {}};
  if (worse)
    of.worse = PairedDifference{.difference = *worse,
                                .se = 0.0001,
                                .ci95 = Interval{*worse - 0.0002, *worse + 0.0002},
                                .variance_factor = {}};
  return of;
}

/// 53min is the best, today's 30min loses 0.6 percentage points more, 1min ten times the lost 4%; 10s is refused.
TuneResult one_field() {
  TuneResult result;
  result.scenario = "one-fault";
  result.question = "How often?";
  result.version = "0.1.0";
  result.seed = 1;
  result.metric = "ettr";
  result.points = {point("30min", 1800, 0.954, 0.006), point("1min", 60, 0.56, 0.4),
                   point("53min", 3180, 0.96, {}), point("54min", 3240, 0.96, 0.00001),
                   point("10s", 10, 0, {})};
  result.points[0].name = "today";
  result.points[2].name = "best";
  result.points[2].formulas = {"exact"};
  result.points[4].refused = true;
  result.points[4].replicas = 0;
  result.points[4].objective = {};
  TunedField field;
  field.path = "checkpoint.interval";
  field.kind = FieldKind::duration;
  field.range = {.low = "10s", .high = "8h"};
  field.today = "30min";
  field.best = "53min";
  field.interval = ValueSpan{.low = "51min", .high = "55min"};
  field.flat = {.low = "45min", .high = "1h2min"};
  field.cliff_below = "10s";
  field.curve = {4, 1, 0, 2, 3};
  field.lowest = 2;
  for (const std::size_t i : field.curve) field.worse.push_back(result.points[i].worse);
  result.fields = {field};
  result.best = 2;
  result.scale = 0.04;
  result.regret = 0.002;
  result.analytic = {{.name = "exact", .value = "53min", .point = 2, .excess = 0.0, .regret = 0.003}};
  result.mtbf_s = 86400;
  result.checkpoint_cost_s = 60;
  result.replicas = 256;
  result.window_points = 7;
  result.window_replicas = 64;
  result.refusal = "--over: checkpoint.interval = 10s is too short";
  return result;
}

/// The report without its line breaks.
std::string flowing(const TuneResult& result) {
  std::string text = text_report(result, {.command = "gauntlet tune one-fault"});
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

TEST(TuneReport, AnswersFirstAndSaysHowFlatItIsAndWhatTheFormulasLose) {
  const TuneResult result = one_field();
  const std::string text = text_report(result, {.command = "gauntlet tune one-fault"});
  EXPECT_THAT(text,
              StartsWith("checkpoint.interval = 53min (95% interval 51min to 55min) gives the highest ETTR, "
                         "96.00% +- 0.04 (Monte Carlo only).\n5 points, "));
  EXPECT_THAT(text, testing::EndsWith("\nReproduce with: gauntlet tune one-fault\n"));
  const std::string all = flowing(result);
  EXPECT_THAT(all, HasSubstr("With 95% confidence no point saves more than 0.20% of the lost time."));
  TuneResult flat = result;
  flat.regret = 4e-5;
  EXPECT_THAT(flowing(flat),
              HasSubstr("With 95% confidence every other point saves less than 0.01% of the lost time."));
  EXPECT_THAT(
      all,
      HasSubstr("checkpoint.interval from 45min to 1h2min adds at most 1% to the lost time "
                "of 53min, the lowest value of the curve that is fitted through the rows. 10s is refused."));
  EXPECT_THAT(all, HasSubstr("Today's 30min costs more than 53min by 15% of the lost time: 0.60 percentage "
                             "points +- 0.02 of ETTR."));
  EXPECT_THAT(
      all,
      HasSubstr(
          "The worst checkpoint.interval tried, 1min, costs more than 53min by 10.0 times the lost time."));
  EXPECT_THAT(
      all,
      HasSubstr(
          "for one failure per 24 h and 60 s per checkpoint (in brackets the extra, as a share of the lost "
          "time; an upper bound with 95% confidence): exact 53min (0.30%)."));
  EXPECT_THAT(
      all, HasSubstr("1 point was refused, the first with: --over: checkpoint.interval = 10s is too short"));
  EXPECT_THAT(text, testing::ContainsRegex("30min +64 +95.40 +0.04 +15.0 +0.5 +today\n"));
  EXPECT_THAT(text, testing::ContainsRegex("10s +- +- +- +- +- +refused\n"));
}

TEST(TuneReport, NamesNoPointOfAMetricWithoutValues) {
  TuneResult result = one_field();
  ASSERT_TRUE(result.has_value());
  result.metric = "detection_latency_p95_s";
  result.points[*result.best].objective = {};
  EXPECT_TRUE(result.has_value()) << "other points have one";
  EXPECT_THAT(flowing(result), HasSubstr("of which none of its runs has a value"));
  for (TunedPoint& point : result.points) point.objective = {};
  EXPECT_FALSE(result.has_value());
  EXPECT_THAT(
      flowing(result),
      StartsWith("No run has a value of detection_latency_p95_s, so no point is better than another."));
  EXPECT_THAT(flowing(result), Not(HasSubstr("Flat range")));
}

TEST(TuneReport, SaysWhichBoundIsMissedAndByHowMuch) {
  TuneResult result = one_field();
  result.bounds = {
      {.text = "wall_time_s.p95<60d",
       .metric = "wall_time_s",
       .statistic = "p95",
       .upper = true,
       .limit = 60 * 86400},
      {.text = "gave_up<1%", .metric = "gave_up", .statistic = "mean", .upper = true, .limit = 0.01}};
  result.points[2].figures = {61.5 * 86400, 0.0};
  result.points[2].meets = false;
  result.meets = false;
  EXPECT_EQ(
      answer_line(result),
      "No point that was tried meets wall_time_s.p95<60d: at the nearest one, checkpoint.interval = 53min, "
      "wall_time_s.p95<60d is missed by 1.5 days (61.5 days).");
  result.points[2].figures[0] = 58.0 * 86400;
  result.meets = true;
  EXPECT_THAT(answer_line(result), StartsWith("checkpoint.interval = 53min"));
  EXPECT_THAT(
      flowing(result),
      HasSubstr("Bounds: wall_time_s.p95<60d is met by 2.0 days (58.0 days); gave_up<1% is met by 1.00 "
                "percentage points (0.00%)."));
}

TEST(TuneReport, ClaimsNothingThatItDoesNotKnow) {
  TuneResult nothing = one_field();
  nothing.best.reset();
  EXPECT_EQ(text_report(nothing, {}), "one-fault: no point has run, so there is no answer.\n");

  TuneResult short_of = one_field();
  short_of.end = TuneResult::End::budget;
  short_of.regret.reset();
  short_of.fields[0].interval.reset();
  EXPECT_THAT(answer_line(short_of), HasSubstr("53min (too few replicas for an interval) gives"));
  EXPECT_THAT(answer_line(short_of), HasSubstr("(Monte Carlo only, budget spent)."));
  short_of.end = TuneResult::End::settled;
  EXPECT_THAT(answer_line(short_of), HasSubstr("53min (flat from "));
  short_of.end = TuneResult::End::budget;
  EXPECT_THAT(flowing(short_of), HasSubstr("--budget allows more replicas."));

  TuneResult same = one_field();
  same.best = same.today;
  same.fields[0].matters = false;
  EXPECT_EQ(
      answer_line(same),
      "checkpoint.interval makes no difference to ETTR beyond chance: it stays at 30min, with 95.40% +- "
      "0.04 (Monte Carlo only).");
  EXPECT_THAT(flowing(same), Not(HasSubstr("formulas")));

  TuneResult refused = one_field();
  refused.best = refused.today;
  for (const std::size_t i : {1U, 2U, 3U}) refused.points[i].replicas = 0;
  EXPECT_EQ(answer_line(refused),
            "Nothing but today's checkpoint.interval = 30min can run: --over: checkpoint.interval = 10s is "
            "too short");
}

TEST(TuneReport, NamesNoWinnerThatIsNotToldApart) {
  TuneResult result = one_field();
  result.regret = 0.1;
  result.end = TuneResult::End::budget;
  result.fields[0].alike = ValueSpan{.low = "30min", .high = "54min"};
  EXPECT_EQ(answer_line(result),
            "checkpoint.interval = 53min (30min to 54min are not told apart) gives the highest ETTR of those "
            "tried, 96.00% +- 0.04 (Monte Carlo only, budget spent).");
  EXPECT_THAT(flowing(result), HasSubstr("The flat range around checkpoint.interval = 53min is not known: "
                                         "no value tried from 30min to 54min is worse than it by more"));
  EXPECT_THAT(flowing(result), Not(HasSubstr("adds at most 1%")));
}

TEST(TuneReport, SaysOfRowsThatAreComparedTogetherHowTheyAreToldApart) {
  TuneResult result = one_field();
  result.regret = 0.1;
  result.fields[0].alike = ValueSpan{.low = "1min", .high = "54min"};
  result.fields[0].not_alike = {"30min"};
  result.fields[0].joint = true;
  EXPECT_THAT(answer_line(result), HasSubstr("53min (1min to 54min, but not 30min, are not told apart)"));
  EXPECT_THAT(flowing(result),
              HasSubstr("no value tried from 1min to 54min, but not 30min, is worse than it"));
  EXPECT_THAT(text_report(result, {}),
              HasSubstr("  +- of the extra: 95% confidence in all rows of the table together."));
}

TEST(TuneReport, SaysNothingOfValuesThatHaveNotRun) {
  TuneResult result = one_field();
  for (const std::size_t i : {0U, 1U, 3U}) result.points[i].replicas = 0;
  result.points[0].name = "";
  result.today = 2;
  result.end = TuneResult::End::budget;
  result.fields[0].curve = {1, 2, 3};
  result.fields[0].worse.resize(3);
  result.fields.push_back(one_field().fields[0]);
  result.fields[1].path = "other";
  for (TunedPoint& point : result.points) {
    point.values.push_back(point.values[0]);
    point.numbers.push_back(point.numbers[0]);
  }
  result.points[0].replicas = 8;
  EXPECT_THAT(answer_line(result), StartsWith("checkpoint.interval = 53min (no other value has run), "));
  EXPECT_THAT(flowing(result),
              HasSubstr("Nothing is known of other values of checkpoint.interval: none has run "
                        "beside 53min."));
  EXPECT_THAT(flowing(result), Not(HasSubstr("Flat range: checkpoint.interval")));
}

TEST(TuneReport, SaysWhatTheNextStepNeedsWhereTheBudgetIsNotSpent) {
  TuneResult result = one_field();
  result.end = TuneResult::End::budget;
  result.budget = 1000;
  result.lacked = 800;
  EXPECT_THAT(answer_line(result), HasSubstr("(Monte Carlo only, budget too small)."));
  EXPECT_THAT(flowing(result),
              HasSubstr("its next step needs 800 replicas, those for the tables below included, "
                        "and 744 of the budget's 1,000 are left."));
  EXPECT_THAT(flowing(result), Not(HasSubstr("budget was spent")));
  result.budget = 260;
  EXPECT_THAT(flowing(result),
              HasSubstr("The budget was spent before the search was as precise as it aims for"));
}

TEST(TuneReport, CountsNoSavingOfRunsThatGaveUp) {
  TuneResult result = one_field();
  result.points[1].worse->difference = -0.3;
  result.points[1].gave_up = 1;
  result.points[1].gives_up_more = true;
  const std::string text = text_report(result, {});
  EXPECT_THAT(text, testing::ContainsRegex("1min +64 +56.00 +0.04 +- +- +100% gave up\n"));
  EXPECT_THAT(text, HasSubstr("\n  gave up: such runs never finish, so what they did not spend is not a "
                              "saving\n"));
}

TEST(TuneReport, NamesTheReferenceAndExplainsARowThatLostLess) {
  const TuneResult plain = one_field();
  EXPECT_THAT(text_report(plain, {}),
              testing::ContainsRegex("53min +64 +96.00 +0.04 +- +- +best, exact, reference\n"));
  EXPECT_THAT(
      text_report(plain, {}),
      HasSubstr("\n  extra: what this row loses more than the reference in the same replicas, as a share of "
                "the lost time\n  reference: the lowest value of the curve"));
  EXPECT_THAT(text_report(plain, {}), Not(HasSubstr("below 0:")));

  TuneResult below = one_field();
  below.fields[0].worse[2] = below.points[0].worse = PairedDifference{
      .difference = -0.0004, .se = 0.0003, .ci95 = Interval{-0.001, 0.0002}, .variance_factor = {}};
  EXPECT_THAT(text_report(below, {}), testing::ContainsRegex("30min +64 +95.40 +0.04 +-1.0 +1.5 +today\n"));
  EXPECT_THAT(text_report(below, {}),
              HasSubstr("\n  below 0: this row lost less than the reference in these replicas"));
  EXPECT_THAT(flowing(below),
              HasSubstr("Today's 30min costs less than 53min by 1.0% of the lost time: 0.04 percentage "
                        "points +- 0.06 of ETTR, as much as chance explains."));

  EXPECT_THAT(answer_line(below), HasSubstr("gives the highest ETTR by the fitted curve, 96.00% +- 0.04"));

  TuneResult unsure = one_field();
  unsure.regret = 0.1;
  EXPECT_THAT(text_report(unsure, {}),
              HasSubstr("\n  reference: the row that lost least when the search ended\n"));
}

TEST(TuneReport, DrawsTheCurveOfEachFieldWithTheBestMarked) {
  const std::vector<LineChart> lines =
      charts_of<LineChart>(page_of(one_field(), {.command = "gauntlet tune one-fault"}));
  ASSERT_EQ(lines.size(), 1U);
  const LineChart& chart = lines[0];
  ASSERT_EQ(chart.series.at(0).points.size(), 4U) << "what was refused has no point";
  EXPECT_EQ(chart.series[0].points.front().x, 60);
  EXPECT_EQ(chart.series[0].points.back().x_text, "54min");
  ASSERT_EQ(chart.marks.size(), 2U);
  EXPECT_EQ(chart.marks[1].text, "best, exact: 53min");
  EXPECT_EQ(chart.y.unit, ChartUnit::percent);
}

TEST(TuneReport, FormulasAreMarkedOnTheIntervalsAxisAlone) {
  TuneResult result = one_field();
  result.fields[0].path = "detection.collective_timeout";
  EXPECT_EQ(charts_of<LineChart>(page_of(result, {})).at(0).marks.at(1).text, "best: 53min");
  EXPECT_THAT(text_report(result, {}),
              testing::ContainsRegex("53min +64 +96.00 +0.04 +- +- +best, reference\n"));
}

/// From 2min to 40min it is the same: no optimum is named, but a range and a value of it.
TEST(TuneReport, OnAPlateauItStatesTheRangeAndNoOptimum) {
  TuneResult result = one_field();
  TunedField& field = result.fields[0];
  field.plateau = true;
  field.interval.reset();
  field.flat = {.low = "2min", .high = "40min"};
  field.best = field.today = "30min";
  result.best = result.today;
  result.points[0].name = "today, best";
  EXPECT_EQ(
      answer_line(result),
      "checkpoint.interval = 30min (today's value; flat from 2min to 40min): ETTR 95.40% +- 0.04, which no "
      "value in that range changes by more than 1% of the lost time (Monte Carlo only).");
  EXPECT_THAT(flowing(result),
              HasSubstr("checkpoint.interval from 2min to 40min adds at most 1% to the lost time "
                        "of 53min, the lowest value of the curve that is fitted through the rows. "
                        "Today's 30min lies in that range, so nothing speaks for a change."));
  EXPECT_THAT(to_json(result), HasSubstr("\"plateau\": true"));
  field.today = "2h";
  EXPECT_EQ(answer_line(result).substr(0, 60),
            "checkpoint.interval = 30min (flat from 2min to 40min): ETTR ");
  EXPECT_THAT(flowing(result),
              HasSubstr("30min is the middle of that range on a logarithmic axis, as today's 2h lies "
                        "outside of it."));
}

}  // namespace
}  // namespace gauntlet
