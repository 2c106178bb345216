// Custom policies behind their guards, in the shape of the shipped ones: alternatives of Detector and CheckpointPolicy, and what
// a Recovery asks.
#pragma once

#include "policies/custom/custom_policy.hpp"
#include "policies/custom/guard.hpp"

#include <memory>

namespace gauntlet {

class GuardedDetector : public DetectorBase {
 public:
  GuardedDetector(const CustomFactory<CustomDetector>& factory, const DiagnosisConstants& diagnosis);
  PolicyGuard& guard() { return *guard_; }

  void start(const Assignment& assignment, WatchIds& ids, Orders& out);
  void on(const Seen& seen, Time now, Orders& out, Suspicions& found);
  void on(const Outcome& outcome, Time now, Orders& out, Suspicions& found);
  void job_began(Time now, Orders& out);
  void job_ended(Orders& out);
  void job_resized(const Inventory& inventory, Orders& out);

 private:
  void check(const Suspicions& found) const;

  const DiagnosisConstants* diagnosis_;
  std::unique_ptr<PolicyGuard> guard_;
  std::unique_ptr<CustomDetector> policy_;
};

class GuardedCheckpoint {
 public:
  explicit GuardedCheckpoint(const CustomFactory<CustomCheckpoint>& factory);
  PolicyGuard& guard() { return *guard_; }

  /// Before `start`.
  void inventory_is(const Inventory& inventory) { inventory_ = inventory; }
  void start(JobId job, const CheckpointConstants& constants, Time now, WatchIds& ids, Orders& out);
  void training_began(Orders& out);
  void on(const Seen& seen, Orders& out);
  void on(const Outcome& outcome, Orders& out);
  void stopped_by_fault(Time now, Orders& out);

 private:
  std::unique_ptr<PolicyGuard> guard_;
  std::unique_ptr<CustomCheckpoint> policy_;
  Inventory inventory_;
};

class GuardedRecovery {
 public:
  explicit GuardedRecovery(const CustomFactory<CustomRecovery>& factory);

  void start(JobId job, const Inventory& inventory, const RecoveryConstants& constants);
  RecoveryDecision stopped(const FaultStop& stop) const;
  RecoveryDecision found_nothing(const FaultStop& stop) const;
  /// A host that is to be replaced does not carry the job.
  [[noreturn]] void not_in_job(HostId host) const;

 private:
  void check(const RecoveryDecision& decision) const;

  std::unique_ptr<PolicyGuard> guard_;
  std::unique_ptr<CustomRecovery> policy_;
};

}  // namespace gauntlet
