// The policy that joins the policies of a scenario. Detectors raise suspicions, and the recovery of the job answers
// them. The checkpoint policy sets the intervals. The retirement policy decides whether a repaired host becomes a
// spare host again or is retired.
//
// The same object code runs over the simulator, over a record and over real machines. The controller knows only what
// came through `on`. Custom policies (policies/custom) are asked before the registry.
#pragma once

#include "core/cluster.hpp"
#include "policies/checkpoint/checkpoint_count.hpp"
#include "policies/checkpoint/checkpoint_policy.hpp"
#include "policies/checkpoint/just_in_time.hpp"
#include "policies/constants.hpp"
#include "policies/custom/guarded.hpp"
#include "policies/detect/detector.hpp"
#include "policies/recover/recovery.hpp"
#include "policies/seating.hpp"
#include "policies/spares/retirement.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {

/// A detector of the registry, or a custom one.
template <class Shipped>
struct WithCustom;
template <class... Each>
struct WithCustom<std::variant<Each...>> {
  using type = std::variant<Each..., GuardedDetector>;
};
using AnyDetector = WithCustom<Detector>::type;

class Controller final : public Policy {
 public:
  /// For one job. `constants` must outlive the controller. policies/controller/registry.hpp has the names of policies
  /// that `constants` may contain.
  explicit Controller(const PolicyConstants& constants, JobId job = {});
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  void on(const Observed& seen, Orders& out) override;

 private:
  void on(const Started& started, Time now, Orders& out);
  void on(const Seen& seen, Time now, Orders& out);
  void on(const Outcome& outcome, Time now, Orders& out);
  void on(const HostReturned& returned, Time now, Orders& out);
  void on(const StopRequest& told, Time now, Orders& out);
  void on(const Noticed& noticed, Time now, Orders& out);
  void on(const OperatorActed& acted, Time now, Orders& out);
  void on(const Overflow&, Time, Orders&) {}
  void on(const Finished&, Time, Orders&) {}
  template <class What>
  void detect(std::size_t detector, const What& what, Time now, Orders& out);
  template <class Call>
  void call(std::size_t detector, const Call& call, Orders& out);
  void suspect(const Suspicion& suspicion, Time now, Orders& out);
  void incident_opened(Time now, Orders& out);
  void take_out(const OperatorActed& acted, Time now, Orders& out);
  void readmit_by_hand(HostId host, Time now, Orders& out);
  void readmit(HostId host, Time now, Orders& out);
  void note(std::size_t first, Time now, const Orders& out);
  void tell_detectors(Time now, Orders& out);
  template <class Call>
  void call_checkpoints(const Call& call, Orders& out);

  const PolicyConstants* constants_;
  JobId job_;
  WatchIds ids_;
  Recovery::Reports reports_;
  Seating seating_;
  std::vector<AnyDetector> detectors_;
  std::vector<WatchId> last_watches_;  // the last id of each detector: ids are given to one after the other
  struct Asked {
    OrderId order;
    std::size_t detector;  // one beyond the last: the custom checkpoint policy
  };
  std::vector<Asked> asked_;  // orders of detectors without an outcome so far, by id
  CheckpointPolicy checkpoints_;
  /// The custom ones among the policies.
  struct Custom {
    GuardedCheckpoint* checkpoints = nullptr;  // within `checkpoints_`
    std::optional<GuardedRecovery> recovery;   // that `recovery_` asks
    std::vector<PolicyGuard*> guards;          // of those that give orders
  };
  Custom custom_;
  JustInTime just_in_time_;
  CheckpointCount taken_;
  Recovery recovery_;
  Retirement retirement_;
  struct Told {
    bool job_up = false;
    std::uint32_t replicas = 0;  // the size of the job
  };
  Told detectors_know_;
  Suspicions found_;  // of the present call of `detect`; a member to reuse memory
  std::set<std::pair<WatchId, ComponentId>> told_;  // alerts to a person since the job's last start
  Suspicions waiting_for_spare_;                    // of hosts that slow the job, while no spare host is free
  struct Quarantines {
    std::map<HostId, Time> until;    // the end of the quarantine of each host
    std::map<OrderId, HostId> ends;  // hosts whose quarantine ends with this wake
    std::set<HostId> lifted;         // hosts that an operator readmits: they are readmitted when they return
  };
  Quarantines quarantines_;
};

}  // namespace gauntlet
