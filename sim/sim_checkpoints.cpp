// Checkpoints of the simulated job: when they are taken, what outlives what, and which of them a start goes back to.
#include "core/math/elementary.hpp"
#include "core/saturating.hpp"
#include "models/storage/peer_memory.hpp"
#include "sim/sim_cluster.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace gauntlet {

// --- taking them -----------------------------------------------------------------------------------------------------

/// The next checkpoint to a tier, or through it, is taken when the last one is usually there; slow writes alone overlap.
/// Training waits for one that goes further at least as long as for one that does not, as it passes through the quicker tiers.
Gang::Checkpointing SimCluster::checkpointing() const {
  Gang::Checkpointing all;
  Duration least{};
  for (const Tier tier : {Tier::memory, Tier::peers, Tier::storage}) {
    const Duration interval = intervals_[static_cast<std::size_t>(tier)];
    const TierCosts& costs = size_->costs()[tier];
    const bool used = interval != kForever;
    if (used) least = std::max(least, costs.persist);
    all[tier] = {.interval = used ? std::max(interval, least) : kForever,
                 .stall = costs.stall,
                 .persist = costs.persist,
                 .whole_persist = costs.whole_persist(),
                 .increments = costs.increment < 1};
    for (const Tier quicker : {Tier::memory, Tier::peers}) {
      if (quicker >= tier || all[quicker].interval == kForever) continue;
      const TierCosts& through = size_->costs()[quicker];
      all[tier].stall =
          std::max(all[tier].stall, costs.increment < 1 ? through.stall : through.whole_stall());
    }
  }
  return all;
}

/// The checkpoints that were ordered at the boundary where the present stretch began.
void SimCluster::expect_checkpoints() {
  for (OpenOrder& each : open_) {
    if (!std::holds_alternative<Checkpoint>(each.order.what) || each.stall_ends != kNever) continue;
    each.step = gang_.stretch().first_step;
    each.stall_ends = gang_.stretch().time_of_checkpoint(1);
    each.durable = after(each.stall_ends, gang_.first_persist());
    engine_.set(each.due, each.durable, Priority::world, OrderDue{each.order.id});
  }
}

/// Training pauses: those that block it come later.
void SimCluster::hold_checkpoints() {
  for (OpenOrder& each : open_) {
    if (each.stall_ends != kNever && each.stall_ends > engine_.now()) engine_.hold(each.due);
  }
}

/// A pause of that length has ended: checkpoints that it caught while they blocked training come later.
void SimCluster::delay_checkpoints(Duration pause) {
  for (OpenOrder& each : open_) {
    if (each.stall_ends == kNever || each.stall_ends <= engine_.now() - pause) continue;
    each.stall_ends = after(each.stall_ends, pause);
    each.durable = after(each.durable, pause);
    engine_.set(each.due, each.durable, Priority::world, OrderDue{each.order.id});
  }
}

// --- storage that does not answer ------------------------------------------------------------------------------------

bool SimCluster::storage_is_out() const {
  const std::vector<FaultRef>& holding = active_.on_job(Concern::holds);
  return std::any_of(holding.begin(), holding.end(),
                     [this](FaultRef ref) { return kind_of(active_[ref]).halts_storage; });
}

/// The job waits anyway; what it writes to storage waits as well.
void SimCluster::storage_fails() {
  gang_.storage_fails(engine_.now());
  for (OpenOrder& each : open_) {
    if (each.stall_ends != kNever && each.stall_ends <= engine_.now()) engine_.hold(each.due);
  }
}

void SimCluster::storage_answers() {
  const Duration waited = gang_.storage_answers(engine_.now());
  if (waited == Duration::zero()) return;
  for (OpenOrder& each : open_) {
    if (each.stall_ends == kNever || engine_.pending(each.due) || each.stall_ends > paused_at_) continue;
    each.durable = after(each.durable, waited);
    engine_.set(each.due, each.durable, Priority::world, OrderDue{each.order.id});
  }
}

/// A checkpoint that is being loaded waits for storage.
void SimCluster::hold_load_until(Time until) {
  if (ranks_ != RanksState::starting || loading_.from != Tier::storage) return;
  const Time from = std::max({engine_.now(), loading_.begins, loading_.held_until});
  if (from >= std::max(loading_.ends, loading_.held_until) || until <= from) return;
  loading_.held_until = until;
  loading_.ends = after(loading_.ends, until - from);
  loading_.due = after(loading_.due, until - from);
  for (OpenOrder& each : open_) {
    if (!std::holds_alternative<Start>(each.order.what)) continue;
    engine_.set(each.due, loading_.due, Priority::world, OrderDue{each.order.id});
  }
}

// --- what outlives what ----------------------------------------------------------------------------------------------

void SimCluster::lose_memory(HostId host) {
  if (in_job(host)) memory_lost_.emplace_back(engine_.now(), seats_.slot_of(host));
}

/// A host that is gone, or starts anew, has lost what was in its memory. One whose agent is heard on has lost its processes alone.
void SimCluster::lose_memory(const ActiveFault& fault) {
  const FaultKind& kind = kind_of(fault);
  const ComponentKind where = fault.component.kind;
  const bool unpowered = where == ComponentKind::rack || where == ComponentKind::power;
  if (!kind.symptoms.heartbeat_lost && !(kind.effect == Effect::crash && unpowered)) return;
  any_host(fault.hosts, [this](HostId host) {
    lose_memory(host);
    return false;
  });
}

bool SimCluster::still_held(Tier tier) const {
  const std::optional<Gang::Held>& held = gang_.held(tier);
  if (!held) return false;
  std::vector<std::uint32_t> lost;  // slots, since the copy was taken
  for (std::size_t i = memory_lost_.size(); i-- > 0;) {
    const auto& [at, slot] = memory_lost_[i];
    // What was loaded was copied back to whoever had lost it before, at that same time too; who is lost then afterwards, by a fault
    // that returns, has lost it again.
    if (at < held->taken || (at == held->taken && i < lost_before_load_)) break;
    lost.push_back(slot);
  }
  std::sort(lost.begin(), lost.end());
  lost.erase(std::unique(lost.begin(), lost.end()), lost.end());
  return lost.empty() || (tier == Tier::peers && peers_recover(seats_.count(), world_->storage.copies, lost));
}

/// To load those that a tier in memory holds.
Duration SimCluster::increments_of(Tier tier) const {
  constexpr Duration kYears =
      std::chrono::seconds(1'000'000'000);  // no start takes longer, however many there are
  return std::min(kYears, times(gang_.held(tier)->increments, size_->costs()[tier].per_increment));
}

/// Which checkpoint a start goes back to: the newest that can be read, from the quickest tier that has it. That one in
/// storage is corrupt shows when it has been loaded; then the next older one is.
SimCluster::Loading SimCluster::choose_checkpoint(const Start& action) const {
  const auto load_of = [&](Tier tier) {
    return size_->costs()[tier].load[static_cast<std::size_t>(action.restore)];
  };
  std::optional<Tier> in_memory;
  for (const Tier tier : {Tier::memory, Tier::peers}) {
    if (action.back > 0 || !still_held(tier)) continue;
    if (!in_memory || gang_.held(*in_memory)->step < gang_.held(tier)->step) in_memory = tier;
  }
  const std::int64_t step_in_memory = in_memory ? gang_.held(*in_memory)->step : 0;
  Loading out;
  const StoredCheckpoints& stored = gang_.stored();
  for (auto one = stored.newest(action.back); one && one->step > step_in_memory; one = stored.before(*one)) {
    out.takes = sum(out.takes, load_of(Tier::storage));
    if (stored.corrupt(one->number)) continue;
    out.step = one->step;
    return out;
  }
  if (in_memory) {
    out.step = step_in_memory;
    out.from = *in_memory;
    out.takes = sum(out.takes, sum(load_of(*in_memory), increments_of(*in_memory)));
  }
  return out;
}

/// The phases of a start, one after the other. Every one is drawn, whichever are needed.
void SimCluster::begin_start(const Start& action) {
  const StartChain& chain = world_->job.start;
  const double gpus = size_->layout().ranks();
  const double scale = chain.at_gpus > 0 ? gpus / chain.at_gpus : 1;
  static constexpr StreamName kStartPhases = stream_name("start");
  Stream draws = stream_now(seed_, kStartPhases, stopped_.by, stopped_.draws.starts++);
  const auto draw = [&](const Law& law, double growth) {
    return from_seconds(law.sample(draws) * (growth == 0 ? 1 : math_pow(scale, growth)));
  };
  const Duration scheduling = draw(chain.scheduling, chain.growth.scheduling);
  const Duration provisioning = draw(chain.provisioning, 0);
  Duration before = action.schedule ? scheduling : Duration::zero();
  if (!std::exchange(has_hosts_, true)) before = sum(before, provisioning);
  before = sum(before, draw(chain.process_start, chain.growth.process_start));
  before = sum(before, draw(chain.communicator_init, chain.growth.communicator_init));
  const Duration data_loader = draw(chain.data_loader, chain.growth.data_loader);
  const Duration after_load = sum(data_loader, draw(chain.warm_up, chain.growth.warm_up));

  loading_ = choose_checkpoint(action);
  loading_.begins = after(engine_.now(), before);
  loading_.ends = after(loading_.begins, loading_.takes);
  loading_.due = after(loading_.ends, after_load);
}

// --- evaluation ------------------------------------------------------------------------------------------------------

void SimCluster::schedule_evaluation() {
  const Evaluation& evaluation = world_->job.evaluation;
  if (evaluation.every <= 0 || evaluation.time == Duration::zero()) return;
  const std::int64_t next = evaluated_ + evaluation.every;
  if (world_->job.steps > 0 && next >= world_->job.steps) return engine_.hold(evaluation_);
  engine_.set(evaluation_, std::max(gang_.time_of_step(next), engine_.now()), Priority::world,
              EvaluationDue{});
}

void SimCluster::on(const EvaluationDue&) {
  if (gang_.state() != Gang::State::training) return;
  evaluated_ += world_->job.evaluation.every;
  const Time ends = after(engine_.now(), world_->job.evaluation.time);
  pause_training(kEvaluation, ends);
  evaluating_ = true;
  engine_.set(evaluation_, ends, Priority::world, EvaluationEnds{});
}

/// A pause that began meanwhile goes on.
void SimCluster::on(const EvaluationEnds&) {
  evaluating_ = false;
  const Stalls held = stalls();
  if (held.first == nullptr) return resume_unless_paused();
  before_change();
  gang_.pause_goes_on(engine_.now(), held.first->kind, held.until);
  pause_changes();
}

void SimCluster::pause_training(FaultKindId by, Time until) {
  before_change();
  training_halts();
  paused_at_ = engine_.now();
  gang_.pause(engine_.now(), by, until);
  hold_checkpoints();
  pause_changes();
}

/// A pause began, or lasts longer than it seemed: timers for what comes before it is over are set, and no others.
void SimCluster::pause_changes() {
  after_change();
  expect_collective_timeout();
  watch_for_no_progress();
}

}  // namespace gauntlet
