#include "policies/controller/controller.hpp"

#include "core/contract.hpp"
#include "policies/controller/registry.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace gauntlet {
namespace {

AnyDetector detector_of(const std::string& name, const PolicyConstants& constants) {
  const auto* custom = constants.custom ? constants.custom->detector(name) : nullptr;
  if (custom != nullptr) return GuardedDetector(*custom, constants.diagnosis);
  return std::visit([](const auto& shipped) -> AnyDetector { return shipped; }, make_detector(name));
}

CheckpointPolicy checkpoints_of(const PolicyConstants& constants) {
  const std::string& name = constants.names.checkpoint;
  const auto* custom = constants.custom ? constants.custom->checkpoint(name) : nullptr;
  if (custom != nullptr) return GuardedCheckpoint(*custom);
  return make_checkpoint_policy(name);
}

const CustomFactory<CustomRecovery>* custom_recovery_of(const PolicyConstants& constants) {
  return constants.custom ? constants.custom->recovery(constants.names.recover) : nullptr;
}

/// A custom recovery decides for itself what it tries first.
Recovery::First first_step_of(const PolicyConstants& constants) {
  const bool custom = custom_recovery_of(constants) != nullptr;
  return custom ? Recovery::First::diagnosis : first_step_of_recovery(constants.names.recover);
}

}  // namespace

Controller::Controller(const PolicyConstants& constants, JobId job)
    : constants_(&constants),
      job_(job),
      reports_{.probes = ids_.take(), .last_collective = ids_.take()},
      checkpoints_(checkpoints_of(constants)),
      recovery_(first_step_of(constants), make_diagnoser(constants.names.diagnose),
                restore_named(constants.names.restore), job, constants, reports_),
      retirement_(make_retirement(constants.names.retire, constants.retirement)) {
  for (const std::string& name : constants.names.detect) detectors_.push_back(detector_of(name, constants));
  if (!constants.custom) return;
  for (AnyDetector& each : detectors_)
    if (auto* custom = std::get_if<GuardedDetector>(&each)) custom_.guards.push_back(&custom->guard());
  custom_.checkpoints = std::get_if<GuardedCheckpoint>(&checkpoints_);
  if (custom_.checkpoints != nullptr) custom_.guards.push_back(&custom_.checkpoints->guard());
  if (const auto* custom = custom_recovery_of(constants))
    recovery_.decided_by(custom_.recovery.emplace(*custom));
}

void Controller::on(const Observed& seen, Orders& out) {
  for (PolicyGuard* guard : custom_.guards) guard->observe(seen.at);
  const std::size_t first = out.size();
  std::visit([&](const auto& what) { on(what, seen.at, out); }, seen.what);
  note(first, seen.at, out);
  if (recovery_.job_up() != detectors_know_.job_up) tell_detectors(seen.at, out);
}

void Controller::on(const Started& started, Time now, Orders& out) {
  expect(started.job == job_, "a controller has one job");
  seating_ = Seating(started.inventory);
  detectors_know_.replicas = started.inventory.layout.dp;
  const Assignment assignment{job_, started.inventory, &constants_->detection};
  for (std::size_t d = 0; d < detectors_.size(); ++d) {
    call(
        d, [&](auto& detector) { detector.start(assignment, ids_, out); }, out);
    last_watches_.push_back(ids_.last());
  }
  if (custom_.checkpoints != nullptr) custom_.checkpoints->inventory_is(started.inventory);
  call_checkpoints([&](auto& policy) { policy.start(started.job, constants_->checkpoint, now, ids_, out); },
                   out);
  recovery_.launch(now, seating_, out);
}

void Controller::on(const Seen& seen, Time now, Orders& out) {
  if (seen.watch == reports_.probes || seen.watch == reports_.last_collective) return recovery_.on(seen);
  const auto whose = std::lower_bound(last_watches_.begin(), last_watches_.end(), seen.watch);
  if (whose != last_watches_.end())
    return detect(static_cast<std::size_t>(whose - last_watches_.begin()), seen, now, out);
  call_checkpoints([&](auto& policy) { policy.on(seen, out); }, out);
}

void Controller::on(const Outcome& outcome, Time now, Orders& out) {
  if (const auto ready = quarantines_.ends.find(outcome.order); ready != quarantines_.ends.end()) {
    readmit(ready->second, now, out);
    quarantines_.ends.erase(ready);
    return;
  }
  if (just_in_time_.on(outcome)) return;
  if (recovery_.on(outcome, now, seating_, out)) {
    call_checkpoints([&](auto& policy) { policy.training_began(out); }, out);
    return;
  }
  const auto asked = std::lower_bound(asked_.begin(), asked_.end(), outcome.order,
                                      [](const Asked& each, OrderId order) { return each.order < order; });
  if (asked == asked_.end() || asked->order != outcome.order) return;
  const std::size_t detector = asked->detector;
  asked_.erase(asked);
  if (detector == detectors_.size())
    return call_checkpoints([&](auto&) { custom_.checkpoints->on(outcome, out); }, out);
  detect(detector, outcome, now, out);
}

void Controller::on(const HostReturned& returned, Time now, Orders& out) {
  if (!quarantines_.lifted.empty() && quarantines_.lifted.erase(returned.host) > 0) {
    quarantines_.until.erase(returned.host);
    return readmit(returned.host, now, out);
  }
  const auto kept = quarantines_.until.find(returned.host);
  const Time until = kept == quarantines_.until.end() ? kStart : kept->second;
  if (kept != quarantines_.until.end()) quarantines_.until.erase(kept);
  if (retirement_.leaves(returned.host)) {
    out.add(Retire{returned.host});
    return;
  }
  if (until <= now) return readmit(returned.host, now, out);
  quarantines_.ends.emplace(out.add(Wake{until}), returned.host);
}

void Controller::on(const StopRequest& told, Time now, Orders& out) { recovery_.on(told, now, out); }

void Controller::on(const Noticed& noticed, Time now, Orders& out) {
  if (recovery_.on(noticed, now, seating_, out)) incident_opened(now, out);
}

void Controller::on(const OperatorActed& acted, Time now, Orders& out) {
  switch (acted.what) {
    case OperatorAction::evict:
    case OperatorAction::maintenance:
      return take_out(acted, now, out);
    case OperatorAction::readmit:
      return readmit_by_hand(acted.host, now, out);
    case OperatorAction::stop:
      return recovery_.on(StopRequest{.job = job_, .hold = kForever}, now, out);
    case OperatorAction::disarm:  // faults are no policy's affair
      return;
  }
}

void Controller::take_out(const OperatorActed& acted, Time now, Orders& out) {
  if (!seating_.in_service(acted.host)) return;  // it is out already
  if (!seating_.in_job(acted.host)) {
    seating_.evict(acted.host);
    out.add(Evict{acted.host});
    return;
  }
  if (acted.what == OperatorAction::evict) return recovery_.take_out(acted.host, now, seating_, out);
  recovery_.mark_for_maintenance(acted.host, now, seating_, out);
}

/// An operator vouches for the host: neither a quarantine nor the retirement policy keeps it out.
void Controller::readmit_by_hand(HostId host, Time now, Orders& out) {
  if (seating_.in_service(host)) return;
  for (const auto& [wake, waiting] : quarantines_.ends) {
    if (waiting != host) continue;
    out.add(Cancel{wake});
    quarantines_.ends.erase(wake);
    return readmit(host, now, out);
  }
  quarantines_.lifted.insert(host);
}

/// Calls a detector, and notes its orders: the detector gets their outcomes.
template <class Call>
void Controller::call(std::size_t detector, const Call& call, Orders& out) {
  const std::size_t first = out.size();
  std::visit(call, detectors_[detector]);
  for (std::size_t i = first; i < out.size(); ++i) asked_.push_back({out[i].id, detector});
}

/// Calls the checkpoint policy. Only a custom one gets the outcomes of its orders.
template <class Call>
void Controller::call_checkpoints(const Call& call, Orders& out) {
  const std::size_t first = out.size();
  std::visit(call, checkpoints_);
  if (custom_.checkpoints == nullptr) return;
  for (std::size_t i = first; i < out.size(); ++i) asked_.push_back({out[i].id, detectors_.size()});
}

template <class What>
void Controller::detect(std::size_t detector, const What& what, Time now, Orders& out) {
  found_.clear();
  call(
      detector, [&](auto& each) { each.on(what, now, out, found_); }, out);
  for (const Suspicion& suspicion : found_) suspect(suspicion, now, out);
}

void Controller::suspect(const Suspicion& suspicion, Time now, Orders& out) {
  const std::optional<HostId> host = suspicion.host;
  if (host && !seating_.in_service(*host)) return;  // it is dealt with already
  // A slow host is better than no host: the job keeps it until a spare host is free.
  const bool kept = suspicion.kind == SuspicionKind::degraded && host && seating_.in_job(*host) &&
                    seating_.free_spares() <= static_cast<std::int64_t>(recovery_.condemned());
  if (kept) waiting_for_spare_.push_back(suspicion);
  if (suspicion.kind == SuspicionKind::warning) {
    if (recovery_.running() && (!host || seating_.in_job(*host)))
      just_in_time_.warned(job_, constants_->checkpoint, now, out);
    return;
  }
  if (suspicion.kind == SuspicionKind::unusual || kept) {
    const ComponentId who = host ? component(*host) : component(job_);
    if (told_.emplace(suspicion.cause, who).second) out.add(Alert{job_, who});
    return;
  }
  if (host && suspicion.quarantine > Duration::zero())
    quarantines_.until[*host] = after(now, suspicion.quarantine);
  // A host that stands by is not an incident: it goes to repair before the job gets it.
  if (host && !seating_.in_job(*host)) {
    seating_.evict(*host);
    out.add(Evict{*host});
    return;
  }
  Suspicion counted = suspicion;
  if (suspicion.wrong_since != kNever) counted.back = taken_.most_since(suspicion.wrong_since, now);
  if (recovery_.on(counted, now, seating_, out)) incident_opened(now, out);
}

void Controller::incident_opened(Time now, Orders& out) {
  call_checkpoints([&](auto& policy) { policy.stopped_by_fault(now, out); }, out);
}

void Controller::readmit(HostId host, Time now, Orders& out) {
  seating_.readmit(host);
  out.add(Readmit{host});
  // Slow hosts were kept because no spare host was free.
  for (const Suspicion& kept : std::exchange(waiting_for_spare_, {})) suspect(kept, now, out);
  recovery_.spare_came(now, seating_, out);
}

/// Notes the orders that count later: evictions and checkpoints.
void Controller::note(std::size_t first, Time now, const Orders& out) {
  for (const Order& order : std::span(out.begin(), out.end()).subspan(first)) {
    const Action& what = order.what;
    if (const auto* evict = std::get_if<Evict>(&what)) retirement_.evicted(evict->host, now);
    if (const auto* every = std::get_if<CheckpointEvery>(&what)) taken_.on(now, *every);
    if (const auto* one = std::get_if<Checkpoint>(&what)) taken_.on(now, *one);
  }
}

void Controller::tell_detectors(Time now, Orders& out) {
  detectors_know_.job_up = recovery_.job_up();
  if (detectors_know_.job_up) told_.clear();
  waiting_for_spare_.clear();  // what is still the case is reported again
  const Inventory& inventory = seating_.inventory();
  const bool resized = detectors_know_.job_up &&
                       std::exchange(detectors_know_.replicas, inventory.layout.dp) != inventory.layout.dp;
  for (std::size_t d = 0; d < detectors_.size(); ++d) {
    call(
        d,
        [&](auto& each) {
          each.job_up = detectors_know_.job_up;
          if (resized) each.job_resized(inventory, out);
          each.job_ended(out);  // also at a start: reports that were on their way are of the job before
          if (detectors_know_.job_up) each.job_began(now, out);
        },
        out);
  }
}

}  // namespace gauntlet
