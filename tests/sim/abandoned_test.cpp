// A replica that is told to stop: soon it gives nothing more, and it leaves nothing to the next one. One that never ends.
#include "sim/replica.hpp"
#include "tests/oracles/worlds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace gauntlet {
namespace {

// Obeys nobody: a wake-up every second, for ever, and the flag is set at the 5,000th.
class SetsAtSome final : public Policy {
 public:
  explicit SetsAtSome(std::atomic<bool>* stop) : stop_(stop) {}
  void on(const Observed& seen, Orders& out) override {
    if (++seen_ == 5000 && stop_ != nullptr) *stop_ = true;
    out.add(Wake{seen.at + std::chrono::seconds(1)});
  }
  std::uint64_t seen_ = 0;

 private:
  std::atomic<bool>* stop_;
};

World quiet_world() {
  World world = one_fault_world(4, Law::exponential(1));
  world.faults.clear();
  world.job.step_time = std::chrono::seconds(1);
  world.job.window = std::chrono::hours(24);  // 86,400 wake-ups
  return world;
}

TEST(Abandoned, AReplicaStopsWithinAThousandEventsAndTheNextOneIsWhole) {
  const World world = quiet_world();
  SimCluster cluster(world), fresh(world);
  Record record;
  std::atomic<bool> stop = false;
  SetsAtSome stopped(&stop);
  EXPECT_FALSE(run_replica(cluster, stopped, {.study = 1}, false, &stop, record));
  EXPECT_GE(stopped.seen_, 5000U);
  EXPECT_LT(stopped.seen_, 5000U + 2048U);

  stop = false;
  SetsAtSome again(nullptr), alone(nullptr);
  EXPECT_TRUE(run_replica(cluster, again, {.study = 1}, false, &stop, record));
  EXPECT_TRUE(run_replica(fresh, alone, {.study = 1}, false, nullptr, record));
  EXPECT_GT(again.seen_, 80'000U);
  EXPECT_EQ(again.seen_, alone.seen_);
  EXPECT_EQ(cluster.fingerprint(), fresh.fingerprint());
}

// Wakes every nanosecond.
class NeverRests final : public Policy {
 public:
  void on(const Observed& seen, Orders& out) override {
    out.add(Wake{seen.at + std::chrono::nanoseconds(1)});
  }
};

TEST(Abandoned, ARunEndsBeforeItsRecordTakesAllMemory) {
  const World world = quiet_world();
  SimCluster cluster(world);
  Record record;
  NeverRests policy;
  try {
    run_replica(cluster, policy, {.study = 7, .replica = 3}, false, nullptr, record);
    FAIL() << "a run has no more observations than that";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(
        error.what(),
        testing::StartsWith("replica 3 (seed 7) has 4 million observations and faults on record after"));
  }
  EXPECT_GT(record.observations.size(), kMostOnRecord - 100);
  EXPECT_LE(record.observations.size(), kMostOnRecord);
}

}  // namespace
}  // namespace gauntlet
