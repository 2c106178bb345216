#include "sim/hosts/repair.hpp"

#include "core/contract.hpp"
#include "sim/engine/moment.hpp"

#include <algorithm>

namespace gauntlet {

void RepairQueue::admit(HostId host, std::optional<FaultKindId> cause, const Stream& draws) {
  const Law* automatic = &shop_->time;
  for (const auto& [kind, time] : shop_->by_cause) {
    if (cause == kind) automatic = &time;
  }
  draw(visits_.add(host, {.draws = draws, .automatic = automatic}));
  enter(host, Stage::automatic);
}

/// All that chance decides about one repair.
void RepairQueue::draw(Visit& visit) {
  const ManualRepair& manual = shop_->manual;
  visit.takes = from_seconds(visit.automatic->sample(visit.draws));
  visit.manual = happens(manual.needed.value, visit.draws);
  const double fails = visit.manual ? manual.silent_failure.value : shop_->silent_failure.value;
  visit.mended = !happens(fails, visit.draws);
  if (visit.manual) visit.by_hand = from_seconds(manual.time.sample(visit.draws));
}

void RepairQueue::drop(HostId host) {
  const Visit* found = visits_.find(host);
  if (found == nullptr) return;
  Visit gone = *found;
  visits_.erase(host);
  engine_->cancel(gone.done);
  if (gone.stage != Stage::burn_in) leave_crew(host, gone);
}

/// The technicians of its stage have one host less, in their hands or in front of them.
void RepairQueue::leave_crew(HostId host, const Visit& visit) {
  if (visit.in_hand) return leave_hands(visit.stage);
  std::deque<HostId>& waiting = crew_of(visit.stage).waiting;
  waiting.erase(std::find(waiting.begin(), waiting.end(), host));
}

std::optional<RepairQueue::Back> RepairQueue::mend(HostId host) {
  Visit& visit = visits_.at(host);
  if (visit.stage == Stage::burn_in) return std::nullopt;
  engine_->cancel(visit.done);
  leave_crew(host, visit);
  visit.mended = true;
  return test(host);
}

/// Its repair is reported done: it goes to its burn-in.
std::optional<RepairQueue::Back> RepairQueue::test(HostId host) {
  Visit& visit = visits_.at(host);
  ++(visit.mended ? counts_.held : counts_.silent);
  if (shop_->burn_in == Duration::zero()) return back(host);
  visit.stage = Stage::burn_in;
  visit.done = engine_->after(shop_->burn_in, Priority::world, RepairDone{host});
  return std::nullopt;
}

RepairQueue::Back RepairQueue::back(HostId host) {
  const Back back{.mended = visits_.at(host).mended};
  visits_.erase(host);
  return back;
}

void RepairQueue::enter(HostId host, Stage stage) {
  Visit& visit = visits_.at(host);
  visit.stage = stage;
  visit.in_hand = false;
  Crew& crew = crew_of(stage);
  if (crew.size > 0 && crew.busy >= crew.size) return crew.waiting.push_back(host);
  take_in_hand(host, visit);
}

void RepairQueue::take_in_hand(HostId host, Visit& visit) {
  ++crew_of(visit.stage).busy;
  visit.in_hand = true;
  const Duration takes = visit.stage == Stage::automatic ? visit.takes : visit.by_hand;
  visit.done = engine_->after(takes, Priority::world, RepairDone{host});
}

/// A technician has finished with a host, and takes the one that has waited longest.
void RepairQueue::leave_hands(Stage stage) {
  Crew& crew = crew_of(stage);
  --crew.busy;
  if (crew.waiting.empty()) return;
  const HostId next = crew.waiting.front();
  crew.waiting.pop_front();
  take_in_hand(next, visits_.at(next));
}

std::optional<RepairQueue::Back> RepairQueue::on(const RepairDone& event) {
  const HostId host = event.host;
  Visit& visit = visits_.at(host);
  if (visit.stage == Stage::burn_in) {
    const bool found = !visit.mended && happens(shop_->burn_in_finds.value, visit.draws);
    if (found) {
      ++counts_.found;
      draw(visit);
      enter(host, Stage::automatic);
      return std::nullopt;
    }
    return back(host);
  } else {
    leave_hands(visit.stage);
    const bool automatic = visit.stage == Stage::automatic;
    ++(automatic ? counts_.automatic : counts_.manual);
    if (automatic && visit.manual) {
      enter(host, Stage::manual);
      return std::nullopt;
    }
    return test(host);
  }
}

}  // namespace gauntlet
