#include "policies/controller/controller.hpp"

#include "core/contract.hpp"
#include "policies/controller/registry.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {

Controller::Controller(const PolicyConstants& constants, JobId job)
    : constants_(&constants),
      job_(job),
      reports_{.probes = ids_.take(), .last_collective = ids_.take()},
      checkpoints_(make_checkpoint_policy(constants.names.checkpoint)),
      recovery_(first_step_of_recovery(constants.names.recover), make_diagnoser(constants.names.diagnose),
                restore_named(constants.names.restore), job, constants, reports_),
      retirement_(make_retirement(constants.names.retire, constants.retirement)) {
  for (const std::string& name : constants.names.detect) detectors_.push_back(make_detector(name));
}

void Controller::on(const Observed& seen, Orders& out) {
  const std::size_t first = out.size();
  std::visit([&](const auto& what) { on(what, seen.at, out); }, seen.what);
  note(first, seen.at, out);
  if (recovery_.job_up() != job_up_) tell_detectors(seen.at, out);
}

void Controller::on(const Started& started, Time now, Orders& out) {
  expect(started.job == job_, "a controller has one job");
  seating_ = Seating(started.inventory);
  replicas_ = started.inventory.layout.dp;
  const Assignment assignment{job_, started.inventory, &constants_->detection};
  for (std::size_t d = 0; d < detectors_.size(); ++d) {
    call(
        d, [&](auto& detector) { detector.start(assignment, ids_, out); }, out);
    last_watches_.push_back(ids_.last());
  }
  std::visit([&](auto& policy) { policy.start(started.job, constants_->checkpoint, now, ids_, out); },
             checkpoints_);
  recovery_.launch(now, seating_, out);
}

void Controller::on(const Seen& seen, Time now, Orders& out) {
  if (seen.watch == reports_.probes || seen.watch == reports_.last_collective) return recovery_.on(seen);
  const auto whose = std::lower_bound(last_watches_.begin(), last_watches_.end(), seen.watch);
  if (whose != last_watches_.end())
    return detect(static_cast<std::size_t>(whose - last_watches_.begin()), seen, now, out);
  std::visit([&](auto& policy) { policy.on(seen, out); }, checkpoints_);
}

void Controller::on(const Outcome& outcome, Time now, Orders& out) {
  if (const auto ready = readmissions_.find(outcome.order); ready != readmissions_.end()) {
    readmit(ready->second, now, out);
    readmissions_.erase(ready);
    return;
  }
  if (just_in_time_.on(outcome)) return;
  if (recovery_.on(outcome, now, seating_, out)) {
    std::visit([&](auto& policy) { policy.training_began(out); }, checkpoints_);
    return;
  }
  const auto asked = std::lower_bound(asked_.begin(), asked_.end(), outcome.order,
                                      [](const Asked& each, OrderId order) { return each.order < order; });
  if (asked == asked_.end() || asked->order != outcome.order) return;
  const std::size_t detector = asked->detector;
  asked_.erase(asked);
  detect(detector, outcome, now, out);
}

void Controller::on(const HostReturned& returned, Time now, Orders& out) {
  const auto kept = quarantine_.find(returned.host);
  const Time until = kept == quarantine_.end() ? kStart : kept->second;
  if (kept != quarantine_.end()) quarantine_.erase(kept);
  if (retirement_.leaves(returned.host)) {
    out.add(Retire{returned.host});
    return;
  }
  if (until <= now) return readmit(returned.host, now, out);
  readmissions_.emplace(out.add(Wake{until}), returned.host);
}

void Controller::on(const StopRequest& told, Time now, Orders& out) { recovery_.on(told, now, out); }

void Controller::on(const Noticed& noticed, Time now, Orders& out) {
  if (recovery_.on(noticed, now, seating_, out)) incident_opened(now, out);
}

/// Calls a detector, and notes its orders: the detector gets their outcomes.
template <class Call>
void Controller::call(std::size_t detector, const Call& call, Orders& out) {
  const std::size_t first = out.size();
  std::visit(call, detectors_[detector]);
  for (std::size_t i = first; i < out.size(); ++i) asked_.push_back({out[i].id, detector});
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
  if (host && suspicion.quarantine > Duration::zero()) quarantine_[*host] = after(now, suspicion.quarantine);
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
  std::visit([&](auto& policy) { policy.stopped_by_fault(now, out); }, checkpoints_);
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
  for (std::size_t i = first; i < out.size(); ++i) {
    const Action& what = out[i].what;
    if (const auto* evict = std::get_if<Evict>(&what)) retirement_.evicted(evict->host, now);
    if (const auto* every = std::get_if<CheckpointEvery>(&what)) taken_.on(now, *every);
    if (const auto* one = std::get_if<Checkpoint>(&what)) taken_.on(now, *one);
  }
}

void Controller::tell_detectors(Time now, Orders& out) {
  job_up_ = recovery_.job_up();
  if (job_up_) told_.clear();
  waiting_for_spare_.clear();  // what is still the case is reported again
  const Inventory& inventory = seating_.inventory();
  const bool resized = job_up_ && std::exchange(replicas_, inventory.layout.dp) != inventory.layout.dp;
  for (std::size_t d = 0; d < detectors_.size(); ++d) {
    call(
        d,
        [&](auto& each) {
          each.job_up = job_up_;
          if (resized) each.job_resized(inventory, out);
          each.job_ended(out);  // also at a start: reports that were on their way are of the job before
          if (job_up_) each.job_began(now, out);
        },
        out);
  }
}

}  // namespace gauntlet
