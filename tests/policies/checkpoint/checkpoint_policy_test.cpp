#include "policies/checkpoint/checkpoint_policy.hpp"

#include "policies/checkpoint/interval.hpp"
#include "policies/checkpoint/just_in_time.hpp"
#include "tests/policies/in_words.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

// A failure every 1,000 s and 20 s a checkpoint: Young's interval is sqrt(2 x 20 x 1,000) = 200 s.
CheckpointConstants checkpoint_constants() {
  return {.interval = 600s, .prior_mtbf = 1000s, .prior_weight = 1, .prior_cost = 20s, .hysteresis = 0.05};
}

TEST(FixedInterval, IsOrderedOnceAndNeverAgain) {
  FixedInterval fixed;
  WatchIds ids;
  Orders orders;
  fixed.start(JobId{0}, checkpoint_constants(), kStart, ids, orders);
  EXPECT_THAT(in_words(orders), ElementsAre("checkpoint every 600s"));
  orders.clear();
  fixed.training_began(orders);
  fixed.on(Seen{}, orders);
  fixed.stopped_by_fault(kStart + 5s, orders);
  EXPECT_THAT(in_words(orders), IsEmpty());
}

/// An optimal interval, from the start of a run on.
class Optimal {
 public:
  explicit Optimal(CheckpointConstants constants,
                   OptimalInterval::Formula formula = OptimalInterval::Formula::young)
      : constants_(constants), policy_(formula) {
    policy_.start(JobId{0}, constants_, kStart, ids_, orders_);
  }

  Words says() {
    Words words = in_words(orders_);
    orders_.clear();
    return words;
  }
  Duration interval() {
    Duration last{};
    for (const Order& order : orders_) {
      if (const auto* every = std::get_if<CheckpointEvery>(&order.what)) last = every->interval;
    }
    orders_.clear();
    return last;
  }
  void training_began() { policy_.training_began(orders_); }
  void checkpoint_cost(Duration cost, Duration when, WatchId watch = WatchId{1}) {
    policy_.on(Seen{.watch = watch,
                    .who = {},
                    .edge = Edge::sample,
                    .sensed = kStart + when,
                    .value = to_seconds(cost),
                    .more = 0},
               orders_);
  }
  void stopped(Duration when) { policy_.stopped_by_fault(kStart + when, orders_); }

 private:
  CheckpointConstants constants_;
  OptimalInterval policy_;
  WatchIds ids_;
  Orders orders_;
};

TEST(OptimalInterval, BeginsWithWhatTheScenarioExpects) {
  EXPECT_THAT(Optimal(checkpoint_constants()).says(), ElementsAre("checkpoint every 200s"));
  EXPECT_EQ(Optimal(checkpoint_constants(), OptimalInterval::Formula::daly).interval(),
            daly_interval(20s, 1000s));
}

TEST(OptimalInterval, AsksForTheCostOfOneCheckpointAfterEachStart) {
  Optimal optimal(checkpoint_constants());
  optimal.says();
  for (int start = 0; start < 2; ++start) {
    optimal.training_began();
    EXPECT_THAT(optimal.says(), ElementsAre("unwatch", "watch checkpoint costs of the job, the next 1"));
  }
}

// The mean of the rate's posterior: (prior_weight + failures) / (prior_weight x prior_mtbf + time).
TEST(OptimalInterval, WeighsFailuresAgainstTheExpectation) {
  Optimal optimal(checkpoint_constants());
  optimal.says();
  optimal.stopped(1000s);  // (1 x 1,000 + 1,000) / (1 + 1) = 1,000: as expected
  EXPECT_THAT(optimal.says(), IsEmpty());
  optimal.stopped(5750s);  // (1,000 + 5,750) / 3 = 2,250; sqrt(2 x 20 x 2,250) = 300
  EXPECT_THAT(optimal.says(), ElementsAre("checkpoint every 300s"));
}

TEST(OptimalInterval, TrustsAnExpectationOfMoreWeightMore) {
  CheckpointConstants sure = checkpoint_constants();
  sure.prior_weight = 4;
  Optimal optimal(sure);
  EXPECT_THAT(optimal.says(), ElementsAre("checkpoint every 200s"));
  optimal.stopped(7250s);  // (4 x 1,000 + 7,250) / (4 + 1) = 2,250
  EXPECT_THAT(optimal.says(), ElementsAre("checkpoint every 300s"));
}

TEST(OptimalInterval, TakesUpTheObservedCostAndTheTimeThatPassedWithoutAFailure) {
  Optimal optimal(checkpoint_constants());
  optimal.says();
  optimal.checkpoint_cost(2500ms, 1000s);  // (1,000 + 1,000) / 1 = 2,000; sqrt(2 x 2.5 x 2,000) = 100
  EXPECT_THAT(optimal.says(), ElementsAre("checkpoint every 100s"));
  optimal.checkpoint_cost(50s, 1000s, WatchId{2});  // another watch's
  EXPECT_THAT(optimal.says(), IsEmpty());
}

// sqrt(2 x 22 x 1,000) = 209.8 is within 5% of 200; sqrt(2 x 22.1 x 1,000) = 210.2 is not.
TEST(OptimalInterval, OrdersAnotherIntervalOnlyWhenItDiffersEnough) {
  Optimal optimal(checkpoint_constants());
  optimal.says();
  optimal.checkpoint_cost(22s, 0s);
  EXPECT_THAT(optimal.says(), IsEmpty());
  optimal.checkpoint_cost(22100ms, 0s);
  EXPECT_THAT(optimal.says(), ElementsAre("checkpoint every 210s"));
}

// What was sensed before the last failure may arrive after it: no time is taken back from the evidence.
TEST(OptimalInterval, NeverForgetsTimeThatPassed) {
  CheckpointConstants exact = checkpoint_constants();
  exact.hysteresis = 0;
  Optimal optimal(exact);
  optimal.stopped(3500s);  // (1,000 + 3,500) / 2 = 2,250
  EXPECT_EQ(optimal.interval(), 300s);
  optimal.checkpoint_cost(80s, 100s);  // sqrt(2 x 80 x 2,250) = 600
  EXPECT_EQ(optimal.interval(), 600s);
}

TEST(OptimalInterval, IsNoneBelowTheShortestHoweverCheapACheckpointIs) {
  CheckpointConstants free = checkpoint_constants();
  free.prior_cost = 0s;
  free.shortest = 7s;
  EXPECT_EQ(Optimal(free).interval(), 7s);
}

// --- tiers ---------------------------------------------------------------------------------------------------------------

template <class PolicyType>
Words first_orders(PolicyType policy, const CheckpointConstants& constants) {
  WatchIds ids;
  Orders orders;
  policy.start(JobId{0}, constants, kStart, ids, orders);
  policy.training_began(orders);
  return in_words(orders);
}

// What is reported is of storage, whatever else there is.
TEST(Tiers, AreOrderedAsOftenAsTheyAreWantedByEveryPolicy) {
  CheckpointConstants tiered = checkpoint_constants();
  tiered.memory_interval = 10s;
  tiered.peers_interval = 50s;
  EXPECT_THAT(first_orders(FixedInterval{}, tiered),
              ElementsAre("checkpoint every 10s to memory", "checkpoint every 50s to peers",
                          "checkpoint every 600s"));
  const Words orders = first_orders(OptimalInterval{OptimalInterval::Formula::young}, tiered);
  ASSERT_EQ(orders.size(), 5u);
  EXPECT_THAT(Words(orders.begin(), orders.begin() + 3),
              ElementsAre("checkpoint every 10s to memory", "checkpoint every 50s to peers",
                          "checkpoint every 200s"));
  EXPECT_THAT(orders[4], testing::StartsWith("watch"));
}

/// A failure every 181.8 s, of which 1 in 11 needs storage: 22 segments of 6.117 s, 134.6 s in all (interval_test.cpp).
CheckpointConstants two_level_constants() {
  return {.prior_mtbf = from_seconds(2000.0 / 11),
          .prior_weight = 1,
          .prior_cost = 5s,
          .prior_quick_cost = 100ms,
          .host_loss = 1.0 / 11,
          .shortest = 1ms,
          .hysteresis = 0.05};
}

TEST(TwoLevelInterval, OrdersBothTiersAndTheQuickOneOfThePeersWhereTheyHaveOne) {
  CheckpointConstants constants = two_level_constants();
  EXPECT_THAT(first_orders(TwoLevelInterval{}, constants),
              ElementsAre("checkpoint every 6s to memory", "checkpoint every 134s"));
  constants.peers_interval = 1h;
  constants.memory_interval = 2s;
  EXPECT_THAT(
      first_orders(TwoLevelInterval{}, constants),
      ElementsAre("checkpoint every 2s to memory", "checkpoint every 6s to peers", "checkpoint every 134s"));
}

TEST(TwoLevelInterval, LearnsTheRateAndLeavesMemoryOutWhereItIsOfNoUse) {
  TwoLevelInterval policy;
  WatchIds ids;
  Orders orders;
  const CheckpointConstants constants = two_level_constants();
  policy.start(JobId{0}, constants, kStart, ids, orders);
  orders.clear();
  policy.stopped_by_fault(kStart + from_seconds(2000.0 / 11), orders);  // as expected
  EXPECT_THAT(in_words(orders), IsEmpty());
  policy.stopped_by_fault(kStart + 10000s, orders);  // (181.8 + 10,000) / 3 = 3,394 s: 22 x 27.19 s
  EXPECT_THAT(in_words(orders), ElementsAre("checkpoint every 27s to memory", "checkpoint every 598s"));

  CheckpointConstants hosts_alone = constants;
  hosts_alone.host_loss = 1;
  EXPECT_THAT(first_orders(TwoLevelInterval{}, hosts_alone),
              ElementsAre("checkpoint every " + in_words(exact_interval(5s, constants.prior_mtbf))));
}

// --- just in time --------------------------------------------------------------------------------------------------------

TEST(JustInTime, IsOneAtATimeAndNoneSoonAfter) {
  JustInTime saves;
  Orders orders;
  const CheckpointConstants constants{.shortest = 60s};
  saves.warned(JobId{0}, constants, kStart, orders);
  saves.warned(JobId{0}, constants, kStart + 100s, orders);  // the first is under way
  ASSERT_THAT(in_words(orders), ElementsAre("checkpoint now"));
  EXPECT_FALSE(saves.on(Outcome{.order = OrderId{7}, .result = {}}));
  EXPECT_TRUE(saves.on(Outcome{.order = orders[0].id, .result = Saved{3}}));
  orders.clear();
  saves.warned(JobId{0}, constants, kStart + 59s, orders);
  EXPECT_THAT(in_words(orders), IsEmpty());
  saves.warned(JobId{0}, constants, kStart + 60s, orders);
  EXPECT_THAT(in_words(orders), ElementsAre("checkpoint now"));
}

}  // namespace
}  // namespace gauntlet
