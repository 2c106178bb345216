#include "sim/checkpoints.hpp"

#include "core/contract.hpp"
#include "core/saturating.hpp"
#include "models/storage/peer_memory.hpp"

#include <algorithm>
#include <optional>

namespace gauntlet {

void Checkpoints::reset() {
  intervals_.fill(kForever);
  ordered_.clear();
  lost_.clear();
  lost_before_load_ = 0;
  most_losses_ = kFewLosses;
}

/// The interval and the costs of each tier. The interval of a tier is at least the usual time until its checkpoint, and the
/// checkpoints of the quicker tiers, are complete: only unusually slow writes overlap. A checkpoint to a safer tier passes
/// through the quicker tiers, so its stall is at least as long as theirs.
Gang::Checkpointing Checkpoints::plan() const {
  const CheckpointCosts& all_costs = hosts_->size().costs();
  Gang::Checkpointing all;
  Duration least{};
  for (const Tier tier : {Tier::memory, Tier::peers, Tier::storage}) {
    const Duration interval = intervals_[static_cast<std::size_t>(tier)];
    const TierCosts& costs = all_costs[tier];
    const bool used = interval != kForever;
    if (used) least = std::max(least, costs.persist);
    all[tier] = {.interval = used ? std::max(interval, least) : kForever,
                 .stall = costs.stall,
                 .persist = costs.persist,
                 .whole_persist = costs.whole_persist(),
                 .increments = costs.increment < 1};
    for (const Tier quicker : {Tier::memory, Tier::peers}) {
      if (quicker >= tier || all[quicker].interval == kForever) continue;
      const TierCosts& through = all_costs[quicker];
      all[tier].stall =
          std::max(all[tier].stall, costs.increment < 1 ? through.stall : through.whole_stall());
    }
  }
  return all;
}

// --- those that were ordered -----------------------------------------------------------------------------------------

void Checkpoints::begin(const Gang& gang) {
  for (Ordered& each : ordered_) {
    if (each.begun()) continue;
    each.step = gang.stretch().first_step;
    each.stall_ends = gang.stretch().time_of_checkpoint(1);
    each.durable = after(each.stall_ends, gang.first_persist());
    orders_->set_due(each.order, each.durable);
  }
}

std::int64_t Checkpoints::close(OrderId order) {
  const auto found = std::find_if(ordered_.begin(), ordered_.end(),
                                  [&](const Ordered& each) { return each.order == order; });
  expect(found != ordered_.end(), "an ordered checkpoint is closed once");
  const std::int64_t step = found->step;
  ordered_.erase(found);
  return step;
}

void Checkpoints::training_pauses() {
  for (const Ordered& each : ordered_)
    if (each.begun() && each.stall_ends > engine_->now()) orders_->hold(each.order);
}

void Checkpoints::training_resumes(Duration pause) {
  for (Ordered& each : ordered_) {
    if (!each.begun() || each.stall_ends <= engine_->now() - pause) continue;
    each.stall_ends = after(each.stall_ends, pause);
    each.durable = after(each.durable, pause);
    orders_->set_due(each.order, each.durable);
  }
}

void Checkpoints::storage_fails() {
  for (const Ordered& each : ordered_)
    if (each.begun() && each.stall_ends <= engine_->now()) orders_->hold(each.order);
}

void Checkpoints::storage_answers(Duration waited, Time paused_at) {
  for (Ordered& each : ordered_) {
    if (!each.begun() || each.stall_ends > paused_at || orders_->is_due(each.order)) continue;
    each.durable = after(each.durable, waited);
    orders_->set_due(each.order, each.durable);
  }
}

// --- which checkpoints survive ---------------------------------------------------------------------------------------

void Checkpoints::lose_memory(std::uint32_t slot) {
  if (lost_.size() >= most_losses_) {
    forget_repeated_losses();
    most_losses_ =
        std::max(kFewLosses, 2 * lost_.size());  // so that forgetting costs next to nothing per loss
  }
  lost_.emplace_back(engine_->now(), slot);
}

void Checkpoints::forget_repeated_losses() {
  std::vector<bool> seen;
  std::vector<std::pair<Time, std::uint32_t>> last;
  std::size_t before_load = 0;
  for (std::size_t i = lost_.size(); i-- > 0;) {
    const std::uint32_t slot = lost_[i].second;
    if (seen.size() <= slot) seen.resize(slot + 1);
    if (seen[slot]) continue;
    seen[slot] = true;
    last.push_back(lost_[i]);
    before_load += i < lost_before_load_ ? 1 : 0;
  }
  lost_.assign(last.rbegin(), last.rend());
  lost_before_load_ = before_load;
}

void Checkpoints::lose_memory(const HostRange& hosts) {
  for_each_host(hosts, [this](HostId host) {
    if (hosts_->in_job(host)) lose_memory(hosts_->seats().slot_of(host));
  });
}

void Checkpoints::lose_memory_below(std::uint32_t slots) {
  for (std::uint32_t slot = 0; slot < slots; ++slot) lose_memory(slot);
}

bool Checkpoints::still_held(Tier tier, const Gang& gang) const {
  const std::optional<Gang::Held>& held = gang.held(tier);
  if (!held) return false;
  std::vector<std::uint32_t> lost;  // slots whose host has lost its memory since the copy was taken
  for (std::size_t i = lost_.size(); i-- > 0;) {
    const auto& [at, slot] = lost_[i];
    // A load copies the checkpoint back to every host that lost it before the load, even at the same time. A host that
    // loses its memory at that time but after the load, by a fault that returns, has lost the copy again.
    if (at < held->taken || (at == held->taken && i < lost_before_load_)) break;
    lost.push_back(slot);
  }
  std::sort(lost.begin(), lost.end());
  lost.erase(std::unique(lost.begin(), lost.end()), lost.end());
  return lost.empty() ||
         (tier == Tier::peers && peers_recover(hosts_->seats().count(), world_->storage.copies, lost));
}

/// To load those that a tier in memory holds.
Duration Checkpoints::increments_of(Tier tier, const Gang& gang) const {
  constexpr Duration kYears =
      std::chrono::seconds(1'000'000'000);  // no start takes longer, however many there are
  return std::min(kYears, times(gang.held(tier)->increments, hosts_->size().costs()[tier].per_increment));
}

Loadable Checkpoints::choose(const Start& action, const Gang& gang) const {
  const auto load_of = [&](Tier tier) {
    return hosts_->size().costs()[tier].load[static_cast<std::size_t>(action.restore)];
  };
  std::optional<Tier> in_memory;
  for (const Tier tier : {Tier::memory, Tier::peers}) {
    if (action.back > 0 || !still_held(tier, gang)) continue;
    if (!in_memory || gang.held(*in_memory)->step < gang.held(tier)->step) in_memory = tier;
  }
  const std::int64_t step_in_memory = in_memory ? gang.held(*in_memory)->step : 0;
  Loadable out;
  const StoredCheckpoints& stored = gang.stored();
  for (auto one = stored.newest(action.back); one && one->step > step_in_memory; one = stored.before(*one)) {
    out.takes = sum(out.takes, load_of(Tier::storage));
    if (stored.corrupt(one->number)) continue;
    out.step = one->step;
    return out;
  }
  if (in_memory) {
    out.step = step_in_memory;
    out.from = *in_memory;
    out.takes = sum(out.takes, sum(load_of(*in_memory), increments_of(*in_memory, gang)));
  }
  return out;
}

}  // namespace gauntlet
