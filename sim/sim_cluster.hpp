// The simulated cluster behind the seam: hosts, spares, the repair shop, one gang job, its storage, and their faults.
//
// Its clock jumps to the next event. Machines act here, decisions are made elsewhere: everything that a policy learns
// leaves through the outbox, everything that really goes wrong goes to the truth log.
#pragma once

#include "core/cluster.hpp"
#include "core/filter.hpp"
#include "core/record/progress.hpp"
#include "core/record/truth.hpp"
#include "models/world/blast_radius.hpp"
#include "models/world/world.hpp"
#include "sim/active_faults.hpp"
#include "sim/event.hpp"
#include "sim/fault_arrivals.hpp"
#include "sim/gang.hpp"
#include "sim/heartbeats.hpp"
#include "sim/host_signals.hpp"
#include "sim/job_signals.hpp"
#include "sim/job_size.hpp"
#include "sim/moment.hpp"
#include "sim/other_jobs.hpp"
#include "sim/outbox.hpp"
#include "sim/repair.hpp"
#include "sim/reports.hpp"
#include "sim/seats.hpp"
#include "sim/spares.hpp"
#include "sim/victims.hpp"

#include <atomic>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace gauntlet {

class SimCluster final : public Cluster {
 public:
  /// `world` must outlive the cluster. Nothing happens before `reset`.
  explicit SimCluster(const World& world);

  /// A fresh cluster at time zero, for one replica. Memory is kept. `full_telemetry`: every raw sample is generated.
  /// `stop`: once it is set, `next` soon gives nothing more, and the replica is to be abandoned (never where it is null).
  void reset(Seed seed, bool full_telemetry, const std::atomic<bool>* stop = nullptr);

  std::optional<Observed> next(Time until) override;
  void start(const Order& order) override;

  const TruthLog& truth() const { return truth_; }
  const ProgressLog& progress() const { return progress_; }
  std::uint64_t fingerprint() const { return engine_.fingerprint().value(); }
  std::uint64_t events() const { return engine_.events(); }
  Time now() const { return engine_.now(); }
  /// Whether the job has ended. A replica that was abandoned has not.
  bool finished() const { return finished_; }
  const RepairCounts& repairs_done() const { return shop_->counts(); }
  const SpareCounts& spares_used() const { return spares_->counts(); }

 private:
  enum class HostState : std::uint8_t { in_job, spare, in_repair, returned, retired };
  enum class RanksState : std::uint8_t {
    none,  // no process
    starting,
    up,     // training or paused, as the gang says
    stuck,  // some are dead or hung, the others wait
  };
  /// What brought the stop that is dealt with, or was last: at first the beginning of the run. What comes of a stop draws by that,
  /// so that policies that meet the same fault meet the same chances. A stop that a policy ordered by mistake counts on.
  struct Stopped {
    Time by = kStart;  // the onset of a fault, or when the job was told to stop
    DrawsOfStop draws{};
  };
  struct OpenOrder {
    Order order;
    Time began;
    Timer due;
    std::int64_t step = 0;     // Checkpoint: the step that it will hold
    Time stall_ends = kNever;  // Checkpoint: when training goes on, once it has begun
    Time durable = kNever;     // ... and when it is durable
  };
  /// What the present start goes back to. Nothing in storage, nor in memory: the beginning.
  struct Loading {
    std::int64_t step = 0;
    Tier from = Tier::storage;
    Duration takes{};
    Time begins, ends, due;  // of the load; `due`: of the whole start
    Time held_until;         // by storage that does not answer
  };
  struct LogWatch {
    WatchId id;
    PatternId pattern;
    Scope who;
    std::uint16_t first;
    // Of the victims of the present stop:
    std::uint32_t told = 0;
    std::optional<HostId> held_back;
    std::uint32_t held = 0;
  };

  // sim_cluster.cpp: hosts and the job
  const FaultKind& kind_of(const ActiveFault& fault) const { return world_->faults[fault.kind.value]; }
  bool powered(HostId host) const {
    return hosts_[host.value] != HostState::in_repair && hosts_[host.value] != HostState::retired;
  }
  bool in_job(HostId host) const { return hosts_[host.value] == HostState::in_job; }
  template <class Holds>
  bool any_host(const HostRange& hosts, const Holds& holds) const;
  void host_becomes(HostId host, HostState state);
  bool is_abandoned() const;
  double training_clock() const;
  void schedule_faults(FaultClock clock);
  void begin_training();
  void training_runs();   // the gang trains again: its clock and timers run
  void training_halts();  // it does not: they stop
  void cut_training();
  void change_at_boundary();
  void update_pace();
  void schedule_job_end();
  void grant_spares();
  std::size_t hosts_wanted() const;
  void leave_job(HostId host);
  bool resize(std::uint32_t replicas);
  void repair(HostId host);
  Time gives_up_without_progress() const;
  void watch_for_no_progress();

  void on(const BoundaryReached& event);
  void on(const PlannedDue& event);
  void on(const OtherJobsDue& event);
  void on(const JobEnds& event);
  void on(const RepairDone& event);
  void on(const SpareReady& event);

  // sim_checkpoints.cpp: checkpoints, starts and evaluation
  Gang::Checkpointing checkpointing() const;
  void expect_checkpoints();
  void hold_checkpoints();
  void delay_checkpoints(Duration pause);
  bool storage_is_out() const;
  void storage_fails();
  void storage_answers();
  void hold_load_until(Time until);
  void lose_memory(HostId host);
  void lose_memory(const ActiveFault& fault);
  bool still_held(Tier tier) const;
  Duration increments_of(Tier tier) const;
  Loading choose_checkpoint(const Start& action) const;
  void begin_start(const Start& action);
  void schedule_evaluation();
  void pause_training(FaultKindId by, Time until);
  void pause_changes();

  void on(const EvaluationDue& event);
  void on(const EvaluationEnds& event);

  // sim_faults.cpp: what goes wrong, and what of it shows
  void log_truth(TruthKind what, const ActiveFault& fault);
  double times_as_long(const ActiveFault& fault) const;
  bool strike(const Strike& strike);
  void follow(const FaultKind& kind, ComponentId component);
  std::uint32_t repairs_of(ComponentId component) const;
  void wait_for_same_step();
  /// For what happens to one component now.
  Stream draws_of(StreamName name, std::uint64_t component) const {
    return stream_now(seed_, name, engine_.now(), component);
  }
  void show_symptoms(ActiveFault& fault);
  void meet_job(ActiveFault& fault);
  void stop_job(ActiveFault& fault);
  /// What holds a paused gang: the first stall on the job, if there is one, and when the last of them heals.
  struct Stalls {
    const ActiveFault* first = nullptr;
    Time until = kStart;
  };
  Stalls stalls() const;
  void expect_collective_timeout();
  Timer notice();
  void stand_still();
  void end_fault(FaultRef ref);
  void end_faults_of(HostId host);
  void end_faults_in_vain(HostId host);
  void end_faults_that_restart_removes();
  enum class Returning : std::uint8_t { at_start, in_training };
  /// Those that are still there strike again: what goes wrong in starts at the start, the rest once the job trains.
  void return_faults(Returning which);
  void resume_unless_paused();
  void report_log(HostId host, PatternId pattern, Severity severity);
  void push_line(const LogWatch& watch, HostId host, Severity severity, std::uint32_t more);
  void victims_begin(PatternId line, Time first);
  void victims_log(std::uint32_t hops, bool last);
  std::vector<std::uint32_t> culprit_slots() const;
  double loss() const;
  void loss_changes();
  ClusterState cluster_state() const;  // of the job's hosts
  void add_seat(const ActiveFault& fault, std::uint32_t slot, ClusterState& state) const;
  void add_seats(const ActiveFault& fault, ClusterState& state) const;

  void on(const FaultDue& event);
  void on(const FaultHeals& event);
  void on(const FaultGrows& event);
  void on(const FaultFollows& event);
  void on(const FaultReturns& event);
  void on(const CollectiveTimeout& event);
  void on(const AbortWave& event);
  void on(const LogLine& event);
  void on(const NoticeDue& event);

  // sim_orders.cpp: orders and their outcomes
  void answer(OrderId order, Time began, Status status, const Result& result);
  void answer(const OpenOrder& open, Status status, const Result& result = {}) {
    answer(open.order.id, open.began, status, result);
  }
  void answer_now(const Order& order, Status status, const Result& result = {}) {
    answer(order.id, engine_.now(), status, result);
  }
  OpenOrder& open(const Order& order, Time due, Priority priority);
  std::optional<OpenOrder> close(OrderId order);
  template <class ActionType>
  OpenOrder* find_open();
  template <class ActionType>
  void fail_open();
  Result examine(const Probe& probe);
  void stop_is(Time by, DrawsOfStop draws);
  void told_to_stop(Duration hold, bool preempted);
  bool finds(const ProbeKind& probe, HostId host);
  std::vector<HostId> hosts_to_find() const;
  bool any_fault_in(SlotRange slots) const;
  std::vector<HostId> failing_hosts(ProbeId number);
  std::optional<HostId> deal_with_culprit();
  void tell_last_collectives(const Watch& watch);

  void begin(const Order& order, const Watch& action);
  void begin(const Order& order, const Unwatch& action);
  void begin(const Order& order, const Wake& action);
  void begin(const Order& order, const Cancel& action);
  void begin(const Order& order, const CheckpointEvery& action);
  void begin(const Order& order, const Checkpoint& action);
  void begin(const Order& order, const Stop& action);
  void begin(const Order& order, const Start& action);
  void begin(const Order& order, const Acquire& action);
  void begin(const Order& order, const Evict& action);
  void begin(const Order& order, const Readmit& action);
  void begin(const Order& order, const Probe& action);
  void begin(const Order& order, const Ask& action);
  void begin(const Order& order, const Alert& action);
  void begin(const Order& order, const Retire& action);
  void begin(const Order& order, const Release& action);
  void begin(const Order& order, const StandBy& action);
  void on(const OrderDue& event);
  void on(const StartFails& event);

  // telemetry events go to their owners
  void on(const ExitReported& event) { heartbeats_->on(event); }
  void on(const HeartbeatDue& event) { heartbeats_->on(event); }
  void on(const HeartbeatMissing& event) { heartbeats_->on(event); }
  void on(const HeartbeatBack& event) { heartbeats_->on(event); }
  void on(const GapBegins& event) { heartbeats_->on(event); }
  void on(const GapEnds& event) { heartbeats_->on(event); }
  void on(const ExitBurstEnds& event) { heartbeats_->on(event); }
  void on(const StepMissing& event) { signals_->on(event); }
  void on(const StepDue&) { report_due(); }
  void on(const CheckpointDue&) { report_due(); }
  void on(const HostTick&) { report_due(); }
  void on(const TrafficMissing& event) { host_signals_->on(event); }
  void on(const BlipBegins& event) { host_signals_->on(event); }
  void on(const BlipEnds& event) { host_signals_->on(event); }
  void on(const ReportArrives& event) { reports_->on(event); }
  // What the job's and the hosts' agents sample at one instant comes in one order, whichever event brings it.
  void report_due() {
    signals_->on(StepDue{});
    host_signals_->report_due();
    host_signals_->schedule();
  }
  void before_change() {
    signals_->before_change();
    host_signals_->before_change();
  }
  void after_change() {
    signals_->after_change();
    host_signals_->after_change();
  }

  const World* world_;
  JobSize whole_;  // with every replica
  std::map<std::uint32_t, JobSize>
      smaller_;    // by replicas, as they came about; kept over replicas of the study
  JobSize* size_;  // of the last start
  std::vector<StreamName> heal_names_, symptom_names_, follow_names_, probe_names_;  // by FaultKindId

  SimEngine engine_;
  Outbox out_;
  TruthLog truth_;
  std::size_t orders_ = 0;  // given so far
  ProgressLog progress_;
  Seed seed_;
  bool finished_ = false;
  const std::atomic<bool>* stop_ = nullptr;  // set where the replica is to be abandoned

  std::vector<HostState> hosts_;
  std::vector<std::uint32_t> repairs_;  // of each host so far
  Seats seats_;
  std::vector<std::uint32_t> vacant_;  // slots without a host, in the order in which they fell empty
  std::vector<HostId>
      beyond_;  // of the job, for replicas that it lacks, in the order in which they were granted
  std::optional<Spares> spares_;
  std::optional<OtherJobs> other_jobs_;
  std::optional<RepairQueue> shop_;
  std::optional<FaultArrivals> arrivals_;
  Timer fault_due_[2];  // by FaultClock, with the time that it is set to
  Time fault_due_at_[2];
  ActiveFaults active_;

  RanksState ranks_ = RanksState::none;
  Gang gang_;
  std::array<Duration, kTiers> intervals_ = {};  // between checkpoints
  std::vector<std::pair<Time, std::uint32_t>>
      memory_lost_;                   // in order of time: when, and in which slot, a host lost its memory
  std::size_t lost_before_load_ = 0;  // so many of them, before the last start had loaded
  Loading loading_;
  std::int64_t evaluated_ = 0;  // the step at which the model was evaluated last, or training began
  bool evaluating_ = false;
  Time paused_at_;
  Duration collective_timeout_ = kForever;
  bool change_wanted_ = false;      // at the next boundary: pace or cadence
  bool checkpoint_wanted_ = false;  // a Checkpoint order waits for a boundary
  Timer boundary_, job_end_, collective_timer_, give_up_, same_step_, evaluation_;
  Timer notice_, start_notice_;  // when a person sees that the job stands still; that it does not start
  ClusterState in_force_;        // what the present pace is for
  std::uint64_t starts_ = 0;
  Stopped stopped_;
  bool has_hosts_ = false;  // since a start; not once they were given back
  Duration trained_{};      // the training clock up to `training_since_`
  Time training_since_{};
  std::int64_t mark_ = 0;  // most steps ever complete
  Time progress_at_{};     // when the mark last rose

  std::vector<OpenOrder> open_;
  std::vector<LogWatch> log_watches_;
  std::optional<Heartbeats> heartbeats_;
  std::optional<JobSignals> signals_;
  std::optional<HostSignals> host_signals_;
  std::optional<Reports> reports_;
  std::optional<Victims> victims_;
};

/// Whether `holds` for one of the hosts; asked in order, until it does.
template <class Holds>
bool SimCluster::any_host(const HostRange& hosts, const Holds& holds) const {
  for (std::uint32_t i = 0; i < hosts.count; ++i) {
    if (holds(HostId{hosts.first.value + i})) return true;
  }
  return false;
}

}  // namespace gauntlet
