// Checkpoints: how often, how far, what each tier holds, what outlives what, and what a start goes back to.
#include "models/storage/peer_memory.hpp"
#include "tests/reference/reference_cluster.hpp"

#include <algorithm>

namespace gauntlet::reference {
namespace {

constexpr std::array<Tier, kTiers> kAllTiers = {Tier::memory, Tier::peers, Tier::storage};
constexpr std::size_t index(Tier tier) { return static_cast<std::size_t>(tier); }

}  // namespace

/// The next checkpoint to a tier, or through it, is taken when the last one is usually there; slow writes alone overlap
/// (docs/decisions.md, 2026-11-22, "What the plan got wrong, about checkpoints and repair", (2)). A quicker tier's interval is
/// at most a safer one's, since every copy to a safer tier passes through the quicker ones.
Duration ReferenceCluster::interval(Tier tier) const {
  if (ordered_[index(tier)] == kForever) return kForever;
  Duration shortest = kForever;
  for (std::size_t t = kTiers; t-- > index(tier);) {
    if (ordered_[t] == kForever) continue;
    Duration least{};
    for (std::size_t through = 0; through <= t; ++through)
      if (ordered_[through] != kForever) least = std::max(least, costs_.tiers[through].persist);
    shortest = std::min(shortest, std::max(ordered_[t], least));
  }
  return shortest;
}

/// Training waits for a checkpoint that goes further at least as long as for one that does not, as it passes through the
/// quicker tiers.
Duration ReferenceCluster::stall_of(Tier far) const {
  Duration stall = costs(far).stall;
  for (const Tier tier : {Tier::memory, Tier::peers})
    if (tier < far && in_use(tier)) stall = std::max(stall, costs(tier).stall);
  return stall;
}

/// When the next checkpoint is taken, and how far it and those after it go: asked when training begins and at a step boundary
/// at which its pace, an interval or an order for a checkpoint has changed. An interval counts training time alone, and the
/// first boundary at which it has passed is the one. "Tiers are nested: every m-th checkpoint of a quicker tier goes further,
/// so the interval of a safer one is rounded up to a multiple of that of a quicker one" (core/action.hpp): the first that does
/// is the one at which the safer tier's interval has passed, and at most the m-th.
void ReferenceCluster::plan_checkpoints() {
  levels_.clear();
  const Duration step = step_takes_;
  const auto steps_for = [&](Duration time, std::int64_t least) {
    while (least * step < time) ++least;
    return least;
  };
  for (const Tier tier : kAllTiers) {
    const bool ever = in_use(tier);
    if (!ever && !(checkpoint_wanted_ && tier == Tier::storage)) continue;
    const Duration trained = trained_since_[index(tier)];
    if (levels_.empty()) {
      steps_apart_ = ever ? steps_for(interval(tier), 1) : kNoCheckpoint;
      steps_left_ = checkpoint_wanted_ ? 0 : steps_for(interval(tier) - trained, 0);
      levels_.push_back({tier, 1, 1});
      continue;
    }
    const Level quicker = levels_.back();
    Level level{tier, ever ? quicker.every : kNoCheckpoint, quicker.next};
    while (ever && level.every * steps_apart_ * step < interval(tier)) level.every += quicker.every;
    while (ever && trained + (steps_left_ + (level.next - 1) * steps_apart_) * step < interval(tier))
      level.next += quicker.every;
    while (level.next > level.every) level.next -= quicker.every;
    levels_.push_back(level);
  }
  if (checkpoint_wanted_)
    for (Level& level : levels_) level.next = 1;
  plan_wanted_ = false;
}

/// How far a checkpoint at this step boundary goes.
std::optional<Tier> ReferenceCluster::checkpoint_due() const {
  if (levels_.empty() || steps_left_ > 0) return std::nullopt;
  return next_reaches();
}

Tier ReferenceCluster::next_reaches() const {
  Tier far = levels_.front().tier;
  for (const Level& level : levels_)
    if (level.next == 1) far = level.tier;
  return far;
}

/// The stall of a checkpoint is over: every tier in use that it reaches gets a copy, which is complete `persist` later
/// (TierCosts in models/storage/storage.hpp). The intervals of these tiers begin anew.
void ReferenceCluster::take_checkpoint() {
  saving_.reset();
  const bool wanted = std::exchange(saving_wanted_, false);
  if (wanted) checkpoint_wanted_ = false;
  steps_left_ = steps_apart_;
  for (Level& level : levels_) {
    if (--level.next > 0) continue;
    level.next = level.every;
    const Tier tier = level.tier;
    for (const Tier through : kAllTiers)
      if (through <= tier) trained_since_[index(through)] = {};
    Underway& copy = underway_.emplace_back();
    copy.tier = tier;
    copy.step = step_;
    Duration persist = costs(tier).persist;
    if (tier == Tier::storage) {
      copy.number = ++stored_count_;
      if (world_->storage.slow_write.value == 1)
        persist = from_seconds(to_seconds(persist) * world_->storage.slow_factor);
      if (Open* order = wanted ? find_open<Checkpoint>() : nullptr) copy.order = order->order.id;
    }
    const auto it = std::prev(underway_.end());
    const auto complete = [this, it] { copy_complete(it); };
    if (persist == Duration::zero()) {
      complete();
    } else {
      copy.due = after(agenda_.now(), persist);
      copy.done = agenda_.at(copy.due, Rank::training, complete);
    }
  }
}

/// Storage keeps the newest `keep_last`, and every `keep_every`th for ever (keys storage.keep_last, keep_every).
void ReferenceCluster::copy_complete(std::list<Underway>::iterator it) {
  const Underway copy = *it;
  underway_.erase(it);
  if (copy.tier != Tier::storage) {
    Copy held{.step = copy.step, .slots = {}};
    for (std::uint32_t slot = 0; slot < seats_.size(); ++slot)
      if (!copy.lost.contains(slot)) held.slots.insert(slot);
    copies_[index(copy.tier)] = held;
    return;
  }
  stored_.emplace_back(copy.number, copy.step);
  for (std::size_t i = 0; stored_.size() - i > world_->storage.keep_last;) {
    const std::uint32_t forever = world_->storage.keep_every;
    if (forever > 0 && stored_[i].first % forever == 0) {
      ++i;
    } else {
      stored_.erase(stored_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  if (copy.order == OrderId{}) return;
  agenda_.at(agenda_.now(), Rank::world, [this, copy] {
    if (const auto order = close(copy.order)) answer(*order, Status::done, Saved{copy.step});
  });
}

/// Key tampers, "checkpoint": "the newest complete checkpoint in storage cannot be read any more" (models/fault/fault.hpp). One that was
/// damaged before is not complete: the next older one is.
void ReferenceCluster::damage_newest() {
  for (auto copy = stored_.rbegin(); copy != stored_.rend(); ++copy)
    if (damaged_.insert(copy->first).second) return;
}

/// Key halts_storage: "checkpoints that are being written or loaded wait as well", while a stall that halts storage pauses the
/// job.
void ReferenceCluster::storage_halts() {
  storage_halted_ = true;
  for (Underway& copy : underway_) {
    if (copy.tier != Tier::storage || !agenda_.planned(copy.done)) continue;
    agenda_.cancel(copy.done);
    copy.left = copy.due - agenda_.now();
  }
}

void ReferenceCluster::storage_answers() {
  storage_halted_ = false;
  for (auto copy = underway_.begin(); copy != underway_.end(); ++copy) {
    if (copy->tier != Tier::storage || agenda_.planned(copy->done)) continue;
    copy->due = agenda_.now() + copy->left;
    copy->done = agenda_.at(copy->due, Rank::training, [this, copy] { copy_complete(copy); });
  }
}

/// "a fault between the two stages loses the copy of the tier that had not got its last byte" (docs/decisions.md, 2026-11-22,
/// "A checkpoint goes as far as its tier").
void ReferenceCluster::abandon_copies() {
  for (Underway& copy : underway_) agenda_.cancel(copy.done);
  underway_.clear();
  saving_.reset();
}

/// The memory of the host in that slot is gone: with its power, with its agent, or because it was taken out. Processes that
/// crash leave it (docs/decisions.md, 2026-11-22, "What a tier holds goes with what is gone").
void ReferenceCluster::lose_memory(std::uint32_t slot) {
  for (auto& copy : copies_)
    if (copy) copy->slots.erase(slot);
  for (Underway& copy : underway_) copy.lost.insert(slot);
}

/// Memory outlives the ranks, not the host; peers' memory a host whose copies are elsewhere (core/tier.hpp). Every slot needs
/// its own copy of the first, and every group of peers one of the second (models/storage/peer_memory.hpp).
bool ReferenceCluster::left_in(Tier tier) const {
  if (tier == Tier::storage) return !stored_.empty();
  const auto& copy = copies_[index(tier)];
  if (!copy) return false;
  std::vector<std::uint32_t> lost;
  for (std::uint32_t slot = 0; slot < seats_.size(); ++slot)
    if (!copy->slots.contains(slot)) lost.push_back(slot);
  if (tier == Tier::memory) return lost.empty();
  return peers_recover(static_cast<std::uint32_t>(seats_.size()), world_->storage.copies, lost);
}

/// Start: "from the newest checkpoint that can be read"; `back`: "from storage, so many checkpoints before the newest, or the
/// oldest that is kept" (core/action.hpp). Of two tiers that hold the same step the quicker is read (ARCHITECTURE.md, "How a
/// replica runs"). Loading shows that a checkpoint in storage is corrupt, and the next older one is loaded (key
/// storage.corrupt).
ReferenceCluster::Load ReferenceCluster::what_to_load(const Start& start) const {
  const std::size_t restore = static_cast<std::size_t>(start.restore);
  std::optional<Load> in_memory;
  for (const Tier tier : {Tier::memory, Tier::peers}) {
    if (start.back > 0 || !left_in(tier)) continue;
    const std::int64_t step = copies_[index(tier)]->step;
    if (!in_memory || step > in_memory->step) in_memory = Load{step, costs(tier).load[restore], tier};
  }
  Load load;
  auto readable = stored_;
  for (std::uint32_t i = 0; i < start.back && readable.size() > 1; ++i) readable.pop_back();
  const std::int64_t newer_than = in_memory ? in_memory->step : 0;
  // Which of them are corrupt the tape says: the run went on from another one, or loaded two of one step one after the other.
  const auto began = tape_.start(starts_);
  for (; !readable.empty() && readable.back().second > newer_than; readable.pop_back()) {
    load.takes += costs(Tier::storage).load[restore];
    if (damaged_.contains(readable.back().first)) continue;
    load.step = readable.back().second;
    // Of a start that did not succeed it does not say.
    if (world_->storage.corrupt.value > 0 && !began)
      return {.step = load.step, .takes = std::chrono::hours(1000)};
    if (world_->storage.corrupt.value == 0) return load;
    const bool another = readable.size() > 1 && readable[readable.size() - 2].second == load.step &&
                         !damaged_.contains(readable[readable.size() - 2].first);
    const Duration whole = start_phases(start, true) + load.takes + start_phases(start, false);
    if (began->step == load.step && !(another && began->took >= whole + costs(Tier::storage).load[restore] &&
                                      costs(Tier::storage).load[restore] > Duration::zero()))
      return load;
  }
  if (!in_memory) return {.step = 0, .takes = load.takes, .from = Tier::storage};
  in_memory->takes += load.takes;
  return *in_memory;
}

/// "a checkpoint was loaded from a tier: newer ones are deleted. What lost hosts held of it was copied back to them"
/// (sim/job/gang.hpp).
void ReferenceCluster::loaded(const Load& load) {
  for (auto& copy : copies_)
    if (copy && copy->step > load.step) copy.reset();
  // Ranks that got it from a memory have it in their hosts' memory.
  for (const Tier tier : {Tier::memory, Tier::peers}) {
    const bool there =
        tier == load.from || (tier == Tier::memory && load.from == Tier::peers && in_use(tier));
    if (!there) continue;
    auto& copy = copies_[index(tier)] = Copy{.step = load.step, .slots = {}};
    for (std::uint32_t slot = 0; slot < seats_.size(); ++slot) copy->slots.insert(slot);
  }
  while (!stored_.empty() && stored_.back().second > load.step) stored_.pop_back();
}

}  // namespace gauntlet::reference
