// What levers gain, against closed forms, and how much of their order is said to be certain.
//
// The world is scenarios/one-fault.toml made simpler (tests/commands/interval_coverage.hpp): W of work, a start R, and N
// failures, Poisson of mean m = W / 1 d, which strike training alone and cost R and half a step of 2 s each. A run takes
// W + R (1 + N) + N seconds in the mean.
#include "study/levers/rank.hpp"

#include "core/math/special.hpp"
#include "study/levers/paired_scatter.hpp"
#include "tests/study/seeded_study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kDays = 10;
constexpr double kDay = 86'400, kStartTime = 180;

PointSource poisson_world(std::vector<std::string> more = {}) {
  std::vector<std::string> sets = {"job.steps=" + std::to_string(kDays * 43'200),
                                   "storage.free=true",
                                   "storage.stall=0s",
                                   "checkpoint.interval=1s",
                                   "cost.gpu_hour=2USD",
                                   "faults.crash.clock=training"};
  std::ranges::move(more, std::back_inserter(sets));
  return {"one-fault", std::move(sets), 1};
}

double wall(double mean, double start = kStartTime) { return kDays * kDay + start + mean * (start + 1); }

struct Ranked {
  LeverRanking ranking;

  Ranked(const PointSource& source, const RankTerms& terms, const std::vector<std::string>& only = {},
         std::uint64_t seed = 1)
      : Ranked(source, terms, levers_in(source, only), seed) {}
  Ranked(const PointSource& source, const RankTerms& terms, const std::vector<Lever>& levers,
         std::uint64_t seed) {
    SeededStudy study(source, seed);
    ranking =
        rank_levers(study.experiment, source, study.experiment.add(source.point().point), levers, terms);
  }

  static std::vector<Lever> levers_in(const PointSource& source, const std::vector<std::string>& only) {
    return chosen_levers(levers_of(source.point().point->scenario, source.resolved()), only, "").levers;
  }

  const RankedLever& of(const std::string& path) const {
    for (const auto* levers : {&ranking.levers, &ranking.without_effect})
      for (const RankedLever& lever : *levers)
        if (lever.path == path) return lever;
    throw std::runtime_error(path + " is not ranked");
  }
  std::vector<std::string> paths() const {
    std::vector<std::string> all;
    for (const RankedLever& lever : ranking.levers) all.push_back(lever.path);
    return all;
  }
  std::vector<std::string> without_effect() const {
    std::vector<std::string> all;
    for (const RankedLever& lever : ranking.without_effect) all.push_back(lever.path);
    return all;
  }
};

void expect_near(const Gain& gain, double truth, const char* what) {
  ASSERT_TRUE(gain.by && gain.ci95) << what;
  const double half_width = (gain.ci95->high - gain.ci95->low) / 2;
  EXPECT_NEAR(*gain.by, truth, 2 * half_width) << what;  // of 95%: by chance once in ten thousand times
  EXPECT_LT(half_width, std::abs(truth) / 5) << what;    // the interval says something
}

TEST(Rank, GainsOfAFailureAndOfAStartAreThoseOfTheClosedForm) {
  const Ranked ranked(poisson_world(), {.replicas = 400});
  const double given = wall(kDays);
  EXPECT_NEAR(ranked.ranking.wall_s, given, 60);
  const double fewer = given - wall(kDays / 2.0), quicker = given - wall(kDays, kStartTime / 2);
  expect_near(ranked.of("faults.crash").gains.time_s, fewer, "half the failures");
  expect_near(ranked.of("job.start.warm_up").gains.time_s, quicker, "half a start");
  // More tokens in the same time, and less money for the same tokens.
  const double share = given / (given - fewer) - 1;
  expect_near(ranked.of("faults.crash").gains.goodput, share, "goodput");
  expect_near(ranked.of("faults.crash").gains.tokens, share * ranked.ranking.work_tokens, "tokens");
  expect_near(ranked.of("faults.crash").gains.cost, fewer * 64 * 2 / 3600, "cost");
}

TEST(Rank, AQuickerStepSavesItsShareOfTheWorkAndOfTheFailuresInIt) {
  const Ranked ranked(poisson_world(), {.replicas = 400}, {"job.step_time"});
  // Failures strike training: there are 1% fewer, and each costs a start and half of a step of 1.98 s.
  const double less = 0.01 * kDays * kDay + kDays * (kStartTime + 1) - 0.99 * kDays * (kStartTime + 0.99);
  expect_near(ranked.of("job.step_time").gains.time_s, less, "a quicker step");
}

TEST(Rank, ASpareHostThatIsNeverNeededCostsWhatAHostCosts) {
  const Ranked ranked(poisson_world(), {.replicas = 10}, {"spares.count"});
  const RankedLever& spare = ranked.of("spares.count");
  EXPECT_EQ(spare.gains.goodput.by, 0);
  EXPECT_EQ(spare.gains.time_s.by, 0);
  EXPECT_NEAR(*spare.gains.cost.by, -8 * 2 / 3600.0 * ranked.ranking.wall_s, 1e-6 * *ranked.ranking.cost);
  // Its cost scatters as the wall time does. Of its use no event was seen.
  EXPECT_TRUE(spare.gains.cost.ci95);
  EXPECT_FALSE(spare.gains.goodput.ci95);
  EXPECT_EQ(spare.effect, LeverEffect::unmeasured);
  EXPECT_THAT(ranked.without_effect(), ElementsAre("spares.count"));  // on goodput: it costs something
}

TEST(Rank, LeversOfWhatNeverHappensAreNamedAsWithoutEffect) {
  const PointSource source = poisson_world(
      {"faults.never={ component=\"host\", effect=\"crash\", remedy=\"restart\", mtbf=\"never\" }",
       "people.response=1h"});
  const Ranked ranked(source, {.replicas = 20});
  EXPECT_THAT(ranked.without_effect(), Contains("faults.never"));
  EXPECT_THAT(ranked.without_effect(), Contains("people.response"));  // nobody is ever asked
  EXPECT_EQ(*ranked.of("faults.never").gains.goodput.by, 0);
}

TEST(Rank, AnIntervalThatIsTooLongGainsByHalfAndLosesByTwice) {
  const Ranked ranked(PointSource("one-fault", {"job.steps=864000", "checkpoint.interval=3h"}, 1),
                      {.replicas = 60}, {"checkpoint.interval"});
  ASSERT_EQ(ranked.ranking.levers.size(), 2U);
  EXPECT_EQ(ranked.ranking.levers[0].change, "3h to 1h30min");
  EXPECT_EQ(ranked.ranking.levers[0].effect, LeverEffect::gain);
  EXPECT_EQ(ranked.ranking.levers[1].change, "3h to 6h");
  EXPECT_EQ(ranked.ranking.levers[1].effect, LeverEffect::loss);
}

TEST(Rank, LeversThatASettingLeavesWithoutEffectOrThatAreNoScenarioAreNotTried) {
  const PointSource source = poisson_world({"policies.checkpoint=young"});
  const std::vector<Lever> levers = {
      {"checkpoint.interval", "2s to 1s", {{"checkpoint.interval", "1s"}}},  // young computes it
      {"telemetry.heartbeat_period", "10s to 2min", {{"telemetry.heartbeat_period", "2min"}}},
      {"spares.count", "0 to 1", {{"spares.count", "1"}}}};
  const Ranked ranked(source, {.replicas = 5}, levers, 1);
  EXPECT_THAT(ranked.paths(), IsEmpty());
  EXPECT_THAT(ranked.without_effect(), ElementsAre("spares.count"));
  ASSERT_EQ(ranked.ranking.untried.size(), 1U);
  EXPECT_EQ(ranked.ranking.untried[0].path, "telemetry.heartbeat_period");
  EXPECT_THAT(ranked.ranking.untried[0].why, testing::HasSubstr("detection.timeout"));
}

TEST(Rank, AddsReplicasToThoseThatAreHardToTellApartAlone) {
  // Half of a load of 25 min saves 8,250 s in the mean, half of the failures 8,405 s, and half of a warm-up of 3 min 990 s.
  const PointSource source = poisson_world({"job.start.data_loader=25min"});
  const Ranked ranked(source, {.replicas = 40, .looks = 3, .claimed = 3}, {"faults", "job.start"});
  EXPECT_EQ(ranked.ranking.certain, 0U);
  EXPECT_EQ(ranked.ranking.replicas, 40U);
  EXPECT_EQ(ranked.ranking.most_replicas, 160U);
  EXPECT_EQ(ranked.of("faults.crash").replicas, 160U);
  EXPECT_EQ(ranked.of("job.start.data_loader").replicas, 160U);
  EXPECT_EQ(ranked.of("job.start.warm_up").replicas, 40U);
  EXPECT_THAT(ranked.ranking.levers.at(0).not_told_from, ElementsAre(1U));
}

TEST(Rank, TwoThatAreEqualInEveryReplicaTakeNoMoreOfThem) {
  // Half of one of two equal phases: neither is better, and no number of replicas tells.
  const PointSource source = poisson_world({"job.start.data_loader=3min", "job.start.process_start=1min"});
  const Ranked ranked(source, {.replicas = 100, .looks = 3, .claimed = 3}, {"faults", "job.start"});
  EXPECT_EQ(ranked.ranking.replicas, 100U);
  EXPECT_EQ(ranked.ranking.claimed, 3U);
  // Equal in every replica: more of them change nothing.
  EXPECT_EQ(ranked.ranking.most_replicas, 100U);
  EXPECT_EQ(*ranked.of("job.start.data_loader").gains.time_s.by,
            *ranked.of("job.start.warm_up").gains.time_s.by);
  EXPECT_EQ(ranked.ranking.certain, 1U);  // the failures; then the two
}

TEST(Rank, TwoLeversThatGainTheSameUnderOtherChancesAreNotToldApart) {
  const std::string crash =
      "={ component=\"host\", clock=\"training\", effect=\"crash\", remedy=\"restart\", "
      "log=\"crashed\", mtbf=\"8d\" }";
  const PointSource source = poisson_world({"faults.crash" + crash, "faults.other" + crash});
  const Ranked ranked(source, {.replicas = 20, .looks = 3, .claimed = 2}, {"faults"});
  EXPECT_EQ(ranked.ranking.certain, 0U);
  EXPECT_EQ(ranked.ranking.most_replicas, 80U);
  EXPECT_THAT(ranked.ranking.levers.at(0).not_told_from, ElementsAre(1U));
  EXPECT_EQ(ranked.ranking.levers.at(1).effect, LeverEffect::gain);
}

/// Beside the failures, one that strikes one run in twenty and waits for a person.
PointSource with_a_rare_fault(const std::string& response) {
  return poisson_world(
      {"faults.rare={ component=\"host\", clock=\"training\", effect=\"crash\", remedy=\"person\", "
       "mtbf=\"1600d\" }",
       "people.response=" + response, "job.start.data_loader=25min", "policies.recover=replace",
       "recovery.restarts_in_place=0"});
}

/// The ranking of the first look. The study is stopped in the second one.
LeverRanking first_look(const PointSource& source, const RankTerms& terms, const std::vector<Lever>& levers,
                        std::uint64_t seed) {
  const auto executor = make_thread_executor({.seed = seed}, 1);
  const auto store = Store::temporary({}, source.point().point->facts.faults);
  const std::uint64_t first = terms.replicas * (levers.size() + 1);
  std::atomic<bool> stop = false;
  std::uint64_t ran = 0;
  Experiment experiment(*executor, *store,
                        {.stop = &stop, .progress = [&](std::uint32_t done, std::uint64_t) {
                           ran += done;
                           stop = ran > first;
                         }});
  return rank_levers(experiment, source, experiment.add(source.point().point), levers, terms);
}

/// The pairs of paths whose order is called certain.
std::set<std::pair<std::string, std::string>> certain_orders(const LeverRanking& of) {
  std::set<std::pair<std::string, std::string>> orders;
  const auto has_place = [&](std::size_t i) {
    return of.levers[i].effect == LeverEffect::gain || of.levers[i].effect == LeverEffect::loss;
  };
  std::uint32_t place = 0;
  for (std::size_t i = 0; i < of.levers.size() && place < of.claimed; ++i) {
    if (!has_place(i)) continue;
    ++place;
    for (std::size_t below = i + 1; below < of.levers.size(); ++below)
      if (has_place(below) && !std::ranges::count(of.levers[i].not_told_from, below))
        orders.emplace(of.levers[i].path, of.levers[below].path);
  }
  return orders;
}

TEST(Rank, AnOrderThatALookCallsCertainStaysCertain) {
  // Half of a load of 25 min, half of 10 failures, half of 8 failures, and half of a warm-up.
  const auto crash = [](const std::string& mtbf) {
    return "={ component=\"host\", clock=\"training\", effect=\"crash\", remedy=\"restart\", "
           "log=\"crashed\", mtbf=\"" +
           mtbf + "\" }";
  };
  const PointSource source = poisson_world(
      {"job.start.data_loader=25min", "faults.crash" + crash("8d"), "faults.other" + crash("10d")});
  const std::vector<Lever> levers = Ranked::levers_in(source, {"faults", "job.start"});
  const RankTerms terms{.replicas = 20, .looks = 4, .claimed = 3};
  std::size_t settled = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    const auto at_first = certain_orders(first_look(source, terms, levers, seed));
    const Ranked at_last(source, terms, levers, seed);
    const auto at_end = certain_orders(at_last.ranking);
    for (const auto& [better, other] : at_first)
      EXPECT_TRUE(at_end.contains({better, other})) << better << " and " << other;
    // A lever whose order with all others was certain takes no more replicas, though others run on.
    for (const RankedLever& lever : at_last.ranking.levers) {
      const auto orders = std::ranges::count_if(at_first, [&](const auto& order) {
        return order.first == lever.path || order.second == lever.path;
      });
      if (orders + 1 < std::ssize(at_last.ranking.levers)) continue;
      ++settled;
      EXPECT_EQ(lever.replicas, terms.replicas) << lever.path;
    }
  }
  EXPECT_GT(settled, 4U) << "else this shows nothing";
}

TEST(Rank, NoOrderIsCertainThatTheGainsOfTheLastLookContradict) {
  // A lever that gains 1,000 s in nearly all runs, and 5 days in one of forty, beside one that gains 8,250 s. With 20 replicas of
  // these seeds no run gains 5 days, and the second lever is certainly better. With 160 replicas the first one gains more in the mean.
  const PointSource source = with_a_rare_fault("5d");
  std::vector<Lever> levers = Ranked::levers_in(source, {"job.start.data_loader"});
  levers.push_back(
      {"faults", "fewer", {{"faults.crash.rate_factor", "0.94"}, {"faults.rare.rate_factor", "0.5"}}});
  for (const std::uint64_t seed : {9U, 17U, 19U, 25U}) {
    SCOPED_TRACE(seed);
    const RankTerms terms{.replicas = 20, .looks = 4, .claimed = 3};
    const LeverRanking before = first_look(source, terms, levers, seed);
    EXPECT_EQ(before.certain, 1U);
    EXPECT_EQ(before.levers.at(0).path, "job.start.data_loader");
    EXPECT_THAT(before.unplaced, IsEmpty());
    const LeverRanking ranking = Ranked(source, terms, levers, seed).ranking;
    ASSERT_EQ(ranking.levers.at(0).path, "faults");
    EXPECT_THAT(ranking.unplaced, ElementsAre(0U)) << "it may gain as much as the lever that is named first";
  }
}

TEST(Rank, AnIntervalOfAGainThatAFewReplicasScatterHoldsWhatMayHaveStayedAway) {
  // A quicker step saves a failure in each tenth replica, and the same time in all others: of 40, four or so.
  const PointSource source = poisson_world();
  SeededStudy study(source, 1);
  const PointNumber base = study.experiment.add(source.point().point);
  const Ranked ranked(source, {.replicas = 40}, {"job.step_time"});
  const Gain& gain = ranked.of("job.step_time").gains.goodput;
  ASSERT_TRUE(gain.ci95);
  const auto levers = Ranked::levers_in(source, {"job.step_time"});
  const PointNumber quicker = study.experiment.add(source.point(levers.front().settings).point);
  ASSERT_TRUE(study.experiment.ensure(std::vector{base, quicker}, 40));
  const auto before = study.experiment.values(base, "goodput_tokens_per_s", 40);
  const auto after = study.experiment.values(quicker, "goodput_tokens_per_s", 40);
  const PairedScatter scatter = paired_scatter(before, after);
  ASSERT_GT(scatter.skewness * scatter.skewness, 1.0 / 10);
  const double by_t = student_t_quantile(0.975, 39) * scatter.error / scatter.difference * *gain.by;
  const double one = scatter.largest / scatter.difference * *gain.by;  // the largest event, once more
  EXPECT_NEAR((gain.ci95->high - gain.ci95->low) / 2, by_t + std::log(40.0) * one, 1e-9);
  EXPECT_EQ(ranked.of("job.step_time").effect, LeverEffect::gain);
}

TEST(Rank, AGainThatIsTheSameInAllReplicasIsExactWhereNothingCanHappen) {
  const Ranked exact(poisson_world({"faults.crash.mtbf=never", "telemetry.gap_mtbf=0s"}),
                     {.replicas = 5, .claimed = 2}, {"job"});
  EXPECT_EQ(exact.ranking.certain, 2U);
  EXPECT_EQ(exact.paths(), (std::vector<std::string>{"job.step_time", "job.start.warm_up"}));
  EXPECT_NEAR(exact.of("job.start.warm_up").gains.time_s.ci95->high, kStartTime / 2, 1e-6);
  // A crash in a thousand runs, of which none was seen: it might have been in any.
  const Ranked lucky(poisson_world({"faults.crash.mtbf=80000d", "telemetry.gap_mtbf=0s"}),
                     {.replicas = 5, .claimed = 2}, {"job"});
  EXPECT_EQ(lucky.ranking.claimed, 0U);
  EXPECT_EQ(lucky.of("job.start.warm_up").effect, LeverEffect::unmeasured);
  EXPECT_FALSE(lucky.of("job.start.warm_up").gains.time_s.ci95);
}

TEST(Rank, ALeverOfAFewSmallEventsLeavesTheOrderOfTheOthersCertain) {
  const Ranked ranked(with_a_rare_fault("1min"), {.replicas = 40, .claimed = 3},
                      {"faults.rare", "job.start.data_loader"});
  EXPECT_EQ(ranked.of("faults.rare").effect, LeverEffect::unclear);
  EXPECT_EQ(ranked.ranking.claimed, 1U);
  EXPECT_EQ(ranked.ranking.certain, 1U);
  EXPECT_THAT(ranked.ranking.unplaced, IsEmpty());
  ASSERT_TRUE(ranked.ranking.best());
  EXPECT_EQ(ranked.ranking.best()->path, "job.start.data_loader");
}

TEST(Rank, ALeverOfAFewLargeEventsThatMayGainMoreIsNamedAndGetsMoreReplicas) {
  const Ranked ranked(with_a_rare_fault("5d"), {.replicas = 40, .looks = 2, .claimed = 2},
                      {"faults.rare", "job.start"});
  EXPECT_EQ(ranked.of("faults.rare").effect, LeverEffect::unclear);
  EXPECT_EQ(ranked.of("faults.rare").replicas, 80U);
  EXPECT_EQ(ranked.of("job.start.data_loader").replicas, 40U);
  EXPECT_EQ(ranked.ranking.certain, 2U);
  ASSERT_EQ(ranked.ranking.unplaced.size(), 1U);
  EXPECT_EQ(ranked.ranking.levers.at(ranked.ranking.unplaced[0]).path, "faults.rare");
}

TEST(Rank, AGainIsCertainForAllLeversAtOnce) {
  // Half of one kind of failures, and 1.4 times the other: a run has one failure less in the mean, with a deviation of 3. Over
  // 100 runs t is 3.3 in the mean; two-sided tests at 5% take 2.0, and of 41 levers 3.4, both with room for events that were not seen.
  const std::string crash =
      "={ component=\"host\", clock=\"training\", effect=\"crash\", remedy=\"restart\", log=\"crashed\", "
      "mtbf=\"8d\" }";
  const PointSource source = poisson_world({"faults.crash" + crash, "faults.other" + crash});
  std::vector<Lever> levers = {{"faults.crash",
                                "one less",
                                {{"faults.crash.rate_factor", "0.5"}, {"faults.other.rate_factor", "1.4"}}}};
  EXPECT_EQ(Ranked(source, {.replicas = 100}, levers, 4).of("faults.crash").effect, LeverEffect::gain);
  levers.insert(levers.end(), 40, Ranked::levers_in(source, {"job.start.warm_up"}).front());
  EXPECT_EQ(Ranked(source, {.replicas = 100}, levers, 4).of("faults.crash").effect, LeverEffect::unclear);
}

TEST(Rank, AnIntervalAllowsForEveryLookThatThereMayBe) {
  const auto half_width = [](std::uint32_t looks) {
    const Ranked ranked(poisson_world(), {.replicas = 100, .looks = looks, .claimed = 1},
                        {"job.start.warm_up"});
    EXPECT_EQ(ranked.ranking.most_replicas, 100U);
    const Interval& ci95 = *ranked.of("job.start.warm_up").gains.time_s.ci95;
    return (ci95.high - ci95.low) / 2;
  };
  // Student's t with 99 degrees of freedom: 2.626405 at 0.995, 1.984217 at 0.975 (tables).
  EXPECT_NEAR(half_width(5) / half_width(1), 2.626405 / 1.984217, 1e-5);
}

TEST(Rank, FewerThanFiveReplicasGiveNoIntervalAndNoOrder) {
  const Ranked ranked(poisson_world(), {.replicas = 2}, {"faults", "job"});
  EXPECT_EQ(ranked.ranking.claimed, 0U);
  for (const RankedLever& lever : ranked.ranking.levers) {
    EXPECT_TRUE(lever.gains.time_s.by) << lever.path;
    EXPECT_FALSE(lever.gains.time_s.ci95) << lever.path;
  }
}

TEST(Rank, AJobThatNeverTrainsHasNoGainInTime) {
  const PointSource source("tiny-8", {"job.start.process_start=10h", "job.give_up_after=1h"}, 1);
  const Ranked ranked(source, {.replicas = 6}, {"job.stop_time", "faults"});
  EXPECT_EQ(ranked.ranking.work_tokens, 0);
  EXPECT_EQ(ranked.ranking.claimed, 0U);
  for (const RankedLever& lever : ranked.ranking.levers) EXPECT_FALSE(lever.gains.time_s.by) << lever.path;
}

TEST(Rank, OfRunsThatGiveUpTimeIsThatOfTheWorkThatTheyDo) {
  // A failure that only a person ends, whom nobody sends: the run ends there, after half of the window in the mean. Fewer
  // such failures train more in the same time, and need less time for the same.
  const PointSource source =
      poisson_world({"faults.crash.remedy=person", "people.response=60d", "recovery.restarts_in_place=0",
                     "job.give_up_after=2d", "policies.recover=replace"});
  const Ranked ranked(source, {.replicas = 100}, {"faults.crash"});
  EXPECT_LT(ranked.ranking.work_tokens, kDays * 43'200.0 * 512 * 8192);
  EXPECT_EQ(ranked.of("faults.crash").effect, LeverEffect::gain);
  EXPECT_GT(*ranked.of("faults.crash").gains.time_s.by, 0);
}

TEST(Rank, StoppedBeforeTheFirstLookHasNoLever) {
  const PointSource source = poisson_world();
  const auto executor = make_thread_executor({.seed = 1}, 1);
  const auto store = Store::temporary({}, source.point().point->facts.faults);
  const std::atomic<bool> stop = true;
  Experiment experiment(*executor, *store, {.stop = &stop});
  const LeverRanking ranking = rank_levers(experiment, source, experiment.add(source.point().point),
                                           Ranked::levers_in(source, {}), {.replicas = 5});
  EXPECT_TRUE(ranking.interrupted);
  EXPECT_EQ(ranking.replicas, 0U);
  EXPECT_THAT(ranking.levers, IsEmpty());
}

}  // namespace
}  // namespace gauntlet
