#include "core/record/replay_cluster.hpp"

#include "core/record/codec.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// So many Wake orders for each observation, numbered by the time of their alarm; `bend` changes some.
class WakesInARow final : public Policy {
 public:
  using Bend = std::function<void(std::size_t observation, std::vector<Action>&)>;
  explicit WakesInARow(std::vector<int> orders, Bend bend = {})
      : orders_(std::move(orders)), bend_(std::move(bend)) {}

  void on(const Observed& seen, Orders& out) override {
    std::vector<Action> actions;
    for (int i = 0; i < orders_[seen_]; ++i) actions.emplace_back(Wake{seen.at + (i + 1) * 1ns});
    if (bend_) bend_(seen_, actions);
    for (const Action& action : actions) out.add(action);
    ++seen_;
  }

 private:
  std::vector<int> orders_;
  Bend bend_;
  std::size_t seen_ = 0;
};

const std::vector<int> kOrders = {2, 0, 3, 1};

/// What WakesInARow(kOrders) answers to four observations, a second apart.
Record record_of(const Observation& last) {
  Record record;
  std::uint64_t id = 0;
  for (std::uint32_t n = 0; n < 4; ++n) {
    const Time at = kStart + n * 1s;
    record.observations.push_back({at, n == 0  ? Observation(Started{})
                                       : n < 3 ? Observation(HostReturned{HostId{n}})
                                               : last});
    for (int i = 0; i < kOrders[n]; ++i)
      record.orders.push_back({at, n + 1, {OrderId{++id}, Wake{at + (i + 1) * 1ns}}});
  }
  return record;
}

struct Replayed {
  std::optional<ReplayCluster::Difference> difference;
  std::size_t observations, orders;
  bool past_the_end;
};
Replayed replay(const Record& record, WakesInARow::Bend bend, Time until = kNever) {
  ReplayCluster cluster(record);
  WakesInARow policy(kOrders, std::move(bend));
  run(cluster, policy, until);
  cluster.finish();
  return {cluster.difference(), cluster.observations_replayed(), cluster.orders_compared(),
          cluster.ran_past_the_end()};
}

// A record that was cut short ends with any observation, a whole one with Finished: there the loop ends by
// itself.
class ReplayClusterTest : public testing::TestWithParam<bool> {
 protected:
  Record record_ = record_of(GetParam() ? Observation(Finished{}) : Observation(HostReturned{HostId{3}}));
};
INSTANTIATE_TEST_SUITE_P(WholeAndCutShort, ReplayClusterTest, testing::Bool());

TEST_P(ReplayClusterTest, FindsNoDifferenceWhereThereIsNone) {
  const Replayed replayed = replay(record_, {});
  EXPECT_FALSE(replayed.difference);
  EXPECT_EQ(replayed.observations, 4u);
  EXPECT_EQ(replayed.orders, 6u);  // 2 + 0 + 3 + 1
}

// Each of the six orders in turn is another one than recorded.
TEST_P(ReplayClusterTest, StopsAtTheFirstDifferingOrder) {
  std::size_t before = 0;
  for (std::size_t n = 0; n < 4; ++n) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(kOrders[n]); ++i, ++before) {
      SCOPED_TRACE("order " + std::to_string(i) + " of observation " + std::to_string(n));
      const Replayed replayed = replay(record_, [&](std::size_t observation, std::vector<Action>& actions) {
        if (observation >= n)
          actions[observation == n ? i : 0] = Wake{kStart + 1h};  // later differences do not count
        if (observation == 1) actions.clear();
      });
      ASSERT_TRUE(replayed.difference);
      EXPECT_EQ(replayed.difference->answering.at, record_.observations[n].at);
      ASSERT_TRUE(replayed.difference->recorded && replayed.difference->now);
      EXPECT_TRUE(same(*replayed.difference->recorded, record_.orders[before].order));
      EXPECT_TRUE(same(*replayed.difference->now, {OrderId{before + 1}, Wake{kStart + 1h}}));
      EXPECT_EQ(replayed.observations, n + 1);
      EXPECT_EQ(replayed.orders, before);
    }
  }
}

TEST_P(ReplayClusterTest, ComparesTheIdsOfOrdersToo) {
  record_.orders[3].order.id = OrderId{99};
  const Replayed replayed = replay(record_, {});
  ASSERT_TRUE(replayed.difference);
  EXPECT_EQ(replayed.difference->recorded->id, OrderId{99});
  EXPECT_EQ(replayed.difference->now->id, OrderId{4});
}

// The last order of an observation is missing.
TEST_P(ReplayClusterTest, StopsWhereAnOrderIsMissing) {
  std::size_t before = 0;
  for (std::size_t n = 0; n < 4; before += static_cast<std::size_t>(kOrders[n]), ++n) {
    if (kOrders[n] == 0) continue;
    SCOPED_TRACE("observation " + std::to_string(n));
    const Replayed replayed = replay(record_, [&](std::size_t observation, std::vector<Action>& actions) {
      if (observation == n) actions.pop_back();
    });
    ASSERT_TRUE(replayed.difference);
    EXPECT_EQ(replayed.difference->answering.at, record_.observations[n].at);
    const std::size_t last = before + static_cast<std::size_t>(kOrders[n]) - 1;
    ASSERT_TRUE(replayed.difference->recorded);
    EXPECT_TRUE(same(*replayed.difference->recorded, record_.orders[last].order));
    EXPECT_FALSE(replayed.difference->now);
    EXPECT_FALSE(replayed.past_the_end);
    EXPECT_EQ(replayed.observations, n + 1);
    EXPECT_EQ(replayed.orders, last);
  }
}

TEST_P(ReplayClusterTest, StopsAtAnOrderTooMany) {
  for (std::size_t n = 0; n < 4; ++n) {  // also where none was recorded
    SCOPED_TRACE("observation " + std::to_string(n));
    const Replayed replayed = replay(record_, [&](std::size_t observation, std::vector<Action>& actions) {
      if (observation == n) actions.emplace_back(Ask{JobId{0}});
    });
    ASSERT_TRUE(replayed.difference);
    EXPECT_EQ(replayed.past_the_end, n == 3) << "which says nothing where a record was cut";
    EXPECT_EQ(replayed.difference->answering.at, record_.observations[n].at);
    EXPECT_FALSE(replayed.difference->recorded);
    ASSERT_TRUE(replayed.difference->now);
    EXPECT_TRUE(std::holds_alternative<Ask>(replayed.difference->now->what));
    EXPECT_EQ(replayed.observations, n + 1);
  }
}

TEST_P(ReplayClusterTest, StopsAtTheTimeThatItIsGiven) {
  const Replayed replayed =
      replay(record_, {}, kStart + 2s);  // the third observation is at 2 s, the fourth at 3 s
  EXPECT_FALSE(replayed.difference);
  EXPECT_EQ(replayed.observations, 3u);
  EXPECT_EQ(replayed.orders, 5u);
}

TEST(ReplayCluster, ReplaysAnEmptyRecord) {
  const Record record;
  const Replayed replayed = replay(record, {});
  EXPECT_FALSE(replayed.difference);
  EXPECT_EQ(replayed.observations, 0u);
}

}  // namespace
}  // namespace gauntlet
