// The controller composes the policies of a scenario into one: detectors raise suspicions, the recovery of the job
// answers them, the checkpoint policy sets the interval, and repaired hosts go back to the spares.
//
// The same object code runs over the simulator, over a record and over real machines. It is a value: everything that
// it knows came through `on`.
#pragma once

#include "core/cluster.hpp"
#include "core/roster.hpp"
#include "policies/checkpoint/checkpoint_policy.hpp"
#include "policies/constants.hpp"
#include "policies/detect/detector.hpp"
#include "policies/recover/recovery.hpp"

#include <optional>
#include <vector>

namespace gauntlet {

class Controller final : public Policy {
 public:
  /// For one job. `constants` must outlive the controller; its names are in policies/registry.hpp.
  explicit Controller(const PolicyConstants& constants, JobId job = {});

  void on(const Observed& seen, Orders& out) override;

 private:
  void on(const Started& started, Time now, Orders& out);
  void on(const Seen& seen, Time now, Orders& out);
  void on(const Outcome& outcome, Time now, Orders& out);
  void on(const HostReturned& returned, Time now, Orders& out);
  void on(const Told& told, Time now, Orders& out);
  void on(const Overflow&, Time, Orders&) {}
  void on(const Finished&, Time, Orders&) {}
  void suspect(const Suspicion& suspicion, Time now, Orders& out);

  const PolicyConstants* constants_;
  JobId job_;
  WatchIds ids_;
  WatchId probe_report_;
  Roster roster_;
  std::vector<Detector> detectors_;
  CheckpointPolicy checkpoints_;
  Recovery recovery_;
};

}  // namespace gauntlet
