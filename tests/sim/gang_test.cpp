#include "sim/job/gang.hpp"

#include "core/random/stream.hpp"
#include "tests/sim/simple_gang.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

// --- examples ----------------------------------------------------------------------------------------------

TEST(Gang, LosesTheStepAndTheCheckpointUnderWay) {
  ProgressLog log;
  Gang gang(log);
  // Steps of 1 s, a checkpoint after every 10 that blocks 2 s and is durable 3 s later: taken at 12 s,
  // durable at 15 s.
  const Gang::Checkpointing checkpointing = to_storage(10s, 2s, 3s);
  const struct {
    Duration cut;
    std::int64_t steps, durable;
  } table[] = {
      {9'500ms, 9, 0},   {10s, 10, 0},       {11s, 10, 0},  // in the middle of the checkpoint
      {14'999ms, 12, 0},                                    // 12 s: 10 steps; then 2 more
      {15s, 13, 10},     {26'999ms, 22, 10},                // the second is taken at 24 s, durable at 27 s
      {27s, 23, 20},
  };
  for (const auto& row : table) {
    gang.reset();
    gang.begin(kStart, 0, kSecond, checkpointing);
    EXPECT_EQ(gang.steps_at(kStart + row.cut), row.steps) << row.cut.count();
    gang.cut(kStart + row.cut);
    EXPECT_EQ(gang.durable(), row.durable) << row.cut.count();
    EXPECT_EQ(gang.state(), Gang::State::down);
  }
}

TEST(Gang, WritesCheckpointsToTheEndThoughTheNextIsTakenMeanwhile) {
  ProgressLog log;
  Gang gang(log);
  // Taken at 2, 4, 6, 8, ... s, durable 5 s later: at 9.5 s those of 2 s and 4 s are.
  gang.begin(kStart, 0, kSecond, to_storage(2s, 0s, 5s));
  gang.cut(kStart + 9'500ms);
  EXPECT_EQ(gang.durable(), 4);
}

TEST(Gang, WritesOnThroughAPause) {
  ProgressLog log;
  Gang gang(log);
  const Gang::Checkpointing checkpointing = to_storage(10s, 0s, 5s);
  gang.begin(kStart, 0, kSecond, checkpointing);
  gang.pause(kStart + 11s, FaultKindId{0}, kNever);  // taken at 10 s, durable at 15 s
  gang.resume(kStart + 12s);
  gang.pause(kStart + 14s, FaultKindId{0}, kNever);
  EXPECT_EQ(gang.durable(), 0);
  gang.resume(kStart + 14'500ms);
  gang.cut(kStart + 15s);
  EXPECT_EQ(gang.durable(), 10);

  gang.begin(kStart + 20s, 10, kSecond, checkpointing);
  gang.pause(kStart + 31s, FaultKindId{0}, kNever);  // taken at 30 s, durable at 35 s
  gang.cut(kStart + 35s);                            // while it is paused
  EXPECT_EQ(gang.durable(), 20);
}

TEST(Gang, StillOwesACheckpointWhenAnotherChangeFollowsAtOnce) {
  ProgressLog log;
  Gang gang(log);
  const Gang::Checkpointing none = to_storage(kForever, 2s, 0s);
  gang.begin(kStart, 0, kSecond, none);
  const Time boundary = gang.boundary_after(kStart + 2'500ms);
  ASSERT_EQ(boundary, kStart + 3s);
  gang.change(boundary, kSecond, none, true);
  gang.change(boundary, {.step = 2s, .healthy_step = 1s}, none, false);
  EXPECT_EQ(gang.next_checkpoint_time(boundary), kStart + 5s);
  EXPECT_EQ(gang.time_of_step(4), kStart + 7s);  // after the checkpoint, and 2 s
  gang.cut(kStart + 6s);
  EXPECT_EQ(gang.durable(), 3);
}

TEST(Gang, TakesACheckpointThatWasAskedForOnce) {
  ProgressLog log;
  Gang gang(log);
  const Gang::Checkpointing none = to_storage(kForever, 2s, 0s);
  gang.begin(kStart, 0, kSecond, none);
  gang.change(kStart + 3s, kSecond, none, true);
  EXPECT_EQ(gang.next_checkpoint_time(kStart + 5s), kNever);
  gang.change(kStart + 8s, kSecond, none, false);  // 3 s, a checkpoint of 2 s, 3 s
  EXPECT_EQ(gang.steps_at(kStart + 18s), 16);
}

TEST(Gang, TellsPeriodicCheckpointsFromOneThatWasAskedFor) {
  ProgressLog log;
  Gang gang(log);
  const Gang::Checkpointing every10 = to_storage(10s, 2s, 0s);
  gang.begin(kStart, 0, kSecond, every10);
  EXPECT_EQ(gang.next_periodic_checkpoint_time(kStart + 5s), kStart + 12s);
  gang.change(kStart + 5s, kSecond, every10, true);
  EXPECT_EQ(gang.next_checkpoint_time(kStart + 5s), kStart + 7s);
  EXPECT_EQ(gang.next_periodic_checkpoint_time(kStart + 5s), kStart + 19s);  // 10 s of training and 2 s later
  EXPECT_EQ(gang.next_periodic_checkpoint_time(kStart + 19s), kStart + 31s);
}

TEST(Gang, CountsTheIntervalInTrainingTime) {
  ProgressLog log;
  Gang gang(log);
  const Gang::Checkpointing every10 = to_storage(10s, 2s, 0s);
  gang.begin(kStart, 0, kSecond, every10);
  gang.pause(kStart + 4s, FaultKindId{3}, kNever);
  gang.resume(kStart + 9s);
  EXPECT_EQ(gang.next_checkpoint_time(kStart + 9s),
            kStart + 17s);  // 10 s of training, 5 s of pause, 2 s of stall
  // From 11 s on, after 6 steps, at a third of the pace: 4 s are left of the interval, which two steps of 3 s
  // exceed.
  gang.change(kStart + 11s, {.step = 3s, .healthy_step = 1s}, every10, false);
  EXPECT_EQ(gang.next_checkpoint_time(kStart + 11s), kStart + 19s);
  // From then on every four steps: 12 s is the first boundary not before 10 s.
  EXPECT_EQ(gang.next_checkpoint_time(kStart + 19s), kStart + 33s);

  ASSERT_EQ(log.pauses.size(), 1u);
  EXPECT_EQ(log.pauses[0].begin, kStart + 4s);
  EXPECT_EQ(log.pauses[0].end, kStart + 9s);
  EXPECT_EQ(log.pauses[0].kind, FaultKindId{3});
}

TEST(Gang, TakesAnIntervalOfAges) {
  ProgressLog log;
  Gang gang(log);
  gang.begin(kStart, 0, kSecond, to_storage(kForever - 1ns, 2s, 0s));
  EXPECT_EQ(gang.steps_at(kStart + 24h), 24 * 3600);
  gang.cut(kStart + 24h);
  EXPECT_EQ(gang.durable(), 0);
}

TEST(GangDeathTest, ChangesAtBoundariesAlone) {
  ProgressLog log;
  Gang gang(log);
  gang.begin(kStart, 0, kSecond, {});
  EXPECT_DEATH(gang.change(kStart + 500ms, kSecond, {}, false), "changes wait for a boundary");
}

// --- against a model that ticks ----------------------------------------------------------------------------

/// Training, nanosecond by nanosecond. How far a checkpoint goes is counted down, one checkpoint after another.
class TickingGang {
 public:
  using State = Gang::State;

  Time now = kStart, last_step = kStart;
  State state = State::down;
  std::int64_t steps = 0, stored = 0;
  Duration into_step{}, into_stall{};

  void begin(std::int64_t step, Pace with, const Gang::Checkpointing& checkpointing) {
    state = State::training;
    steps = step;
    into_step = into_stall = {};
    stalling_ = wanted_ = false;
    for (std::size_t tier = 0; tier < kTiers; ++tier) {
      if (held_[tier] > step) held_[tier].reset();
      trained_[tier] = held_[tier] || tier == 2 ? (step - held(tier)) * with.step : 0ns;
    }
    increments_ = {};
    last_step = now;
    plan(with, checkpointing);
    if (due() && furthest().stall == 0ns) take_checkpoint();
  }
  void change(Pace with, const Gang::Checkpointing& checkpointing, bool checkpoint_now) {
    wanted_ = wanted_ || checkpoint_now;
    plan(with, checkpointing);
    if (due() && furthest().stall == 0ns) take_checkpoint();
  }
  void cut() {
    settle();
    writing_.clear();
    storage_halts_ = false;
    state = State::down;
  }
  void resume() {
    state = State::training;
    storage_halts_ = false;
  }
  void storage_halts() { storage_halts_ = true; }
  void storage_answers() { storage_halts_ = false; }

  void tick() {
    if (state == State::training && at_boundary() && due()) stalling_ = true;
    settle();
    now += 1ns;
    if (storage_halts_) {
      for (Written& each : writing_) each.durable += each.tier == 2 ? 1ns : 0ns;
    }
    if (state != State::training) return;
    if (stalling_) {
      into_stall += 1ns;
      if (into_stall == furthest().stall) take_checkpoint();
      return;
    }
    into_step += 1ns;
    if (into_step < pace_.step) return;
    into_step = {};
    for (Duration& each : trained_) each += pace_.step;
    --steps_left_;
    ++steps;
    last_step = now;
    if (due() && furthest().stall == 0ns) take_checkpoint();
  }
  bool at_boundary() const { return into_step == 0ns && !stalling_; }
  bool ever_stores() const {
    return !levels_.empty() && levels_.back().tier == 2 && levels_.back().next < kNoCheckpoint / 2 &&
           steps_left_ < kNoCheckpoint / 2;
  }
  std::int64_t held(std::size_t tier) {
    settle();
    return held_[tier].value_or(0);
  }
  std::int64_t increments_held(std::size_t tier) {
    settle();
    return increments_held_[tier];
  }
  std::int64_t durable() { return held(2); }
  /// When `holds` will hold first, at a copy.
  template <class Holds>
  Time when(Holds&& holds) const {
    TickingGang later = *this;
    while (!holds(later)) later.tick();
    return later.now;
  }

 private:
  struct Level {
    std::size_t tier;
    std::int64_t every, next;  // in checkpoints
  };
  struct Written {
    std::size_t tier;
    std::int64_t step;
    Time durable;
    std::int64_t increments;
  };

  /// The least steps, not fewer than `least`, that take as long as that together.
  std::int64_t steps_for(Duration time, std::int64_t least) const {
    while (least * pace_.step < time) ++least;
    return least;
  }
  void plan(Pace with, Gang::Checkpointing checkpointing) {
    pace_ = with;
    Duration shortest = kForever;
    for (std::size_t t = kTiers; t-- > 0;) {
      Duration& interval = checkpointing.tiers[t].interval;
      if (interval != kForever) shortest = interval = std::min(interval, shortest);
    }
    checkpointing_ = checkpointing;
    levels_.clear();
    for (std::size_t t = 0; t < kTiers; ++t) {
      const Duration interval = checkpointing.tiers[t].interval;
      const bool ever = interval != kForever;
      if (!ever && !(wanted_ && t == 2)) continue;
      if (levels_.empty()) {
        every_ = ever ? steps_for(interval, 1) : kNoCheckpoint;
        steps_left_ = wanted_ ? 0 : steps_for(interval - trained_[t], 0);
        levels_.push_back({t, 1, 1});
        continue;
      }
      const Level last = levels_.back();
      std::int64_t every = last.every, next = last.next;
      while (ever && every * every_ * pace_.step < interval) every += last.every;
      while (ever && trained_[t] + (steps_left_ + (next - 1) * every_) * pace_.step < interval)
        next += last.every;
      while (next > every) next -= last.every;
      levels_.push_back({t, ever ? every : kNoCheckpoint, wanted_ ? 1 : next});
    }
    for (Level& each : levels_) each.next = wanted_ ? 1 : each.next;
  }
  bool due() const { return !levels_.empty() && steps_left_ <= 0; }
  const Gang::TierPlan& furthest() const {
    std::size_t tier = 0;
    for (const Level& each : levels_) tier = each.next == 1 ? each.tier : tier;
    return checkpointing_.tiers[tier];
  }
  void take_checkpoint() {
    stalling_ = wanted_ = false;
    into_stall = {};
    steps_left_ = every_;
    std::vector<std::size_t> going;
    for (Level& each : levels_) {
      if (--each.next > 0) continue;
      each.next = each.every;
      for (std::size_t t = 0; t <= each.tier; ++t) trained_[t] = {};
      if (each.tier == 2) ++stored;
      going.push_back(each.tier);
    }
    for (std::size_t t = 0; t < 2; ++t) {
      const bool used =
          std::any_of(levels_.begin(), levels_.end(), [t](const Level& each) { return each.tier == t; });
      const bool goes = std::find(going.begin(), going.end(), t) != going.end();
      // Whole where it goes on to a tier without increments.
      const bool whole = std::any_of(going.begin(), going.end(), [&](std::size_t far) {
        return far > t && !checkpointing_.tiers[far].increments;
      });
      const bool further = std::any_of(going.begin(), going.end(), [t](std::size_t far) { return far > t; });
      increments_[t] = whole || (!used && further) ? 0 : increments_[t] + (goes ? 1 : 0);
      whole_[t] = whole;
    }
    for (const std::size_t tier : going) {
      const Gang::TierPlan& plan = checkpointing_.tiers[tier];
      const bool whole = tier < 2 && plan.increments && whole_[tier];
      Time durable = now + (whole ? plan.whole_persist : plan.persist);
      for (const Written& before : writing_) {  // it builds on these
        const bool needs = tier < 2 && plan.increments && increments_[tier] > 0 && before.tier == tier;
        if (needs) durable = std::max(durable, before.durable);
      }
      writing_.push_back({tier, steps, durable, tier == 2 ? 0 : increments_[tier]});
    }
  }
  void settle() {
    std::erase_if(writing_, [this](const Written& each) {
      if (each.durable > now) return false;
      const bool newer = held_[each.tier].value_or(-1) < each.step;
      if (newer || (*held_[each.tier] == each.step && each.increments < increments_held_[each.tier]))
        increments_held_[each.tier] = each.increments;
      held_[each.tier] = std::max(held_[each.tier].value_or(0), each.step);
      return true;
    });
  }

  Pace pace_;
  Gang::Checkpointing checkpointing_;
  std::vector<Level> levels_;
  std::int64_t every_ = 0, steps_left_ = 0;
  bool stalling_ = false, wanted_ = false, storage_halts_ = false;
  std::array<Duration, kTiers> trained_ = {};
  std::array<std::optional<std::int64_t>, kTiers> held_ = {};
  std::array<std::int64_t, kTiers> increments_ = {}, increments_held_ = {};
  std::array<bool, 2> whole_ = {};  // the last checkpoint, there
  std::vector<Written> writing_;
};

struct Moment {
  std::int64_t steps;
  Duration into_step, into_stall;
};
struct Span {
  Time begin, end;
};

/// Drives both with the same random operations and compares whatever can be asked.
class SideBySide {
 public:
  explicit SideBySide(std::uint64_t seed) : draw_(Seed{.study = seed}, stream_name("gang")) {}

  void run(int ticks) {
    for (int tick = 0; tick < ticks; ++tick) {
      for (int i = 0; i < 3; ++i) operate();
      compare();
      if (testing::Test::HasFatalFailure()) return;
      if (model_.state == Gang::State::training) {
        moments_[model_.now] = {model_.steps, model_.into_step, model_.into_stall};
      }
      model_.tick();
    }
    if (model_.state != Gang::State::down) cut();
    compare_log();
  }

 private:
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(draw_.below(static_cast<std::uint64_t>(n)));
  }
  bool chance(std::int64_t percent) { return below(100) < percent; }

  Pace any_pace() {
    const Duration healthy(1 + below(5));
    return {.step = healthy + Duration(below(3)), .healthy_step = healthy};
  }
  Gang::Checkpointing any_checkpointing() {
    Gang::Checkpointing any;
    Duration shortest(1 + below(25));
    for (const Tier tier : {Tier::memory, Tier::peers, Tier::storage}) {
      any[tier] = {.interval = chance(tier == Tier::storage ? 20 : 50) ? kForever : shortest,
                   .stall = Duration(below(5)),
                   .persist = Duration(chance(30) ? 0 : below(40))};
      any[tier].increments = tier != Tier::storage && chance(50);
      any[tier].whole_persist = any[tier].persist + Duration(below(30));
      shortest += Duration(below(60));
      if (chance(10)) shortest = Duration(1 + below(25));
    }
    return any;
  }

  void operate() {
    switch (model_.state) {
      case Gang::State::down:
        if (chance(10)) {
          const Pace pace = any_pace();
          const Gang::Checkpointing checkpointing = any_checkpointing();
          const std::int64_t from = model_.durable();
          gang_.loaded(model_.now, from, Tier::storage);
          gang_.begin(model_.now, from, pace, checkpointing);
          model_.begin(from, pace, checkpointing);
          pace_ = pace;
          open();
        }
        break;
      case Gang::State::paused:
        if (chance(5)) {
          gang_.storage_fails(model_.now);
          model_.storage_halts();
        } else if (chance(5)) {
          gang_.storage_answers(model_.now);
          model_.storage_answers();
        } else if (chance(10)) {
          gang_.resume(model_.now);
          model_.resume();
          pauses_.back().end = model_.now;
          open();
        } else if (chance(3)) {
          gang_.pause_goes_on(model_.now, FaultKindId{2}, kNever);
          pauses_.back().end = model_.now;
          pauses_.push_back({model_.now, model_.now});
        } else if (chance(1)) {
          cut();
        }
        break;
      case Gang::State::training:
        if (chance(1)) {
          gang_.pause(model_.now, FaultKindId{2}, kNever);
          close();
          model_.state = Gang::State::paused;
          pauses_.push_back({model_.now, model_.now});
          compare_held();
        } else if (below(300) == 0) {
          cut();
        } else if (model_.at_boundary() && chance(10)) {
          change();
        }
        break;
    }
  }
  void change() {
    const bool checkpoint_now = chance(30);
    if (chance(50)) pace_ = any_pace();
    const Gang::Checkpointing checkpointing = any_checkpointing();
    gang_.change(model_.now, pace_, checkpointing, checkpoint_now);
    compare_held();
    close();
    model_.change(pace_, checkpointing, checkpoint_now);
    open();
  }
  void cut() {
    gang_.cut(model_.now);
    if (model_.state == Gang::State::paused) {
      pauses_.back().end = model_.now;
    } else {
      close();
    }
    model_.cut();
    compare_held();
  }
  void compare_held() {
    const auto step = [](const std::optional<Gang::Held>& held) { return held ? held->step : 0; };
    EXPECT_EQ(gang_.durable(), model_.durable()) << "at " << model_.now.time_since_epoch().count();
    EXPECT_EQ(step(gang_.held(Tier::memory)), model_.held(0))
        << "at " << model_.now.time_since_epoch().count();
    EXPECT_EQ(step(gang_.held(Tier::peers)), model_.held(1))
        << "at " << model_.now.time_since_epoch().count();
    for (const Tier tier : {Tier::memory, Tier::peers}) {
      if (!gang_.held(tier)) continue;
      EXPECT_EQ(gang_.held(tier)->increments, model_.increments_held(static_cast<std::size_t>(tier)))
          << kTierNames[static_cast<std::size_t>(tier)] << " at " << model_.now.time_since_epoch().count();
    }
  }
  void open() { stretches_.push_back({model_.now, model_.now}); }
  void close() {
    stretches_.back().end = model_.now;
    if (stretches_.back().begin == model_.now) stretches_.pop_back();
  }

  void compare() {
    const Time now = model_.now;
    SCOPED_TRACE("at " + std::to_string(now.time_since_epoch().count()) + " ns");
    ASSERT_EQ(gang_.state(), model_.state);
    ASSERT_EQ(gang_.last_step_time(now), model_.last_step);
    if (model_.state != Gang::State::training) return;
    ASSERT_EQ(gang_.steps_at(now), model_.steps);
    if (below(4) != 0) return;  // the rest is looked up in the model's future
    ASSERT_EQ(gang_.boundary_after(now),
              model_.when([](const TickingGang& later) { return later.at_boundary(); }));
    const std::int64_t steps = model_.steps, stored = model_.stored;
    ASSERT_EQ(gang_.next_step_time(now),
              model_.when([=](const TickingGang& later) { return later.steps > steps; }));
    const std::int64_t ahead = steps + 1 + below(5);
    ASSERT_EQ(gang_.time_of_step(ahead),
              model_.when([=](const TickingGang& later) { return later.steps == ahead; }));
    ASSERT_EQ(gang_.next_checkpoint_time(now),
              model_.ever_stores()
                  ? model_.when([=](const TickingGang& later) { return later.stored > stored; })
                  : kNever);
  }

  void compare_log() {
    ASSERT_EQ(log_.stretches.size(), stretches_.size());
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
      const Stretch& stretch = log_.stretches[i];
      ASSERT_EQ(stretch.begin, stretches_[i].begin);
      ASSERT_EQ(stretch.end, stretches_[i].end);
      for (Time t = stretch.begin; t < stretch.end; t += 1ns) {  // at its end the next one may hold already
        const Moment& moment = moments_.at(t);
        const Reached reached = stretch.reached_at(t);
        ASSERT_EQ(stretch.first_step + reached.steps, moment.steps);
        ASSERT_EQ(reached.into_step, moment.into_step);
        ASSERT_EQ(reached.into_stall, moment.into_stall);
      }
    }
    ASSERT_EQ(log_.pauses.size(), pauses_.size());
    for (std::size_t i = 0; i < pauses_.size(); ++i) {
      ASSERT_EQ(log_.pauses[i].begin, pauses_[i].begin);
      ASSERT_EQ(log_.pauses[i].end, pauses_[i].end);
      ASSERT_EQ(log_.pauses[i].kind, FaultKindId{2});
    }
  }

  Stream draw_;
  ProgressLog log_;
  Gang gang_{log_};
  TickingGang model_;
  Pace pace_;
  std::vector<Span> stretches_, pauses_;
  std::map<Time, Moment> moments_;
};

TEST(Gang, DoesWhatATickingModelDoes) {
  for (std::uint64_t seed = 1; seed <= 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SideBySide(seed).run(4'000);
  }
}

}  // namespace
}  // namespace gauntlet
