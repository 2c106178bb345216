// The faults of the simulated cluster: how each strikes, grows and ends, and what those that are there do to the job together.
//
// A fault begins here and goes on through the other parts of the cluster (ARCHITECTURE.md, "How a fault passes through the
// simulated cluster"). This part knows the hosts and no part that a fault passes after it.
#pragma once

#include "core/random/stream.hpp"
#include "core/record/truth.hpp"
#include "models/step/step.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/engine/moment.hpp"
#include "sim/engine/open_orders.hpp"
#include "sim/faults/active_faults.hpp"
#include "sim/faults/fault_clocks.hpp"
#include "sim/hosts/hosts.hpp"
#include "sim/job/gang.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

/// What brought the stop that is dealt with, or was last: at first the beginning of the run. What comes of a stop draws by
/// that, so that policies that meet the same fault meet the same chances. A stop that a policy ordered by mistake counts
/// on.
struct StopCause {
  Time by = kStart;  // the onset of a fault, or when the job was told to stop
  DrawsOfStop draws{};
};

class Faults {
 public:
  /// All must outlive the faults. Orders are counted in the truth log.
  Faults(const World& world, const Hosts& hosts, const OpenOrders& orders, SimEngine& engine);
  void reset(Seed seed);

  FaultClocks& clocks() { return clocks_; }
  const FaultClocks& clocks() const { return clocks_; }
  /// By FaultKindId: strikes up to now less those to be expected (FaultArrivals::compensated).
  void compensated(std::vector<double>& counts) const;
  const TruthLog& truth() const { return truth_; }
  const FaultKind& kind_of(const ActiveFault& fault) const { return world_->faults[fault.kind.value]; }
  ActiveFault& operator[](FaultRef ref) { return active_[ref]; }
  /// Null where it has ended.
  ActiveFault* find(FaultRef ref) { return active_.find(ref); }
  ActiveFaults& active() { return active_; }
  /// Those on the job with that concern, in the order in which they struck.
  const std::vector<FaultRef>& on_job(Concern concern) const { return active_.on_job(concern); }
  void log_truth(TruthKind what, const ActiveFault& fault);

  // How a fault begins and ends.

  /// Nothing where nobody is there to be struck, or the component has failed already.
  struct Struck {
    FaultRef fault;
    Duration lasts = kForever;  // until it heals by itself
  };
  std::optional<Struck> strike(const Strike& strike);
  /// What was due met nobody, or was there already: the component may fail anew in the first case.
  void missed(const Strike& strike, FaultClock clock);
  /// What a fault that has healed leads to is on its way.
  void follow_healed(const ActiveFault& healed);
  /// Nothing where the host was repaired meanwhile: what led to the fault is gone with that.
  std::optional<Strike> on(const FaultFollows& event) const;
  /// False where it has ended, or grows no more.
  bool on(const FaultGrows& event);
  /// Its component may fail anew. The fault as it was.
  ActiveFault end(FaultRef ref);
  /// Those that the repair of a host ends, the last first. One in vain ends what failed where repair cures lemons, and the
  /// lemon remains; any other fault is still there. Valid until the next such question.
  const std::vector<FaultRef>& ended_by_repair(HostId host, bool mended);

  /// The host joined the job, or left it: what is wrong with it is on the job meanwhile.
  void host_joined(HostId host);
  void host_left(HostId host);
  /// The host's components are powered, or not.
  void host_on(HostId host);
  void host_off(HostId host);
  /// What a host is repaired for: what it was broken by first. How long that takes is that fault's, whenever it is found.
  struct RepairCause {
    std::optional<FaultKindId> kind;
    Stream draws;
  };
  RepairCause repair_cause(HostId host);

  // What they do to the job.

  /// The job starts, or trains again: those that are there strike again. What goes wrong in starts does so at the start,
  /// the rest once the job trains. Null where this one does not.
  enum class Returning : std::uint8_t { at_start, in_training };
  ActiveFault* returns(FaultRef ref, Returning which);
  /// The job's own faults show on its first host.
  void move_job_faults() { active_.move_job_faults(hosts_->seats().host(0)); }
  /// Some stop the job again at the same step.
  void wait_for_same_step(const Gang& gang);
  ActiveFault* at_same_step(const Gang& gang);
  /// The job does not train any more.
  void training_halts();

  /// The fault brings the stop that is dealt with from now on. So does what told the job to stop. What was drawn for the
  /// stop before is kept with the fault that brought it, which may return.
  void stop_is(const ActiveFault& fault) { stop_is(fault.struck, fault.stop); }
  void stop_is(Time by, DrawsOfStop draws);
  StopCause& stop() { return stop_; }

  /// What holds a paused gang: the first stall on the job, if there is one, and when the last of them heals.
  struct Stalls {
    const ActiveFault* first = nullptr;
    Time until = kStart;
  };
  Stalls stalls() const;
  bool storage_is_out() const;
  /// Of the job's hosts.
  ClusterState cluster_state() const;
  /// As the worst of them moves it.
  double loss() const;
  /// The slots of those that hold the job, in ascending order. Valid until the next such question.
  const std::vector<std::uint32_t>& culprit_slots();
  /// A host that stops the job and needs repair: a person who was asked names it.
  std::optional<HostId> culprit() const;

 private:
  /// The streams of one kind.
  struct Streams {
    StreamName heals, follows;
  };
  /// For what happens to one component now.
  Stream draws_of(StreamName name, std::uint64_t component) const {
    return stream_now(seed_, name, engine_->now(), component);
  }
  void follow(const FaultKind& kind, ComponentId component, std::uint32_t same_time);
  bool waits_for_step(const ActiveFault& fault) const { return kind_of(fault).same_step && fault.step >= 0; }
  double times_as_long(const ActiveFault& fault) const;
  void add_seat(const ActiveFault& fault, std::uint32_t slot, ClusterState& state) const;
  void add_seats(const ActiveFault& fault, ClusterState& state) const;

  const World* world_;
  const Hosts* hosts_;
  const OpenOrders* orders_;
  SimEngine* engine_;
  Seed seed_;
  std::vector<Streams> streams_;  // by FaultKindId
  FaultClocks clocks_;
  ActiveFaults active_;
  TruthLog truth_;
  StopCause stop_;
  Timer same_step_;
  // The last answers; kept for their memory alone.
  std::vector<FaultRef> ended_by_repair_;
  std::vector<std::uint32_t> culprit_slots_;
};

}  // namespace gauntlet
