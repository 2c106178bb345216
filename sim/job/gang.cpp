#include "sim/job/gang.hpp"

#include "core/contract.hpp"
#include "core/saturating.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

/// Rarer than this, checkpoints of a tier are not taken at all: no job is simulated so long, and times stay far from the end
/// of their range.
constexpr double kLongestRound = 100.0 * 365 * 24 * 3600 * 1e9;  // ns

std::int64_t ceil_div(Duration a, Duration b) { return a / b + (a % b > Duration::zero() ? 1 : 0); }

double in_ns(Duration time) { return static_cast<double>(time.count()); }

}  // namespace

void Gang::reset(Seed seed) {
  Gang fresh(*log_);
  fresh.stored_ = std::move(stored_);
  fresh.stored_.reset(seed);
  *this = std::move(fresh);
}

// --- when checkpoints are taken --------------------------------------------------------------------------------------

Cadence Gang::plan(Duration step) {
  levels_.clear();
  Duration interval = kForever;
  for (std::size_t t = kTiers; t-- > 0;) {  // what passes through a quicker tier counts for it
    const Duration own = checkpointing_.tiers[t].interval;
    const auto tier = static_cast<Tier>(t);
    if (own == kForever && !(wanted_ && tier == Tier::storage)) continue;
    interval = std::min(interval, own);
    checkpointing_.tiers[t].interval = std::min(own, interval);
    levels_.insert(levels_.begin(), {.tier = tier});
  }
  if (levels_.empty())
    return {.first = kNoCheckpoint, .every = kNoCheckpoint, .stall = storage_stall(), .further = {}};

  const auto quickest = static_cast<std::size_t>(levels_.front().tier);
  Cadence cadence{.first = kNoCheckpoint,
                  .every = kNoCheckpoint,
                  .stall = checkpointing_.tiers[quickest].stall,
                  .further = {}};
  if (interval != kForever) {
    cadence.every = std::max<std::int64_t>(1, ceil_div(interval, step));
    const Duration left = interval - trained_[quickest];
    cadence.first = left <= Duration::zero() ? 0 : ceil_div(left, step);
  }
  if (wanted_) cadence.first = 0;
  if (levels_.size() > 1) plan_further(cadence, step);
  return cadence;
}

/// Which of the checkpoints go further.
void Gang::plan_further(Cadence& cadence, Duration step) {
  const std::vector<Level> wanted = std::exchange(levels_, {levels_.front()});
  Duration longest{};
  for (const TierPlan& each : checkpointing_.tiers) longest = std::max(longest, each.stall);
  const double apart = static_cast<double>(cadence.every) * in_ns(step) + in_ns(longest);
  const auto most = static_cast<std::int64_t>(kLongestRound / apart);
  std::int64_t every = 1, next = 1;  // of the level before: how often, and the first
  for (std::size_t i = 1; i < wanted.size(); ++i) {
    const auto tier = static_cast<std::size_t>(wanted[i].tier);
    const Duration interval = checkpointing_.tiers[tier].interval;
    const bool too_rare = most < every || in_ns(interval) > kLongestRound;
    const Duration unit = too_rare ? kForever : times(every, times(cadence.every, step));
    const std::int64_t multiple = too_rare ? 1 : std::max<std::int64_t>(1, ceil_div(interval, unit));
    if (too_rare || multiple > most / every) {
      if (!wanted_ || wanted[i].tier != Tier::storage) continue;
      every *= std::max<std::int64_t>(1, most / every);  // this one, and none after it
      next = 1;
    } else {
      const Duration until_this = times(cadence.first + (next - 1) * cadence.every, step);
      const Duration left = interval - std::min(interval, sum(trained_[tier], until_this));
      if (left > Duration::zero()) next += every * ceil_div(left, unit);
      // At another pace than before, rounding may put it beyond a whole round.
      if (next > multiple * every) next -= (next - multiple * every + every - 1) / every * every;
      if (wanted_) next = 1;
      every *= multiple;
    }
    levels_.push_back({.tier = wanted[i].tier, .every = every, .taken = every - next});
    cadence.further[levels_.size() - 2] = {
        .every = every, .taken = every - next, .stall = checkpointing_.tiers[tier].stall};
  }
}

const Gang::Level* Gang::level_of(Tier tier) const {
  const auto found =
      std::find_if(levels_.begin(), levels_.end(), [tier](const Level& each) { return each.tier >= tier; });
  return found == levels_.end() ? nullptr : &*found;
}

void Gang::open(Time now, std::int64_t first_step, Pace pace) {
  stretch_ = {.begin = now,
              .end = now,
              .origin = now,
              .first_step = first_step,
              .step = pace.step,
              .healthy_step = pace.healthy_step,
              .for_fewer = pace.for_fewer,
              .cadence = plan(pace.step)};
  begun_ = {};
  asked_ = kNever;
  at_risk_ = risk_of_stretch();
}

WorkAtRisk Gang::risk_of_stretch() const {
  if (levels_.empty() || stretch_.cadence.every == kNoCheckpoint) return {};
  const Level* surviving = level_of(Tier::peers);
  const Level& level = surviving != nullptr ? *surviving : levels_.back();
  const Time taken = stretch_.time_of_checkpoint(level.nth(1));
  const double behind = to_seconds(checkpointing_[level.tier].persist);
  return {.trained = to_seconds(trained_[static_cast<std::size_t>(level.tier)]),
          .first = to_seconds(taken - stretch_.origin) + behind,
          .behind = behind,
          .period = to_seconds(stretch_.time_of_checkpoint(level.nth(2)) - taken)};
}

// --- the life of a job -----------------------------------------------------------------------------------------------

void Gang::begin(Time now, std::int64_t step, Pace pace, const Checkpointing& checkpointing) {
  expect(state_ == State::down, "a gang begins once");
  checkpointing_ = checkpointing;
  trained_ = {};
  for (const Tier tier : {Tier::memory, Tier::peers}) {
    const auto& held = held_[static_cast<std::size_t>(tier)];
    if (held) trained_[static_cast<std::size_t>(tier)] = times(step - held->step, pace.step);
  }
  trained_[static_cast<std::size_t>(Tier::storage)] = times(step - durable(), pace.step);
  increments_ = {};  // what was loaded is whole
  wanted_ = false;
  open(now, step, pace);
  last_step_ = now;
  state_ = State::training;
}

void Gang::close(Time now) {
  last_step_ = last_step_time(now);
  stretch_.end = now;
  risk_met_ += at_risk_.sum_until(to_seconds(now - stretch_.origin)) -
               at_risk_.sum_until(to_seconds(stretch_.begin - stretch_.origin));
  if (stretch_.end > stretch_.begin) log_->stretches.push_back(stretch_);
}

void Gang::cut(Time now) {
  expect(state_ != State::down, "a gang that is down cannot be cut");
  if (state_ == State::paused) {
    log_->pauses.back().end = now;
    settle_written(now);
  } else {
    settle(now);
    close(now);
  }
  writing_.clear();
  storage_failed_.reset();
  if (const Level* level = level_of(Tier::storage)) storage_begun_ += level->settled;
  state_ = State::down;
}

void Gang::pause(Time now, FaultKindId by, Time until) {
  expect(state_ == State::training, "only a gang that trains can be paused");
  settle(now);
  close(now);
  begun_ = reached_at(now);
  log_->pauses.push_back({.begin = now, .end = now, .kind = by});
  paused_until_ = until;
  state_ = State::paused;
}

void Gang::resume(Time now) {
  expect(state_ == State::paused, "only a paused gang resumes");
  storage_answers(now);
  Pause& pause = log_->pauses.back();
  pause.end = now;
  stretch_.origin += now - pause.begin;  // the arithmetic goes on where it stood
  stretch_.begin = now;
  reached_ = begun_;
  asked_ = now;
  state_ = State::training;
}

void Gang::pause_goes_on(Time now, FaultKindId by, Time until) {
  expect(state_ == State::paused, "only a pause goes on");
  Pause& pause = log_->pauses.back();
  pause.end = now;
  stretch_.origin += now - pause.begin;
  asked_ = kNever;
  paused_until_ = until;
  log_->pauses.push_back({.begin = now, .end = now, .kind = by});
}

void Gang::change(Time boundary, Pace pace, const Checkpointing& checkpointing, bool checkpoint_now) {
  expect(state_ == State::training, "only a gang that trains changes its pace");
  const Reached reached = reached_at(boundary);
  expect(reached.into_step == Duration::zero() && reached.into_stall == Duration::zero(),
         "changes wait for a boundary");
  settle(boundary);
  close(boundary);
  for (std::size_t t = 0; t < kTiers; ++t) {
    const Level* level = level_of(static_cast<Tier>(t));
    const std::int64_t taken = level == nullptr ? 0 : level->count(reached.checkpoints);
    const std::int64_t since = taken > 0 ? stretch_.steps_before_checkpoint(level->nth(taken)) : 0;
    trained_[t] =
        sum(taken > 0 ? Duration::zero() : trained_[t], times(reached.steps - since, stretch_.step));
    if (taken > 0 && t < increments_.size())
      increments_[t] = level->tier == static_cast<Tier>(t) ? increments_at(*level, reached.checkpoints) : 0;
  }
  if (const Level* level = level_of(Tier::storage)) storage_begun_ += level->settled;
  checkpointing_ = checkpointing;
  wanted_ =
      checkpoint_now || (wanted_ && reached.checkpoints == 0);  // asked for at this same boundary: still owed
  open(boundary, stretch_.first_step + reached.steps, pace);
  if (wanted_) trained_ = {};
}

// --- what tiers hold -------------------------------------------------------------------------------------------------

/// The level of the quickest further tier that carries no increments: what goes there is whole on its way.
const Gang::Level* Gang::whole_level(const Level& level) const {
  for (const Level* further = &level + 1; further != levels_.data() + levels_.size(); ++further)
    if (!checkpointing_[further->tier].increments) return further;
  return nullptr;
}

/// Of the stretch's first n checkpoints, those to this level since the last whole one, with those of earlier stretches.
std::int64_t Gang::increments_at(const Level& level, std::int64_t n) const {
  if (level.tier == Tier::storage) return 0;
  const Level* whole = whole_level(level);
  if (const std::int64_t went = whole == nullptr ? 0 : whole->count(n); went > 0)
    return level.count(n) - level.count(whole->nth(went));
  return increments_[static_cast<std::size_t>(level.tier)] + level.count(n);
}

Duration Gang::stored_persist(std::int64_t number) const {
  const Duration usual = checkpointing_[Tier::storage].persist;
  const double slowness = stored_.slowness(number);
  return slowness == 1 ? usual : from_seconds(to_seconds(usual) * slowness);
}

/// Of checkpoint n of the stretch, which has that number in storage.
Duration Gang::persist_at(const Level& level, std::int64_t n, std::int64_t number) const {
  if (level.tier == Tier::storage) return stored_persist(number);
  const TierPlan& plan = checkpointing_[level.tier];
  if (!plan.increments) return plan.persist;
  const Level* whole = whole_level(level);
  const bool goes = whole != nullptr && whole->count(n) > whole->count(n - 1);
  return goes ? plan.whole_persist : plan.persist;
}

/// Unless it holds a newer one, or one of the same step with fewer increments to load.
void Gang::hold(Tier in_memory, const Held& copy) {
  std::optional<Held>& held = held_[static_cast<std::size_t>(in_memory)];
  if (!held || std::pair(held->step, copy.increments) <= std::pair(copy.step, held->increments)) held = copy;
}

void Gang::settle(Time now) {
  const std::int64_t begun = reached_at(now).checkpoints;
  for (Level& level : levels_) settle(level, level.count(begun), now);
  settle_written(now);
}

/// Those taken since the last settling: a pause since then would have moved the times of the earlier ones.
void Gang::settle(Level& level, std::int64_t begun, Time now) {
  if (level.settled >= begun) return;
  const bool in_storage = level.tier == Tier::storage;
  const auto what = [&](std::int64_t j) {
    return StoredCheckpoints::One{storage_begun_ + j, step_of(level.nth(j))};
  };
  // What was complete by then is held now, however slow it was to write.
  const TierPlan& plan = checkpointing_[level.tier];
  const Duration usual = plan.increments ? std::max(plan.persist, plan.whole_persist) : plan.persist;
  const double slowest = in_storage ? stored_.slowest() : 1;
  const Duration longest = slowest == 1 ? usual : from_seconds(to_seconds(usual) * slowest);
  const Time seen = now - std::min(longest, now - kStart + Duration(1));  // before the start, at the earliest
  Time before = kStart;  // until the last of this tier that is being written is there
  for (const Written& each : writing_) {
    if (each.tier == level.tier) before = std::max(before, each.durable);
  }
  const bool builds_on = plan.increments && before > now;  // on one of an earlier stretch
  const bool none = seen < stretch_.begin || builds_on;
  const std::int64_t held = none ? 0 : level.count(stretch_.reached_at(seen).checkpoints);
  if (const std::int64_t first = level.settled + 1; held >= first) {
    if (in_storage) {
      stored_.add(what(first), held - first + 1, held > first ? what(first + 1).step - what(first).step : 1);
    } else {
      const std::int64_t n = level.nth(held);
      hold(level.tier, {what(held).step, stretch_.time_of_checkpoint(n), increments_at(level, n)});
    }
  }
  for (std::int64_t j = std::max(level.settled, held) + 1; j <= begun; ++j) {
    const std::int64_t n = level.nth(j);
    const Time taken = stretch_.time_of_checkpoint(n);
    Time durable = after(taken, persist_at(level, n, what(j).number));
    const std::int64_t increments = increments_at(level, n);
    if (plan.increments && increments > 0)
      durable = std::max(durable, before);  // it is worth nothing without what it builds on
    before = std::max(before, durable);
    writing_.push_back({level.tier, what(j), taken, durable, increments});
  }
  level.settled = begun;
}

void Gang::settle_written(Time now) {
  std::erase_if(writing_, [&](const Written& each) {
    const bool in_storage = each.tier == Tier::storage;
    if (each.durable > (in_storage ? storage_failed_.value_or(now) : now)) return false;
    if (in_storage) {
      stored_.add(each.what, 1, 1);
    } else {
      hold(each.tier, {each.what.step, each.taken, each.increments});
    }
    return true;
  });
}

void Gang::storage_fails(Time now) {
  expect(state_ == State::paused, "storage fails while training is paused");
  if (storage_failed_) return;
  settle_written(now);
  storage_failed_ = now;
}

Duration Gang::storage_answers(Time now) {
  if (!storage_failed_) return {};
  const Duration waited = now - *storage_failed_;
  settle_written(now);
  for (Written& each : writing_) {
    if (each.tier == Tier::storage) each.durable = after(each.durable, waited);
  }
  storage_failed_.reset();
  return waited;
}

void Gang::damage_stored(Time now) {
  if (state_ == State::training) settle(now);
  if (state_ == State::paused) settle_written(now);
  stored_.damage_newest();
}

void Gang::loaded(Time now, std::int64_t step, Tier from) {
  stored_.forget_after(step);
  for (auto& held : held_) {
    if (held && held->step > step) held.reset();
  }
  const Held whole{.step = step, .taken = now};
  if (from == Tier::peers) held_[static_cast<std::size_t>(from)] = whole;
  const bool keeps = from == Tier::memory || checkpointing_[Tier::memory].interval != kForever;
  if (from != Tier::storage && keeps) held_[static_cast<std::size_t>(Tier::memory)] = whole;
}

// --- where it stands -------------------------------------------------------------------------------------------------

Time Gang::boundary_after(Time now) const {
  const Reached reached = reached_at(now);
  if (reached.into_stall > Duration::zero())
    return after(now, stretch_.cadence.stall_of(reached.checkpoints + 1) - reached.into_stall);
  if (reached.into_step == Duration::zero()) return now;
  return after(now, stretch_.step - reached.into_step);
}

Time Gang::last_step_time(Time now) const {
  if (state_ != State::training) return last_step_;
  const std::int64_t steps = reached_at(now).steps;
  return steps == begun_.steps ? last_step_ : stretch_.time_of_step(steps);
}

Time Gang::next_step_time(Time now) const { return stretch_.time_of_step(reached_at(now).steps + 1); }

Time Gang::next_checkpoint_time(Time now) const { return time_of_stored(now, 1); }

Time Gang::next_periodic_checkpoint_time(Time now) const { return time_of_stored(now, wanted_ ? 2 : 1); }

/// When the next checkpoint to storage ends, from this one of the present stretch on.
Time Gang::time_of_stored(Time now, std::int64_t from) const {
  const Level* level = level_of(Tier::storage);
  if (level == nullptr || stretch_.cadence.first == kNoCheckpoint) return kNever;
  const std::int64_t next = std::max(from, level->count(reached_at(now).checkpoints) + 1);
  if (next > 1 && checkpointing_[Tier::storage].interval == kForever) return kNever;  // there was but one
  return stretch_.time_of_checkpoint(level->nth(next));
}

}  // namespace gauntlet
