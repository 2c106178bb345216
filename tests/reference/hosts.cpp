// Hosts: who carries the job, who stands by, who is in repair.
#include "core/contract.hpp"
#include "core/reseat.hpp"
#include "tests/reference/reference_cluster.hpp"

#include <algorithm>

namespace gauntlet::reference {

std::optional<std::uint32_t> ReferenceCluster::slot_of(HostId id) const {
  const auto at = std::find(seats_.begin(), seats_.end(), std::optional(id));
  return at == seats_.end() ? std::nullopt : std::optional(static_cast<std::uint32_t>(at - seats_.begin()));
}

// --- repair ----------------------------------------------------------------------------------------------------------

/// Evict: "out of service and into repair; its slot, if it has one, is empty" (core/action.hpp). What the memory of the host
/// held is gone with it (docs/decisions.md, 2026-11-22, "What a tier holds goes with what is gone").
void ReferenceCluster::take_out(HostId id) {
  if (in_job(id)) {
    if (const auto slot = slot_of(id)) {
      lose_memory(*slot);
      seats_[*slot].reset();
      vacant_.push_back(*slot);
    }
    std::erase(beyond_, id);
  } else {
    no_longer_stands_by(id);
  }
  leaves_service(id);
  admit_to_repair(id);
}

/// Keys repair.*: every host goes through automatic repair, which takes `time`, or what `by_cause` says of a fault that broke
/// it; some go on to a person; all are tested for `burn_in`.
void ReferenceCluster::admit_to_repair(HostId id) {
  host(id).place = Place::in_repair;
  const RepairShop& shop = world_->repair;
  Visit& visit = visits_[id] = {};
  Law automatic = shop.time;
  for (const Fault& fault : faults_) {
    if (!fault.hosts.contains(id) || kind(fault).remedy != Remedy::repair) continue;
    if (fault.component.kind == ComponentKind::job) continue;
    for (const auto& [cause, time] : shop.by_cause)
      if (cause == fault.kind) automatic = time;
    break;  // the one that struck first
  }
  visit.law = automatic;
  crews_[0].waiting.push_back(id);
  next_repair(0);
}

/// "technicians, each with one host at a time; others wait, first come first served; 0: always enough" (key repair.crew).
void ReferenceCluster::next_repair(std::uint32_t crew_of) {
  Crew& crew = crews_[crew_of];
  while (!crew.waiting.empty() && (crew.size == 0 || crew.busy < crew.size)) {
    const HostId id = crew.waiting.front();
    crew.waiting.pop_front();
    ++crew.busy;
    Visit& visit = visits_.at(id);
    visit.stage = crew_of;
    visit.in_hand = true;
    const Law& law = crew_of == 0 ? visit.law : world_->repair.manual.time;
    Duration takes{};
    if (law.name() == "constant") {
      takes = from_seconds(law.mean());
    } else {
      const auto back = tape_.back(id, host(id).repairs);
      takes = back ? *back - agenda_.now() - world_->repair.burn_in : kForever;
      if (takes < Duration::zero()) {
        complain("a repair ends before it began");
        takes = {};
      }
    }
    visit.done = agenda_.after(takes, Rank::world, [this, id] { repair_stage_done(id); });
  }
}

void ReferenceCluster::repair_stage_done(HostId id) {
  Visit& visit = visits_.at(id);
  const std::uint32_t stage = visit.stage;
  visit.in_hand = false;
  --crews_[stage].busy;
  next_repair(stage);
  const double needed = stage == 0 ? world_->repair.manual.needed.value : 0;
  const auto back = tape_.back(id, host(id).repairs);
  const bool by_hand =
      needed == 1 || (needed > 0 && back != std::optional(after(agenda_.now(), world_->repair.burn_in)));
  if (by_hand) {
    visit.by_hand = true;
    crews_[1].waiting.push_back(id);
    return next_repair(1);
  }
  if (world_->repair.burn_in == Duration::zero()) return back_from_repair(id);
  visit.done = agenda_.after(world_->repair.burn_in, Rank::world, [this, id] { burn_in_done(id); });
}

/// Keys repair.burn_in, burn_in_finds: "share of the hosts that are no better which it finds; they are repaired again".
void ReferenceCluster::burn_in_done(HostId id) {
  const double silent = silent_failure(visits_.at(id));
  const double found = world_->repair.burn_in_finds.value;
  const bool surely = silent == 1 && found == 1;
  const bool perhaps = silent > 0 && found > 0;
  if (surely || (perhaps && tape_.back(id, host(id).repairs) != std::optional(agenda_.now()))) {
    visits_.at(id).by_hand = false;
    crews_[0].waiting.push_back(id);
    return next_repair(0);
  }
  back_from_repair(id);
}

/// A person repairs it at once, and it goes to its burn-in.
void ReferenceCluster::mend(HostId id) {
  const auto found = visits_.find(id);
  if (found == visits_.end()) return;
  Visit& visit = found->second;
  bool waits = false;
  for (Crew& crew : crews_) waits = std::erase(crew.waiting, id) > 0 || waits;
  if (!waits && !visit.in_hand) return;  // it is tested already
  agenda_.cancel(visit.done);
  if (visit.in_hand) --crews_[visit.stage].busy;
  visit.in_hand = false;
  visit.mended = true;
  if (!waits) next_repair(visit.stage);
  if (world_->repair.burn_in == Duration::zero()) return back_from_repair(id);
  visit.done = agenda_.after(world_->repair.burn_in, Rank::world, [this, id] { burn_in_done(id); });
}

double ReferenceCluster::silent_failure(const Visit& visit) const {
  if (visit.mended) return 0;
  return visit.by_hand ? world_->repair.manual.silent_failure.value : world_->repair.silent_failure.value;
}

/// A repair that holds ends whatever is wrong with the host, what a restart or a person would have ended too; one that fails in
/// silence leaves it where it was (docs/decisions.md, 2026-11-22, "A repair that fails in silence").
void ReferenceCluster::back_from_repair(HostId id) {
  const double silent = silent_failure(visits_.at(id));
  const bool always_found =
      world_->repair.burn_in > Duration::zero() && world_->repair.burn_in_finds.value == 1;
  bool mended = silent == 0 || always_found, told = mended || silent == 1;
  if (!mended && silent < 1) {
    for (const Fault& fault : faults_) {
      if (!fault.hosts.contains(id) || !sits_in_host(fault)) continue;
      told = true;
      mended = tape_.over({fault.struck, fault.kind, fault.component}) ==
               std::optional(Tape::Over{agenda_.now(), orders_});
    }
  }
  visits_.erase(id);
  Host& back = host(id);
  back.place = Place::returned;
  ++back.repairs;
  if (!told) ++back.perhaps_mended;
  if (mended) {
    ++back.mended;
    end_faults([&](const Fault& fault) { return sits_in_host(fault) && fault.hosts.contains(id); });
  }
  observe(HostReturned{id});
}

/// Retire: "in repair or back from it, leaves for good" (core/action.hpp).
void ReferenceCluster::drop_from_repair(HostId id) {
  const auto visit = visits_.find(id);
  if (visit == visits_.end()) return;
  agenda_.cancel(visit->second.done);
  for (Crew& crew : crews_) std::erase(crew.waiting, id);
  const bool freed = visit->second.in_hand;
  const std::uint32_t stage = visit->second.stage;
  visits_.erase(visit);
  if (!freed) return;
  --crews_[stage].busy;
  next_repair(stage);
}

// --- spares ----------------------------------------------------------------------------------------------------------
//
// sim/hosts/spares.hpp and the keys spares.*: warm ones join at once, the one first that has stood by longest; cold ones once they
// are set up; those of the pool once the job that they serve has given them up. A host that comes back from repair is warm
// where fewer than spares.count are, and else cold.

void ReferenceCluster::stands_by(HostId id) {
  host(id).place = Place::spare;
  const bool all_warm = world_->spares.cold == 0 && world_->spares.pool == 0;
  if (all_warm || warm_.size() < std::max(kept_warm_, wanted_hosts())) {
    warm_.push_back(id);
  } else {
    cold_.push_back(id);
  }
}

void ReferenceCluster::no_longer_stands_by(HostId id) {
  for (auto* queue : {&warm_, &cold_, &pool_}) std::erase(*queue, id);
  if (const auto coming = coming_.find(id); coming != coming_.end()) {
    agenda_.cancel(coming->second);
    coming_.erase(coming);
  }
}

/// Acquire: "a host for an empty slot, or where none is empty for replicas that the job lacks; now or when one is free"; orders
/// are served in their order, and slots in the order in which they fell empty (core/action.hpp, policies/seating.hpp).
void ReferenceCluster::grant() {
  while (!acquires_.empty() && !warm_.empty()) {
    const HostId id = warm_.front();
    warm_.pop_front();
    const OrderId order = acquires_.front();
    acquires_.pop_front();
    seat(id);
    answer(*close(order), Status::done, Granted{id});
  }
  if (!acquires_.empty()) select_hosts();
}

void ReferenceCluster::seat(HostId id) {
  host(id).place = Place::in_job;
  if (vacant_.empty()) return beyond_.push_back(id);
  if (vacant_.front() == 0) first_host_ = id;
  seats_[vacant_.front()] = id;
  vacant_.pop_front();
}

/// "When none is left the job's hosts are selected anew, and those that are wanted come, with as many cold ones beside as make
/// the standbys up again" (sim/hosts/spares.hpp).
void ReferenceCluster::select_hosts() {
  if (!warm_.empty() || coming_.size() >= wanted_hosts() || (cold_.empty() && pool_.empty())) return;
  const SparesModel& spares = world_->spares;
  const Duration selection = from_seconds(spares.selection.mean());
  const auto send = [&](std::deque<HostId>& from, const Law& takes) {
    send_for(from.front(), selection + from_seconds(takes.mean()));
    from.pop_front();
  };
  while (coming_.size() < wanted_hosts() + kept_warm_ && !cold_.empty()) send(cold_, spares.cold_time);
  while (coming_.size() < wanted_hosts() && !pool_.empty()) send(pool_, spares.preemption);
}

void ReferenceCluster::send_for(HostId id, Duration until_ready) {
  coming_[id] = agenda_.after(until_ready, Rank::world, [this, id] {
    coming_.erase(id);
    stands_by(id);
    grant();
  });
}

}  // namespace gauntlet::reference
