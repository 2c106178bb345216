#include "policies/controller.hpp"

#include "core/contract.hpp"
#include "policies/registry.hpp"

namespace gauntlet {

Controller::Controller(const PolicyConstants& constants, JobId job)
    : constants_(&constants),
      job_(job),
      probe_report_(ids_.take()),
      checkpoints_(make_checkpoint_policy(constants.names.checkpoint)),
      recovery_(first_step_of_recovery(constants.names.recover), job, constants, probe_report_) {
  for (const std::string& name : constants.names.detect) detectors_.push_back(make_detector(name));
}

void Controller::on(const Observed& seen, Orders& out) {
  std::visit([&](const auto& what) { on(what, seen.at, out); }, seen.what);
}

void Controller::on(const Started& started, Time now, Orders& out) {
  expect(started.job == job_, "a controller has one job");
  roster_ = Roster(started.inventory);
  for (Detector& detector : detectors_) {
    std::visit([&](auto& each) { each.start(constants_->detection, ids_, out); }, detector);
  }
  std::visit([&](auto& policy) { policy.start(started.job, constants_->checkpoint, now, ids_, out); },
             checkpoints_);
  recovery_.launch(out);
}

void Controller::on(const Seen& seen, Time now, Orders& out) {
  if (seen.watch == probe_report_) return recovery_.on(seen);
  std::visit([&](auto& policy) { policy.on(seen, out); }, checkpoints_);
  for (const Detector& detector : detectors_) {
    const auto suspicion = std::visit([&](const auto& each) { return each.on(seen); }, detector);
    if (suspicion) suspect(*suspicion, now, out);
  }
}

void Controller::suspect(const Suspicion& suspicion, Time now, Orders& out) {
  // A host that stands by is no incident: it goes to repair before the job gets it.
  if (suspicion.host && !roster_.in_job(*suspicion.host)) {
    out.add(Evict{*suspicion.host});
    return;
  }
  if (recovery_.on(suspicion, now, roster_, out)) {
    std::visit([&](auto& policy) { policy.stopped_by_fault(now, out); }, checkpoints_);
  }
}

void Controller::on(const Outcome& outcome, Time now, Orders& out) {
  if (recovery_.on(outcome, now, roster_, out)) {
    std::visit([&](auto& policy) { policy.training_began(out); }, checkpoints_);
  }
}

void Controller::on(const HostReturned& returned, Time, Orders& out) { out.add(Readmit{returned.host}); }

void Controller::on(const Told& told, Time now, Orders& out) { recovery_.on(told, now, out); }

}  // namespace gauntlet
