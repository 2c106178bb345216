// Checkpoints of several tiers: the arithmetic against counting them one by one.
#include "core/random/stream.hpp"
#include "core/record/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// Checkpoints as they come, by counters that are set back whenever one goes so far.
class OneByOne {
 public:
  explicit OneByOne(const Cadence& cadence) : cadence_(cadence) {
    for (const Cadence::Further& each : cadence.further) since_.push_back(each.taken);
  }
  /// How far the next one goes.
  std::size_t next() {
    std::size_t far = 0;
    for (std::size_t i = 0; i < since_.size(); ++i) {
      if (cadence_.further[i].every == 0 || ++since_[i] < cadence_.further[i].every) continue;
      since_[i] = 0;
      far = i + 1;
    }
    return far;
  }
  Duration stall_of(std::size_t far) const {
    return far == 0 ? cadence_.stall : cadence_.further[far - 1].stall;
  }

 private:
  const Cadence cadence_;
  std::vector<std::int64_t> since_;
};

class Draw {
 public:
  explicit Draw(std::uint32_t seed) : stream_({.study = seed, .replica = 0}, stream_name("cadence")) {}
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(stream_.below(static_cast<std::uint64_t>(most - least + 1)));
  }

 private:
  Stream stream_;
};

/// Two tiers further, one of them or none; what goes further still is also one of the earlier ones.
Cadence any_cadence(Draw& draw) {
  Cadence cadence{
      .first = draw.between(0, 7),
      .every = draw.between(0, 9) == 0 ? kNoCheckpoint : draw.between(1, 5),  // one alone, or many
      .stall = Duration(draw.between(0, 4)),
      .further = {}};
  std::int64_t every = 1, taken = 0;
  for (Cadence::Further& each : cadence.further) {
    if (draw.between(0, 3) == 0) continue;
    const std::int64_t times = draw.between(1, 4);
    taken += every * draw.between(0, times - 1);
    every *= times;
    each = {.every = every, .taken = taken, .stall = Duration(draw.between(0, 9))};
  }
  return cadence;
}

constexpr std::uint32_t kCadences = 500;  // seeds 1 to that

TEST(Cadence, OfSeveralTiersIsThatOfCountingOneByOne) {
  std::size_t reached[kTiers] = {};
  for (std::uint32_t seed = 1; seed <= kCadences; ++seed) {
    Draw draw(seed);
    const Cadence cadence = any_cadence(draw);
    OneByOne model(cadence);
    Duration stalls{};
    EXPECT_EQ(cadence.stalls(0), 0ns) << "seed " << seed;
    for (std::int64_t n = 1; n <= 60; ++n) {
      const std::size_t far = model.next();
      ++reached[far];
      stalls += model.stall_of(far);
      ASSERT_EQ(cadence.reach(n), far) << "seed " << seed << ", checkpoint " << n;
      ASSERT_EQ(cadence.stall_of(n), model.stall_of(far)) << "seed " << seed << ", checkpoint " << n;
      ASSERT_EQ(cadence.stalls(n), stalls) << "seed " << seed << ", checkpoint " << n;
    }
  }
  for (const std::size_t times : reached) EXPECT_GT(times, 1000U) << "each tier is tried";
}

// Each nanosecond of several rounds: how many checkpoints had begun, and where training stands.
TEST(Cadence, OfSeveralTiersSaysWhereTrainingStandsAtEveryNanosecond) {
  for (std::uint32_t seed = 1; seed <= kCadences; ++seed) {
    Draw draw(seed);
    Stretch stretch;
    stretch.cadence = any_cadence(draw);
    stretch.step = stretch.healthy_step = Duration(draw.between(1, 6));
    stretch.origin = stretch.begin = stretch.end = kStart + Duration(draw.between(0, 99));
    OneByOne model(stretch.cadence);
    Reached expected, begun;
    Duration stall{}, left{};  // of the checkpoint under way
    bool in_stall = false;
    std::int64_t next = stretch.cadence.first;
    for (Time now = stretch.origin; now < stretch.origin + 600ns; now += 1ns) {
      // What ends now, and what begins.
      for (bool moved = true; moved;) {
        moved = false;
        if (in_stall && left == 0ns) {
          in_stall = false;
          expected.into_stall = {};
          ++expected.checkpoints;
          ASSERT_EQ(stretch.time_of_checkpoint(expected.checkpoints), now) << "seed " << seed;
          moved = true;
        } else if (!in_stall && expected.into_step == stretch.step) {
          expected.into_step = {};
          ++expected.steps;
          ASSERT_EQ(stretch.time_of_step(expected.steps), now) << "seed " << seed;
          moved = true;
        }
        if (!in_stall && expected.into_step == 0ns && expected.steps == next) {
          ASSERT_EQ(stretch.steps_before_checkpoint(expected.checkpoints + 1), next) << "seed " << seed;
          stall = left = model.stall_of(model.next());
          in_stall = true;
          next = stretch.cadence.every == kNoCheckpoint ? kNoCheckpoint : next + stretch.cadence.every;
          moved = true;
        }
      }
      const Reached reached = stretch.reached_at(now);
      ASSERT_EQ(reached.steps, expected.steps)
          << "seed " << seed << ", " << (now - stretch.origin).count() << " ns";
      ASSERT_EQ(reached.checkpoints, expected.checkpoints)
          << "seed " << seed << ", " << (now - stretch.origin).count() << " ns";
      ASSERT_EQ(reached.into_step, expected.into_step) << "seed " << seed;
      ASSERT_EQ(reached.into_stall, in_stall ? stall - left : 0ns) << "seed " << seed;
      if ((now - stretch.origin) % 11ns == 0ns) {
        stretch.begin = now;
        begun = reached;
      }
      const Reached since = stretch.reached_at(now, begun);
      ASSERT_EQ(since.steps, reached.steps) << "seed " << seed;
      ASSERT_EQ(since.checkpoints, reached.checkpoints) << "seed " << seed;
      ASSERT_EQ(since.into_step, reached.into_step) << "seed " << seed;
      ASSERT_EQ(since.into_stall, reached.into_stall) << "seed " << seed;
      if (in_stall)
        left -= 1ns;
      else
        expected.into_step += 1ns;
    }
  }
}

// A round of a million checkpoints, for years: found by arithmetic, to the nanosecond.
TEST(Cadence, OfALongRoundHoldsForYears) {
  Stretch stretch;
  stretch.step = stretch.healthy_step = 10s;
  stretch.cadence = {.first = 3,
                     .every = 1,
                     .stall = 1ns,
                     .further = {{{.every = 1000, .taken = 0, .stall = 1us},
                                  {.every = 1'000'000, .taken = 0, .stall = 1s}}}};
  // After 2,000,500 checkpoints: 2 of a second, 1,998 of a microsecond and 1,998,500 of a nanosecond.
  const std::int64_t n = 2'000'500;
  const Duration stalls = 2s + 1998us + 1'998'500ns;
  EXPECT_EQ(stretch.cadence.stalls(n), stalls);
  const Time done = kStart + (n + 2) * 10s + stalls;
  EXPECT_EQ(stretch.time_of_checkpoint(n), done);
  EXPECT_EQ(stretch.reached_at(done).checkpoints, n);
  EXPECT_EQ(stretch.reached_at(done - 1ns).checkpoints, n - 1);
  EXPECT_EQ(stretch.reached_at(done + 4s).into_step, 4s);
}

}  // namespace
}  // namespace gauntlet
