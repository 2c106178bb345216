#include "policies/custom/guarded.hpp"

#include <algorithm>
#include <string>

namespace gauntlet {
namespace {

template <class Custom>
std::unique_ptr<Custom> made(const CustomFactory<Custom>& factory, const PolicyGuard& guard) {
  std::unique_ptr<Custom> policy;
  guard.ask([&] { policy = factory.make(); });
  if (!policy) guard.broken("a policy must be made for each replica", "nothing was made");
  return policy;
}

}  // namespace

// --- detectors -----------------------------------------------------------------------------------------------------------

GuardedDetector::GuardedDetector(const CustomFactory<CustomDetector>& factory,
                                 const DiagnosisConstants& diagnosis)
    : diagnosis_(&diagnosis),
      guard_(std::make_unique<PolicyGuard>(PolicyKind::detector, factory.name)),
      policy_(made(factory, *guard_)) {}

void GuardedDetector::start(const Assignment& assignment, WatchIds& ids, Orders& out) {
  guard_->start(assignment.job, assignment.inventory, diagnosis_->suite, ids, out,
                [&] { policy_->start(assignment, guard_->now(), ids, out); });
}

void GuardedDetector::on(const Seen& seen, Time now, Orders& out, Suspicions& found) {
  guard_->call(out, [&] { policy_->on(seen, now, out, found); });
  check(found);
}

void GuardedDetector::on(const Outcome& outcome, Time now, Orders& out, Suspicions& found) {
  guard_->on(outcome);
  guard_->call(out, [&] { policy_->on(outcome, now, out, found); });
  check(found);
}

void GuardedDetector::job_began(Time now, Orders& out) {
  guard_->call(out, [&] { policy_->job_began(now, out); });
}

void GuardedDetector::job_ended(Orders& out) {
  guard_->call(out, [&] { policy_->job_ended(guard_->now(), out); });
}

void GuardedDetector::job_resized(const Inventory& inventory, Orders& out) {
  guard_->call(out, [&] { policy_->job_resized(inventory, guard_->now(), out); });
}

void GuardedDetector::check(const Suspicions& found) const {
  if (found.size() > PolicyGuard::kMostAtOnce)
    guard_->broken("a detector must raise at most 10,000 suspicions at one time",
                   std::to_string(found.size()) + " were raised");
  for (const Suspicion& suspicion : found) {
    const char* rule = broken_rule(suspicion, guard_->bounds());
    if (rule == nullptr) continue;
    const std::string who =
        suspicion.host ? "host " + std::to_string(suspicion.host->value) : std::string("no host");
    guard_->broken(rule, "a suspicion of " + who + ", caused by watch " +
                             std::to_string(suspicion.cause.value) + ", with a quarantine of " +
                             std::to_string(suspicion.quarantine.count()) + " ns");
  }
}

// --- checkpoint policies -------------------------------------------------------------------------------------------------

GuardedCheckpoint::GuardedCheckpoint(const CustomFactory<CustomCheckpoint>& factory)
    : guard_(std::make_unique<PolicyGuard>(PolicyKind::checkpoint, factory.name)),
      policy_(made(factory, *guard_)) {}

void GuardedCheckpoint::start(JobId job, const CheckpointConstants& constants, Time now, WatchIds& ids,
                              Orders& out) {
  const CheckpointAssignment assignment = {.job = job, .inventory = inventory_, .constants = &constants};
  guard_->start(job, inventory_, {}, ids, out, [&] { policy_->start(assignment, now, ids, out); });
}

void GuardedCheckpoint::training_began(Orders& out) {
  guard_->call(out, [&] { policy_->training_began(guard_->now(), out); });
}

void GuardedCheckpoint::on(const Seen& seen, Orders& out) {
  if (!guard_->bounds().owns(seen.watch)) return;
  guard_->call(out, [&] { policy_->on(seen, guard_->now(), out); });
}

void GuardedCheckpoint::on(const Outcome& outcome, Orders& out) {
  guard_->on(outcome);
  guard_->call(out, [&] { policy_->on(outcome, guard_->now(), out); });
}

void GuardedCheckpoint::stopped_by_fault(Time now, Orders& out) {
  guard_->call(out, [&] { policy_->stopped_by_fault(now, out); });
}

// --- recoveries ----------------------------------------------------------------------------------------------------------

GuardedRecovery::GuardedRecovery(const CustomFactory<CustomRecovery>& factory)
    : guard_(std::make_unique<PolicyGuard>(PolicyKind::recovery, factory.name)),
      policy_(made(factory, *guard_)) {}

void GuardedRecovery::start(JobId job, const Inventory& inventory, const RecoveryConstants& constants) {
  guard_->ask([&] { policy_->start(job, inventory, constants); });
}

RecoveryDecision GuardedRecovery::stopped(const FaultStop& stop) const {
  RecoveryDecision decision = guard_->ask([&] { return policy_->stopped(stop); });
  check(decision);
  return decision;
}

RecoveryDecision GuardedRecovery::found_nothing(const FaultStop& stop) const {
  RecoveryDecision decision = guard_->ask([&] { return policy_->found_nothing(stop); });
  check(decision);
  if (decision.what == RecoveryDecision::What::examine)
    guard_->broken(
        "after an examination that found nothing, a recovery must decide for restart, replace or ask",
        "it decided for examine");
  return decision;
}

void GuardedRecovery::not_in_job(HostId host) const {
  guard_->broken("a host that is to be replaced must carry the job",
                 "host " + std::to_string(host.value) + " does not");
}

void GuardedRecovery::check(const RecoveryDecision& decision) const {
  const bool replaces = decision.what == RecoveryDecision::What::replace;
  if (replaces && decision.hosts.empty())
    guard_->broken("a decision to replace must name hosts", "it names none");
  if (!replaces && !decision.hosts.empty())
    guard_->broken("only a decision to replace must name hosts",
                   "another one names " + std::to_string(decision.hosts.size()));
}

}  // namespace gauntlet
