#include "study/in_order.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace gauntlet {
namespace {

// A worker whose figures tell which replica they are of.
InOrder numbered(std::vector<std::uint32_t>& consumed) {
  InOrder work;
  work.make_worker = [] {
    return ReplicaWorker([figures = Figures{}](std::uint32_t replica) mutable -> const Figures& {
      figures.steps = replica;
      figures.lost_by_cause.assign(replica % 5, Duration(replica));
      return figures;
    });
  };
  work.consume = [&consumed](std::uint32_t replica, const Figures& figures) {
    EXPECT_EQ(figures.steps, replica);
    EXPECT_EQ(figures.lost_by_cause, std::vector<Duration>(replica % 5, Duration(replica)));
    consumed.push_back(replica);
  };
  return work;
}

std::vector<std::uint32_t> counting(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

TEST(InOrder, HandsOverEveryReplicaOnceInItsOrderOnAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 2U, 3U, 8U})
    for (const std::uint32_t count : {0U, 1U, 2U, 7U, 1000U}) {
      std::vector<std::uint32_t> consumed;
      EXPECT_EQ(run_in_order({.first = 10, .count = count}, threads, numbered(consumed)), count);
      EXPECT_EQ(consumed, counting(10, count)) << threads << " threads";
    }
}

// The first replica ends only after the others of its window: what is done out of order waits for its turn.
TEST(InOrder, WaitsForASlowReplicaWithoutLosingTheOrder) {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint32_t others_done = 0;
  std::vector<std::uint32_t> consumed;
  InOrder work = numbered(consumed);
  work.make_worker = [&] {
    return ReplicaWorker([&, figures = Figures{}](std::uint32_t replica) mutable -> const Figures& {
      std::unique_lock lock(mutex);
      if (replica == 0)
        changed.wait(lock, [&] { return others_done >= 5; });
      else
        ++others_done;
      changed.notify_all();
      figures.steps = replica;
      figures.lost_by_cause.assign(replica % 5, Duration(replica));
      return figures;
    });
  };
  EXPECT_EQ(run_in_order({.first = 0, .count = 200}, 2, work), 200U);
  EXPECT_EQ(consumed, counting(0, 200));
}

TEST(InOrder, StopsWithAPrefix) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    std::atomic<bool> stop = false;
    std::vector<std::uint32_t> consumed;
    InOrder work = numbered(consumed);
    work.stop = &stop;
    work.consume = [&, check = work.consume](std::uint32_t replica, const Figures& figures) {
      check(replica, figures);
      if (replica == 20) stop = true;
    };
    const std::uint32_t done = run_in_order({.first = 0, .count = 100'000}, threads, work);
    EXPECT_GE(done, 21U);
    EXPECT_LE(done, 21U + 16 * threads) << "those under way are completed, no further one begins";
    EXPECT_EQ(consumed, counting(0, done));
  }
}

TEST(InOrder, StoppedBeforeItBeganDoesNothing) {
  const std::atomic<bool> stop = true;
  std::vector<std::uint32_t> consumed;
  InOrder work = numbered(consumed);
  work.stop = &stop;
  for (const unsigned threads : {1U, 2U})
    EXPECT_EQ(run_in_order({.first = 0, .count = 50}, threads, work), 0U);
}

TEST(InOrder, ThrowsWhatAWorkerOrTheConsumerThrew) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    std::vector<std::uint32_t> consumed;
    InOrder failing = numbered(consumed);
    failing.make_worker = [make = failing.make_worker] {
      return ReplicaWorker([worker = make()](std::uint32_t replica) mutable -> const Figures& {
        if (replica == 30) throw std::runtime_error("replica 30");
        return worker(replica);
      });
    };
    EXPECT_THROW(run_in_order({.first = 0, .count = 100'000}, threads, failing), std::runtime_error);
    EXPECT_EQ(consumed, counting(0, 30));

    InOrder choking = numbered(consumed);
    choking.consume = [](std::uint32_t, const Figures&) { throw std::logic_error("full"); };
    EXPECT_THROW(run_in_order({.first = 0, .count = 100'000}, threads, choking), std::logic_error);
  }
}

}  // namespace
}  // namespace gauntlet
