// The report, the page and the JSON of a ranking.
#include "commands/rank/page.hpp"
#include "commands/rank/text.hpp"
#include "report/levers/levers.hpp"
#include "tests/report/page/charts_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr double kHourSeconds = 3600;

Gain gain_about(double by, double error) { return {.by = by, .ci95 = Interval{by - error, by + error}}; }

/// `share`: of goodput, with a tenth of it as the half width of its interval.
RankedLever lever_of(std::string path, std::string change, double share, double error) {
  RankedLever lever;
  lever.path = std::move(path);
  lever.change = std::move(change);
  lever.replicas = 100;
  lever.gains = {.time_s = gain_about(1000 * kHourSeconds * share, 1000 * kHourSeconds * error),
                 .tokens = gain_about(1e12 * share, 1e12 * error),
                 .cost = {},
                 .goodput = gain_about(share, error)};
  lever.effect = share > error    ? LeverEffect::gain
                 : share < -error ? LeverEffect::loss
                                  : LeverEffect::unclear;
  lever.settings = {{lever.path, "1min"}};
  return lever;
}

RankResult sample_ranking() {
  RankResult result;
  result.as_given.facts.name = "mine";
  result.as_given.facts.seed = 3;
  result.as_given.replicas = 100;
  LeverRanking& ranking = result.ranking;
  ranking.levers = {lever_of("faults.disk", "half as often", 0.02, 0.001),
                    lever_of("job.start.warm_up", "2min to 1min", 0.01, 0.001),
                    lever_of("repair.time", "8h to 4h", 0.0095, 0.001),
                    lever_of("spares.count", "1 to 2", 0.0005, 0.001),
                    lever_of("checkpoint.interval", "10min to 20min", -0.01, 0.001)};
  ranking.levers[1].not_told_from = {2};
  ranking.levers[2].replicas = 1600;
  ranking.without_effect = {lever_of("people.response", "20min to 10min", 0, 0)};
  ranking.untried = {
      {"detection.timeout", "20s to 10s", "detection.timeout is not above a heartbeat's period"}};
  ranking.work_tokens = 1e12;
  ranking.wall_s = 1000 * kHourSeconds;
  ranking.replicas = 100;
  ranking.most_replicas = 1600;
  ranking.looks = 5;
  ranking.claimed = 3;
  ranking.certain = 1;
  return result;
}

TEST(RankText, BeginsWithTheLeverThatGainsTheMost) {
  EXPECT_EQ(answer_line(sample_ranking()),
            "mine: of 6 levers, `faults.disk` (half as often) gains the most: it saves 20.0 h +- 1.0 per run "
            "for the "
            "same work, 2.00% +- 0.10 more goodput (95% intervals, Monte Carlo only, 100 replicas).");
}

TEST(RankText, SaysThatTheFirstIsNotCertain) {
  RankResult result = sample_ranking();
  result.ranking.certain = 0;
  EXPECT_THAT(answer_line(result), HasSubstr("(half as often) may gain the most: it saves"));
}

TEST(RankText, TellsWhatIsOrderedFromWhatIsNot) {
  const std::string text = text_report(sample_ranking(), {.command = "gauntlet rank mine"});
  EXPECT_THAT(text, HasSubstr("  faults.disk           half as often"));
  EXPECT_THAT(text, HasSubstr("+20.0 +- 1.0"));
  EXPECT_THAT(text, HasSubstr("Only the first place, `faults.disk` (half as often), is certain (95%)."));
  EXPECT_THAT(text, HasSubstr("`job.start.warm_up` (2min to 1min) and `repair.time` (8h to 4h) cannot be "
                              "ordered with 100 replicas."));
  EXPECT_THAT(
      text,
      HasSubstr("These lose, so the other direction may gain: `checkpoint.interval` (10min to 20min)."));
  EXPECT_THAT(text, HasSubstr("No certain effect on goodput: `spares.count` (1 to 2)."));
  EXPECT_THAT(text,
              HasSubstr("No effect on goodput in any of 100 replicas: `people.response` (20min to 10min)."));
  EXPECT_THAT(text, HasSubstr("Not tried: `detection.timeout` (20s to 10s): detection.timeout is not above"));
  EXPECT_THAT(text, HasSubstr("Reproduce with: gauntlet rank mine"));
  EXPECT_THAT(text, Not(HasSubstr("cost")));  // there is no price
}

TEST(RankText, HasBarsAsLongAsTheGains) {
  const std::string table = lever_table(sample_ranking().ranking, 10);
  EXPECT_THAT(table, HasSubstr("|##########\n"));  // the widest
  EXPECT_THAT(table, HasSubstr("|#####\n"));       // half of it
  EXPECT_THAT(table, HasSubstr("     #####|\n"));  // a loss
  EXPECT_THAT(table, Not(HasSubstr("spares.count")));
  EXPECT_THAT(lever_table(sample_ranking().ranking, 1), Not(HasSubstr("job.start.warm_up")));
}

TEST(RankText, HasAColumnForMoneyWhereThereIsAPrice) {
  RankResult result = sample_ranking();
  result.ranking.cost = 4e6;
  result.ranking.levers[0].gains.cost = gain_about(80'000, 4000);
  EXPECT_THAT(lever_table(result.ranking, 10), HasSubstr("cost saved, USD"));
  EXPECT_THAT(lever_table(result.ranking, 10), HasSubstr("+80,000 +- 4,000"));
  result.ranking.currency = "EUR";
  EXPECT_THAT(lever_table(result.ranking, 10), HasSubstr("cost saved, EUR"));
}

TEST(RankText, SaysThatTheFirstCostsMoney) {
  RankResult result = sample_ranking();
  result.ranking.cost = 4e6;
  result.ranking.levers[0].gains.cost = gain_about(-2500, 100);
  EXPECT_THAT(answer_line(result),
              HasSubstr("more goodput, and costs 2,500 USD +- 100 more per run (95% intervals"));
  result.ranking.levers[0].gains.cost = gain_about(-2500, 3000);
  EXPECT_THAT(answer_line(result), Not(HasSubstr("costs")));
}

TEST(RankText, NamesAFewOfManyThatCannotBeOrdered) {
  RankResult result = sample_ranking();
  for (int i = 0; i < 6; ++i) {
    result.ranking.levers[1].not_told_from.push_back(result.ranking.levers.size());
    result.ranking.levers.push_back(lever_of("faults.f" + std::to_string(i), "half as often", 0.0001, 0.001));
  }
  const std::string order = lever_order(result.ranking);
  EXPECT_THAT(order, HasSubstr("`faults.f2`"));
  EXPECT_THAT(order, Not(HasSubstr("`faults.f3`")));
  EXPECT_THAT(order, HasSubstr("cannot be ordered relative to `repair.time`"));
  EXPECT_THAT(order, HasSubstr("and 3 others\nwith 100 replicas."));
}

RankResult with_a_rare_lever() {
  RankResult result = sample_ranking();
  RankedLever rare = lever_of("detection.gather", "15s to 7.5s", 0.03, 0);
  rare.effect = LeverEffect::unmeasured;
  rare.replicas = 1600;
  rare.gains.goodput.ci95 = rare.gains.time_s.ci95 = std::nullopt;
  result.ranking.levers.insert(result.ranking.levers.begin(), rare);
  result.ranking.levers[2].not_told_from = {3};
  result.ranking.unplaced = {0};
  return result;
}

TEST(RankText, ALeverWithoutACertainGainIsNamedAndTakesNoPlace) {
  const RankResult result = with_a_rare_lever();
  EXPECT_THAT(answer_line(result),
              HasSubstr("of 7 levers, `faults.disk` (half as often) may gain the most: it saves 20.0 h"));
  EXPECT_THAT(answer_line(result), HasSubstr("more goodput, the most of the levers with a certain gain ("))
      << "as the order says";
  RankResult unclear = result;
  unclear.ranking.levers[0].effect = LeverEffect::unclear;
  unclear.ranking.levers[0].gains.goodput.ci95 = Interval{0.001, 0.059};
  EXPECT_THAT(lever_order(unclear.ranking),
              StartsWith("Only the first place, `faults.disk` (half as often), is certain among the levers"))
      << "an interval above zero is not a certain gain";
  const std::string order = lever_order(result.ranking);
  EXPECT_THAT(order,
              StartsWith("Only the first place, `faults.disk` (half as often), is certain among the levers"));
  EXPECT_THAT(order,
              HasSubstr("With 1,600 replicas it is not certain that `detection.gather` (15s to 7.5s) gains"));
  EXPECT_THAT(lever_table(result.ranking, 10),
              HasSubstr("detection.gather      15s to 7.5s              +30.0  "));
  EXPECT_THAT(other_levers(result.ranking), Not(HasSubstr("detection.gather")));
}

TEST(RankText, ALeverThatNoEventHasChangedIsNamedAsSuch) {
  RankResult result = with_a_rare_lever();
  std::swap(result.ranking.levers[0], result.ranking.levers[4]);
  result.ranking.unplaced.clear();
  EXPECT_THAT(lever_order(result.ranking), Not(HasSubstr("detection.gather")));
  EXPECT_THAT(
      other_levers(result.ranking),
      HasSubstr(
          "The same gain in all replicas, and not certain, since no event was seen that may change it:\n"
          "`detection.gather` (15s to 7.5s)."));
}

TEST(RankText, SaysWhereNoPlaceIsCertain) {
  RankResult result = sample_ranking();
  result.ranking.certain = 0;
  EXPECT_THAT(lever_order(result.ranking), StartsWith("The first place is not certain.\n"));
}

TEST(RankText, OfNothingThatCertainlyGainsSaysSo) {
  RankResult result = sample_ranking();
  result.ranking.levers = {lever_of("spares.count", "1 to 2", 0.0005, 0.001)};
  result.ranking.claimed = result.ranking.certain = 0;
  EXPECT_EQ(answer_line(result),
            "mine: none of 2 levers has a certain gain (1,600 replicas, Monte Carlo only).");
  EXPECT_THAT(text_report(result, {.command = ""}), HasSubstr("No lever has a certain gain."));
  result.ranking.levers.clear();
  result.ranking.without_effect.clear();
  EXPECT_THAT(answer_line(result), HasSubstr("there is nothing to improve"));
}

TEST(RankText, OfTooFewReplicasAsksForMore) {
  RankResult result = sample_ranking();
  result.ranking.replicas = result.ranking.most_replicas = 2;
  result.ranking.claimed = result.ranking.certain = 0;
  for (RankedLever& lever : result.ranking.levers) {
    lever.gains.goodput.ci95 = lever.gains.time_s.ci95 = std::nullopt;
    lever.effect = LeverEffect::unmeasured;
  }
  const std::string text = text_report(result, {.command = ""});
  EXPECT_THAT(
      text, HasSubstr("Fewer than 5 replicas give no intervals, so no order: run it with more --replicas."));
  EXPECT_THAT(text, HasSubstr("Too few replicas to measure the effect on goodput: `faults.disk`"));
}

TEST(RankText, InterruptedBeforeTheFirstLookHasNoAnswer) {
  RankResult result;
  result.as_given.facts.name = "mine";
  result.ranking.interrupted = true;
  EXPECT_EQ(answer_line(result), "mine: no lever has all its replicas, so there is no answer.");
  EXPECT_THAT(text_report(result, {.command = ""}), StartsWith("mine: no lever"));
}

TEST(RankPage, HasABarForEachLeverInOrder) {
  const std::vector<BarChart> charts =
      charts_of<BarChart>(page_of(sample_ranking(), {.command = "gauntlet rank mine"}));
  ASSERT_GE(charts.size(), 1U);
  const std::vector<Bar>& bars = charts[0].bars;
  ASSERT_EQ(bars.size(), 5U);
  EXPECT_EQ(bars[0].name, "faults.disk (half as often)");
  EXPECT_DOUBLE_EQ(bars[0].parts.at(0)->value, 20 * kHourSeconds);
  EXPECT_DOUBLE_EQ(*bars[4].parts.at(0)->low, -11 * kHourSeconds);
}

TEST(RankJson, HasEveryLeverWithItsSettingsAndGains) {
  const auto json = nlohmann::json::parse(to_json(sample_ranking()));
  EXPECT_EQ(json["command"], "rank");
  EXPECT_EQ(json["ranking"]["certain"], 1);
  const auto& first = json["ranking"]["levers"][0];
  EXPECT_EQ(first["path"], "faults.disk");
  EXPECT_EQ(first["settings"]["faults.disk"], "1min");
  EXPECT_DOUBLE_EQ(first["time_s"]["by"], 20 * kHourSeconds);
  EXPECT_DOUBLE_EQ(first["goodput"]["ci95"][0], 0.019);
  EXPECT_EQ(first["effect"], "gain");
  EXPECT_EQ(json["ranking"]["levers"][3]["effect"], "unclear");
  EXPECT_EQ(json["ranking"]["levers"][4]["effect"], "loss");
  EXPECT_TRUE(json["ranking"]["unplaced"].empty());
  const auto rare = nlohmann::json::parse(to_json(with_a_rare_lever()));
  EXPECT_EQ(rare["ranking"]["levers"][0]["effect"], "unmeasured");
  EXPECT_EQ(rare["ranking"]["unplaced"][0]["path"], "detection.gather");
  EXPECT_TRUE(first["cost"]["by"].is_null());
  EXPECT_EQ(json["ranking"]["levers"][1]["not_told_from"][0]["path"], "repair.time");
  EXPECT_EQ(json["ranking"]["without_effect"][0]["path"], "people.response");
  EXPECT_EQ(json["ranking"]["untried"][0]["path"], "detection.timeout");
}

}  // namespace
}  // namespace gauntlet
