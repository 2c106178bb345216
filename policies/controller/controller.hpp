// The controller composes the policies of a scenario into one: detectors raise suspicions, the recovery of the job
// answers them, the checkpoint policy sets the intervals, and repaired hosts go back to the spares, or leave for good.
//
// The same object code runs over the simulator, over a record and over real machines. It is a value: everything that
// it knows came through `on`.
#pragma once

#include "core/cluster.hpp"
#include "policies/checkpoint/checkpoint_count.hpp"
#include "policies/checkpoint/checkpoint_policy.hpp"
#include "policies/checkpoint/just_in_time.hpp"
#include "policies/constants.hpp"
#include "policies/detect/detector.hpp"
#include "policies/recover/recovery.hpp"
#include "policies/seating.hpp"
#include "policies/spares/retirement.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace gauntlet {

class Controller final : public Policy {
 public:
  /// For one job. `constants` must outlive the controller; its names are in policies/controller/registry.hpp.
  explicit Controller(const PolicyConstants& constants, JobId job = {});

  void on(const Observed& seen, Orders& out) override;

 private:
  void on(const Started& started, Time now, Orders& out);
  void on(const Seen& seen, Time now, Orders& out);
  void on(const Outcome& outcome, Time now, Orders& out);
  void on(const HostReturned& returned, Time now, Orders& out);
  void on(const StopRequest& told, Time now, Orders& out);
  void on(const Noticed& noticed, Time now, Orders& out);
  void on(const Overflow&, Time, Orders&) {}
  void on(const Finished&, Time, Orders&) {}
  template <class What>
  void detect(std::size_t detector, const What& what, Time now, Orders& out);
  template <class Call>
  void call(std::size_t detector, const Call& call, Orders& out);
  void suspect(const Suspicion& suspicion, Time now, Orders& out);
  void incident_opened(Time now, Orders& out);
  void readmit(HostId host, Time now, Orders& out);
  void note(std::size_t first, Time now, const Orders& out);
  void tell_detectors(Time now, Orders& out);

  const PolicyConstants* constants_;
  JobId job_;
  WatchIds ids_;
  Recovery::Reports reports_;
  Seating seating_;
  std::vector<Detector> detectors_;
  std::vector<WatchId> last_watches_;  // of each detector: their ids follow each other
  struct Asked {
    OrderId order;
    std::size_t detector;
  };
  std::vector<Asked> asked_;  // orders of detectors that have no outcome yet, in order
  CheckpointPolicy checkpoints_;
  JustInTime just_in_time_;
  CheckpointCount taken_;
  Recovery recovery_;
  Retirement retirement_;
  bool job_up_ = false;
  std::uint32_t replicas_ = 0;                      // that the detectors know of
  Suspicions found_;                                // by what is being heard; kept for its memory alone
  std::set<std::pair<WatchId, ComponentId>> told_;  // what a person was told since the job's last start
  Suspicions waiting_for_spare_;                    // of hosts that slow the job, while none stands by
  std::map<HostId, Time> quarantine_;               // until when
  std::map<OrderId, HostId> readmissions_;          // that wait for the end of one
};

}  // namespace gauntlet
