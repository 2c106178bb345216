#include "commands/plan/page.hpp"
#include "commands/plan/text.hpp"
#include "commands/plan/words.hpp"
#include "tests/report/page/charts_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace gauntlet {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kSecondsOfDay = 86'400;

/// Percentiles on a line from the median - `spread` days at 5% to the median + `spread` days at 95%.
FinishTimes around(double median, double spread) {
  FinishTimes of;
  for (int percent = 1; percent < 100; ++percent)
    of.percentiles.push_back((median + spread * (percent - 50) / 45) * kSecondsOfDay);
  of.runs = 200;
  of.worst_5_mean = (median + spread * 47.5 / 45) * kSecondsOfDay;
  return of;
}

PlanOutcome outcome(std::uint64_t gpus, std::uint32_t spares, std::uint32_t hits, double days) {
  PlanOutcome of;
  of.size = {.gpus = gpus,
             .replicas = static_cast<std::uint32_t>(gpus / 128),
             .hosts = static_cast<std::uint32_t>(gpus / 8),
             .spares = spares,
             .global_batch = 2048,
             .steps = 500'000,
             .crew = 0,
             .storage_write = "2TB/s"};
  of.by_date = {.hits = hits, .runs = 200, .ci95 = Interval{0.936, 0.989}};
  of.finish = around(days, 1);
  of.cost.n = 200;
  of.cost.mean = 55.36e6;
  of.cost.ci95 = Interval{55.32e6, 55.40e6};
  return of;
}

PlanResult sample() {
  PlanResult result;
  result.facts.name = "mine";
  result.facts.seed = 3;
  result.facts.gpu_hour = {2};
  result.tokens = 11e12;
  result.finish_by_s = 60 * kSecondsOfDay;
  result.confidence = 0.95;
  result.percents = {5, 50, 80, 90, 95};
  result.replicas = 200;
  result.as_given = outcome(16'384, 32, 194, 57.4);
  result.enough = outcome(15'232, 11, 191, 58.5);
  const auto about = [](double by, double error) { return Change{by, Interval{by - error, by + error}}; };
  result.one_more = {
      {"1 more spare host", about(-3600, 360), about(0.01, 0.02), about(0, 0), about(2.5e4, 100)}};
  result.tornado = {"finish.p50",
                    200,
                    {{"repair.time.median", "4h", "16h", about(-7200, 600), about(14'400, 700)},
                     {"faults.nic.rate.count", "3.63", "12.5", about(-600, 60), about(600, 60)}}};
  return result;
}

Uncertainty unknown(double share) {
  Uncertainty of;
  of.draws = 200;
  of.replicas_each = 8;
  of.share_by_date = share;
  of.share_ci95 = Interval{share - 0.02, share + 0.02};
  of.finish = around(57, 4);
  return of;
}

std::string text_of(const PlanResult& result) {
  return text_report(result, {.command = "gauntlet plan mine", .colour = Colour::never});
}

TEST(PlanText, RanksTheLeversOfThePlanAsGiven) {
  EXPECT_THAT(text_of(sample()), Not(HasSubstr("Ranking of levers")));
  PlanResult result = sample();
  RankedLever lever;
  lever.path = "repair.time";
  lever.change = "8h to 4h";
  lever.gains.time_s = {.by = 7200, .ci95 = Interval{6480, 7920}};
  lever.gains.goodput = {.by = 0.02, .ci95 = Interval{0.018, 0.022}};
  lever.effect = LeverEffect::gain;
  result.levers.levers = {lever};
  result.levers.replicas = result.levers.most_replicas = 100;
  result.levers.claimed = result.levers.certain = 1;
  const std::string text = text_of(result);
  EXPECT_THAT(text, HasSubstr("Ranking of levers, as given"));
  EXPECT_THAT(text, HasSubstr("`repair.time` (8h to 4h) gains the most: it saves 2.0 h +- 0.2 per run"));
  EXPECT_THAT(text, HasSubstr("repair.time   8h to 4h"));
  EXPECT_THAT(text, HasSubstr("+2.0 +- 0.2"));
  EXPECT_THAT(text, HasSubstr("Only `repair.time` (8h to 4h) gains for certain (95%)."));
  EXPECT_THAT(to_json(result), HasSubstr("\"path\": \"repair.time\""));
}

TEST(PlanText, FirstLineIsTheAnswerWithItsKind) {
  EXPECT_EQ(
      answer_line(sample()),
      "As given (16,384 GPUs and 32 spare hosts), 97.0% (93.6 to 98.9) of runs finish 11T tokens within 60 "
      "days (95% interval, Monte Carlo only); the requirement is 95%. 15,232 GPUs and 11 spare hosts would "
      "probably be "
      "enough: 95.5% (93.6 to 98.9).");
  PlanResult sure = sample();
  sure.enough->by_date.ci95->low = 0.951;
  EXPECT_THAT(answer_line(sure), HasSubstr("15,232 GPUs and 11 spare hosts would be enough: "));
}

TEST(PlanText, SoFewRunsThatTheyCannotShowTheShareDoNotSayThatItIsEnough) {
  PlanResult result = sample();
  result.confidence = 0.999;
  result.too_few = true;
  EXPECT_THAT(
      answer_line(result),
      HasSubstr("Whether 15,232 GPUs and 11 spare hosts are enough is not known: 95.5% (93.6 to 98.9); "));
  EXPECT_THAT(answer_line(result),
              HasSubstr("are too few to show 99.9%. Run the plan again with --replicas 10000."));
  EXPECT_THAT(answer_line(result), Not(HasSubstr("would")));
  EXPECT_THAT(to_json(result), HasSubstr("\"too_few_runs\": true"));
  result.confidence = 0.9;
  EXPECT_THAT(answer_line(result), HasSubstr("--replicas 100."));
  result.enough_uncertainty = unknown(0.96);
  EXPECT_THAT(answer_line(result), HasSubstr("200 draws of the parameters are too few to show 90%."));
  EXPECT_THAT(answer_line(result), Not(HasSubstr("--replicas")));
}

TEST(PlanText, WithParameterUncertaintyTheFirstLineIsOfThat) {
  PlanResult result = sample();
  result.uncertainty = unknown(0.91);
  result.enough_uncertainty = unknown(0.96);
  EXPECT_EQ(
      answer_line(result),
      "As given (16,384 GPUs and 32 spare hosts), 91.0% (89.0 to 93.0) of runs finish 11T tokens within 60 "
      "days (with parameter uncertainty; 95% interval of that share over draws and runs); the requirement is "
      "95%. "
      "15,232 GPUs and 11 spare hosts would probably be enough: 96.0% (94.0 to 98.0).");
  EXPECT_THAT(text_of(result),
              HasSubstr("With what is enough, 96.0% (94.0 to 98.0) of runs are done by 60 days"));
  EXPECT_THAT(text_of(result), Not(HasSubstr("run the plan again with more --replicas")));
  result.enough_uncertainty = unknown(0.93);
  EXPECT_THAT(text_of(result), HasSubstr("run the plan again with more --replicas"));
  EXPECT_TRUE(result.misses());
  EXPECT_THAT(answer_line(result),
              HasSubstr("The nearest that was found, 15,232 GPUs and 11 spare hosts, misses it in these "
                        "runs: 93.0% (91.0 to 95.0)."));
  EXPECT_THAT(answer_line(result), Not(HasSubstr("be enough")));
}

/// The first line and the table say one share, not that of two computations.
TEST(PlanText, WithParameterUncertaintyTheTableSaysWhatTheFirstLineSays) {
  PlanResult result = sample();
  result.uncertainty = unknown(0.826);
  result.enough_uncertainty = unknown(0.96);
  UncertainMetric& cost = result.uncertainty->metrics.emplace_back();
  cost.name = "cost";
  cost.known.mean = 55.4e6;
  cost.mean = 56.1e6;
  cost.ci95 = Interval{54.1e6, 58.1e6};
  const std::string text = text_of(result);
  EXPECT_THAT(answer_line(result), HasSubstr("82.6% (80.6 to 84.6) of runs finish"));
  EXPECT_THAT(
      text, testing::ContainsRegex("done by 60 days +82.6% \\(80.6 to 84.6\\) +96.0% \\(94.0 to 98.0\\)\n"));
  EXPECT_THAT(
      text, testing::ContainsRegex("done by 60 days, parameters as given +97.0% \\(93.6 to 98.9\\) +95.5% "));
  EXPECT_THAT(text, testing::ContainsRegex("95% +61.0 +61.0\n"));
  EXPECT_THAT(text, testing::ContainsRegex("cost, M USD +56.10 \\+- 2.00 +unknown\n"));
  EXPECT_THAT(text, HasSubstr("1,600 runs over 200 draws"));
}

TEST(PlanText, SaysWhyWhatIsEnoughMayCostMore) {
  PlanResult result = sample();
  EXPECT_THAT(text_of(result), Not(HasSubstr("Enough takes more")));
  result.enough->cost.mean = 55.37e6;
  EXPECT_THAT(text_of(result), HasSubstr("Enough takes more money than as given: it is the fewest GPUs"));
  EXPECT_THAT(text_of(result), HasSubstr("train for longer"));
  PlanResult larger = result;
  larger.enough->size.gpus = 2 * larger.as_given.size.gpus;
  EXPECT_THAT(text_of(larger), Not(HasSubstr("train for longer")));
  for (PlanOutcome* of : {&result.as_given, &*result.enough}) of->cost = {};
  result.facts.gpu_hour = {};
  result.as_given.gpu_hours.mean = 1e6;
  result.enough->gpu_hours.mean = 1.1e6;
  EXPECT_THAT(text_of(result), HasSubstr("Enough takes more GPU-hours than as given"));
}

TEST(PlanText, TellsCostsInTheirCurrency) {
  PlanResult result = sample();
  result.facts.currency = "EUR";
  EXPECT_THAT(text_of(result), HasSubstr("cost, M EUR"));
  EXPECT_THAT(text_of(result), Not(HasSubstr("USD")));
  EXPECT_THAT(to_json(result), HasSubstr("\"currency\": \"EUR\""));
}

TEST(PlanText, TailsOfTooFewRunsAreNotClaimed) {
  PlanResult result = sample();
  result.percents = {1, 5, 50, 95, 99};
  EXPECT_THAT(text_of(result), testing::ContainsRegex(" 1% +56.3 +57.4\n"));
  EXPECT_THAT(text_of(result),
              testing::ContainsRegex(" 99% +58.5 +59.6\n *mean of worst 5% +58.5 +59.6\n\n"));
  result.enough->finish.runs = 99;
  EXPECT_THAT(text_of(result), testing::ContainsRegex(" 1% +56.3 +-\n"));
  EXPECT_THAT(text_of(result), HasSubstr("\n  -: p1 and p99 need 100 replicas\n"));
  result.as_given.finish.worst_5_mean.reset();
  EXPECT_THAT(text_of(result), testing::ContainsRegex("mean of worst 5% +never +59.6\n"));
  result.as_given.finish.runs = 19;
  EXPECT_THAT(text_of(result), testing::ContainsRegex("mean of worst 5% +- +59.6\n"));
  EXPECT_THAT(text_of(result), HasSubstr("the mean of the worst 5% needs 20\n"));
  EXPECT_THAT(to_json(result), HasSubstr("\"p1\": null"));
}

TEST(PlanText, WithoutADateTheFirstLineSaysWhenTheWorkIsDone) {
  PlanResult result = sample();
  result.finish_by_s.reset();
  result.enough.reset();
  result.as_given.by_date = {};
  EXPECT_EQ(answer_line(result),
            "As given (16,384 GPUs and 32 spare hosts), half of the runs finish 11T tokens within 57.4 days, "
            "90% within "
            "58.3 days (parameters as given).");
  result.start = parse_day("2027-01-15").value;
  EXPECT_EQ(answer_line(result),
            "As given (16,384 GPUs and 32 spare hosts), half of the runs finish 11T tokens by 2027-03-13 "
            "(57.4 days), 90% "
            "by 2027-03-14 (58.3 days) (parameters as given).");
  const std::string text = text_of(result);
  EXPECT_THAT(text, testing::ContainsRegex("runs done +as given, days +date\n"));
  EXPECT_THAT(text, testing::ContainsRegex(" 5% +56.4 +2027-03-12\n"));
  EXPECT_THAT(text, testing::ContainsRegex(" 95% +58.4 +2027-03-14\n"));
  EXPECT_THAT(text, Not(HasSubstr("done by")));
  EXPECT_THAT(to_json(result), HasSubstr("\"p95\": \"2027-03-14\""));
  EXPECT_THAT(text, testing::ContainsRegex("mean of worst 5% +58.5 +2027-03-14\n"));
  EXPECT_THAT(to_json(result), HasSubstr("\"worst_5_mean\": \"2027-03-14\""));
  result.uncertainty = unknown(0);
  EXPECT_THAT(answer_line(result),
              HasSubstr("by 2027-03-13 (57 days), 90% by 2027-03-16 (60.6 days) (with parameter "
                        "uncertainty)."));
  result.uncertainty->finish.percentiles.resize(89);
  EXPECT_THAT(answer_line(result), HasSubstr("(57 days), and fewer than 90% ever do (with"));
  result.uncertainty->finish.percentiles.resize(40);
  EXPECT_THAT(answer_line(result), HasSubstr("fewer than half of the runs finish 11T tokens (with"));
}

// The 60 days from January 15 on end with March 15.
TEST(PlanText, ALastDayIsTheDayThatEndsWithTheLimit) {
  PlanResult result = sample();
  result.start = parse_day("2027-01-15").value;
  EXPECT_THAT(answer_line(result),
              HasSubstr("of runs finish 11T tokens by 2027-03-15 (60 days) (95% interval"));
  EXPECT_THAT(text_of(result), HasSubstr("done by 2027-03-15 "));
  *result.finish_by_s = 6.4 * kSecondsOfDay;
  EXPECT_THAT(answer_line(result), HasSubstr("within 6.4 days (on 2027-01-21) (95% interval"));
  EXPECT_THAT(text_of(result), HasSubstr("done by 6.4 days")) << "a date would have its whole day";
}

TEST(PlanText, AnImpossibleDateNamesTheNearest) {
  PlanResult result = sample();
  result.as_given.by_date = {.hits = 0, .runs = 200, .ci95 = Interval{0, 0.018}};
  result.enough.reset();
  result.best = outcome(131'072, 800, 0, 71);
  result.best_by_s = 72 * kSecondsOfDay;
  EXPECT_THAT(answer_line(result),
              HasSubstr("no number of GPUs that was tried is enough. The nearest date is 72 days, "
                        "12 days later, with 131,072 GPUs."));
  EXPECT_THAT(text_of(result), HasSubstr("best tried"));
  result.best.reset();
  result.interrupted = true;
  EXPECT_THAT(answer_line(result), HasSubstr("interrupted before the requirements were known."));
}

TEST(PlanText, WhatNeverHappensHasNoUnit) {
  PlanResult result = sample();
  result.uncertainty = unknown(0.4);
  result.uncertainty->finish = around(57, 7);
  result.uncertainty->finish.percentiles.resize(40);
  EXPECT_THAT(text_of(result), HasSubstr("by 60 days: 5% after 50.0 days, fewer than half\never."));
  result.enough.reset();
  result.best = outcome(131'072, 800, 0, 71);
  EXPECT_THAT(answer_line(result),
              HasSubstr("is enough: with 131,072 GPUs, the best one, too many runs never finish."));
  result.best_by_s = 59 * kSecondsOfDay;  // not for certain, and no date that is "0 s later"
  EXPECT_THAT(answer_line(result), HasSubstr("with 131,072 GPUs it would be 59 days, which may be chance"));
}

/// A mean over runs of which some never finish would be that of the time until they gave up.
TEST(PlanText, RunsThatGaveUpLeaveNoMeanFinish) {
  PlanResult result = sample();
  result.finish_by_s = std::nullopt;
  result.enough = std::nullopt;
  result.facts.give_up_after = std::chrono::hours(6);
  result.as_given.finish = {.percentiles = {}, .ci95 = {}, .runs = 20, .never = 20, .worst_5_mean = {}};
  result.as_given.gpu_hours.gave_up = 20;
  result.one_more.front().p95 = result.one_more.front().mean = {};
  std::string text = text_of(result);
  EXPECT_THAT(text, HasSubstr("runs done          as given, days\n"));
  EXPECT_THAT(text, HasSubstr("\nAs given, 20 of 20 runs never complete the work: no progress for 6 h "
                              "(job.give_up_after).\n"));
  EXPECT_THAT(text, HasSubstr("\nUnknown: a time without a value, because runs never complete the work.\n"));
  // Percentiles of the draws give the unit where the runs as given have none.
  result.uncertainty = unknown(0);
  result.uncertainty->finish.percentiles.assign(6, 40 * 3600);
  result.uncertainty->finish.never = 150;
  result.uncertainty->known_never = 20;
  result.uncertainty->parameters.resize(1);
  UncertainMetric wall{
      .name = "wall_time_s", .known = {}, .mean = {}, .ci95 = {}, .p5 = 40 * 3600.0, .p50 = {}, .p95 = {}};
  wall.known.mean = 30 * 3600;
  result.uncertainty->metrics = {wall};
  text = text_of(result);
  EXPECT_THAT(text, HasSubstr("as given, h"));
  EXPECT_THAT(text,
              HasSubstr("mean finish, days   never      never                              1.7 to never"));
  EXPECT_THAT(text,
              HasSubstr("Unknown: 150 of 200 runs never complete the work, so the finish has no variance."));
  EXPECT_THAT(
      text, HasSubstr("As given, 150 of 200 runs never complete the work: 20 gave up, no progress for 6 h"));
  const std::string json = to_json(result);
  EXPECT_THAT(json, HasSubstr("\"runs_never_done\": 20"));
}

TEST(PlanText, SaysWhatOneMoreBuysAndWhatItHangsOn) {
  const std::string text = text_of(sample());
  EXPECT_THAT(
      text,
      HasSubstr(
          "1 more spare host       +1.0 +- 2.0         -60.0 +- 6.0                  0   +25,000 +- 100"));
  EXPECT_THAT(text, HasSubstr("#####|##########"));  // -2 h and +4 h: half as long to the left
  EXPECT_THAT(text, HasSubstr("Reproduce with: gauntlet plan mine\n"));
  EXPECT_THAT(text, HasSubstr("55.36 +- 0.04"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110U) << line;
}

TEST(PlanText, JsonNamesTheKindOfEveryInterval) {
  PlanResult result = sample();
  result.uncertainty = unknown(0.91);
  const std::string json = to_json(result);
  EXPECT_THAT(json, HasSubstr("\"interval\": \"Monte Carlo only\""));
  EXPECT_THAT(json, HasSubstr("\"interval\": \"with parameter uncertainty\""));
  EXPECT_THAT(json, HasSubstr("\"share_by_date\": 0.91"));
  EXPECT_THAT(json, HasSubstr("\"gpus\": 15232"));
}

/// Three sources; the largest comes first, whichever it is.
VarianceShares three_sources() {
  return {.variance = 4e10,
          .unknowns = {{.value = 0.1, .ci95 = {0.05, 0.2}}, {.value = 0.6, .ci95 = {0.5, 0.7}}},
          .joint = 0.05,
          .runs = {.value = 0.25, .ci95 = {0.2, 0.3}}};
}

TEST(PlanText, RanksTheSourcesOfUncertainty) {
  PlanResult result = sample();
  result.finish_by_s.reset();
  result.enough.reset();
  result.start = parse_day("2027-01-15").value;
  result.uncertainty = unknown(0);
  result.uncertainty->parameters = {{"faults.nic.rate.count", "7", "3.63", "12.5", "posterior"},
                                    {"job.step_time_factor", "1", "0.86", "1.41", "log-t"}};
  result.uncertainty->finish_variance = three_sources();
  result.uncertainty->finish.ci95.assign(99, Interval{55 * kSecondsOfDay, 59 * kSecondsOfDay});
  const std::string text = text_of(result);
  EXPECT_THAT(text, testing::ContainsRegex("job.step_time_factor +1 +0.86 +1.41 +60.0% \\(50.0 to 70.0\\)\n"
                                           " +scatter of the runs +25.0% \\(20.0 to 30.0\\)\n"
                                           " +faults.nic.rate.count +7 +3.63 +12.5 +10.0% \\(5.0 to 20.0\\)\n"
                                           " +curvature and interactions +5.0%\n"));
  EXPECT_THAT(text, HasSubstr("57.0 (55.0 to 59.0)"));
  EXPECT_THAT(text, HasSubstr("In parentheses: 95% intervals of the scatter of draws and\nruns."));
  const std::string json = to_json(result);
  EXPECT_LT(json.find("\"source\": \"job.step_time_factor\""),
            json.find("\"source\": \"scatter of the runs\""));
  EXPECT_THAT(json, HasSubstr("\"variance_s2\": 40000000000.0"));
  EXPECT_THAT(json, HasSubstr("2027-03-11"));  // the day in which the interval of the median begins
  EXPECT_THAT(answer_line(result),
              HasSubstr("half of the runs finish 11T tokens by 2027-03-13 (57 days), 90% by 2027-03-16"));
}

TEST(PlanText, WithAStartAndParameterUncertaintyTheFirstLineHasDates) {
  PlanResult result = sample();
  result.uncertainty = unknown(0.91);
  EXPECT_THAT(answer_line(result), Not(HasSubstr("half of the runs")));
  result.start = parse_day("2027-01-15").value;
  EXPECT_THAT(answer_line(result),
              HasSubstr(" As given, half of the runs finish by 2027-03-13, 90% by 2027-03-16."));
  result.uncertainty->finish.percentiles.resize(89);
  EXPECT_THAT(answer_line(result),
              HasSubstr("half of the runs finish by 2027-03-13, and fewer than 90% ever do."));
}

TEST(PlanPage, HasTheCostWithParameterUncertaintyWhereThatWasDrawn) {
  const auto cost_of = [](const PlanResult& result) {
    for (const Section& section : page_of(result, {}).sections)
      for (const Block& block : section.blocks)
        if (const auto* table = std::get_if<PageTable>(&block); table && table->title == "What it takes")
          return table->rows.at(0).back();
    return std::string("no table");
  };
  PlanResult result = sample();
  const std::string known = cost_of(result);
  EXPECT_THAT(page_of(result, {}).lines.at(1), HasSubstr("Monte Carlo only"));
  result.uncertainty = unknown(0.91);
  UncertainMetric drawn;
  drawn.name = "cost";
  drawn.mean = 123e6;
  result.uncertainty->metrics = {drawn};
  EXPECT_THAT(cost_of(result), HasSubstr("123"));
  EXPECT_NE(cost_of(result), known);
  EXPECT_THAT(page_of(result, {}).lines.at(1), HasSubstr(kWithParameters));
}

TEST(PlanPage, HasTheDistributionAndTheTornado) {
  const Page page = page_of(sample(), {.command = "gauntlet plan mine"});
  const std::vector<LineChart> lines = charts_of<LineChart>(page);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].series.size(), 2U);
  EXPECT_EQ(lines[0].series[0].points[1].y, 0.05);
  EXPECT_EQ(lines[0].marks.at(0).x, 60 * kSecondsOfDay);  // the date
  const std::vector<BarChart> bars = charts_of<BarChart>(page);
  const auto tornado =
      std::ranges::find(bars, "What the finish date depends on: one parameter at a time", &BarChart::title);
  ASSERT_NE(tornado, bars.end());
  EXPECT_EQ(tornado->bars.at(0).parts.at(1)->value, 14'400);
}

TEST(PlanWords, NameCrewAndStorageWhereTheyAreNotAsGiven) {
  const PlanSize given{
      .gpus = 16'384, .spares = 32, .crew = 0, .storage_write = "2.00TB/s", .storage_read = "3.00TB/s"};
  PlanSize enough = given;
  EXPECT_EQ(size_text(enough, given), "16,384 GPUs and 32 spare hosts");
  enough.spares = 1;
  enough.crew = 12;
  EXPECT_EQ(size_text(enough, given), "16,384 GPUs, 1 spare host and a repair crew of 12");
  enough.storage_write = "1.30GB/s";
  EXPECT_EQ(size_text(enough, given),
            "16,384 GPUs, 1 spare host, a repair crew of 12 and 1.30GB/s to write to storage");
  enough.storage_read = "2.00GB/s";
  EXPECT_EQ(size_text(enough, given),
            "16,384 GPUs, 1 spare host, a repair crew of 12, 1.30GB/s to write to storage and 2.00GB/s to "
            "read from storage");
}

TEST(PlanWords, SayHowManyRunsThereAre) {
  PlanResult result;
  result.replicas = 200;
  EXPECT_EQ(runs_text(result), "200 runs per variant") << "without a date nothing is counted";
  result.as_given.by_date.runs = 200;
  EXPECT_EQ(runs_text(result), "200 runs per variant");
  result.as_given.by_date.runs = 1000;
  EXPECT_EQ(runs_text(result), "1,000 runs of each plan in the table, 200 of every other variant");
  EXPECT_EQ(runs_that_show(0.9), 100u);
  EXPECT_EQ(runs_that_show(0.95), 200u);
  EXPECT_EQ(runs_that_show(0.999), 10'000u);
}

}  // namespace
}  // namespace gauntlet
