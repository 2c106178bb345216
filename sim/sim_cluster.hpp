// The simulated cluster behind the seam: hosts, spares, the repair shop, one gang job, its storage, and their faults.
//
// Its clock jumps to the next event. Machines act here, decisions are made elsewhere: everything that a policy learns
// leaves through the outbox, everything that really goes wrong goes to the truth log.
#pragma once

#include "core/cluster.hpp"
#include "core/record/progress.hpp"
#include "core/record/truth.hpp"
#include "models/step/step.hpp"
#include "models/storage.hpp"
#include "models/world.hpp"
#include "sim/event.hpp"
#include "sim/fault_arrivals.hpp"
#include "sim/gang.hpp"
#include "sim/heartbeats.hpp"
#include "sim/job_signals.hpp"
#include "sim/outbox.hpp"

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
  void reset(Seed seed, bool full_telemetry);

  std::optional<Observed> next(Time until) override;
  void start(const Order& order) override;

  const TruthLog& truth() const { return truth_; }
  const ProgressLog& progress() const { return progress_; }
  std::uint64_t fingerprint() const { return engine_.fingerprint().value(); }
  std::uint64_t events() const { return engine_.events(); }
  Time now() const { return engine_.now(); }

 private:
  enum class HostState : std::uint8_t { in_job, spare, in_repair, returned };
  enum class RanksState : std::uint8_t {
    none,  // no process
    starting,
    up,     // training or paused, as the gang says
    stuck,  // some are dead or hung, the others wait
  };
  struct ActiveFault {
    FaultKindId kind;
    ComponentId component;
    HostId host;
    std::uint32_t number;
    Timer heal;
    bool met_job = false;
  };
  struct OpenOrder {
    Order order;
    Time began;
    Timer due;
    std::int64_t step = 0;     // Checkpoint: the step that it will hold
    Time stall_ends = kNever;  // Checkpoint: when training goes on, once it has begun
  };
  struct LogWatch {
    WatchId id;
    PatternId pattern;
    Scope who;
    std::uint16_t first;
  };

  // sim_cluster.cpp: hosts and the job
  const FaultKind& kind_of(const ActiveFault& fault) const { return world_->faults[fault.kind.value]; }
  bool powered(HostId host) const { return hosts_[host.value] != HostState::in_repair; }
  bool in_job(HostId host) const { return hosts_[host.value] == HostState::in_job; }
  double training_clock() const;
  void schedule_faults(FaultClock clock);
  void begin_training();
  void training_runs();   // the gang trains again: its clock and timers run
  void training_halts();  // it does not: they stop
  void cut_training();
  void change_at_boundary();
  void update_pace();
  void schedule_job_end();
  Pace pace() const;
  Gang::Checkpointing checkpointing() const;
  void grant_spares();
  void repair(HostId host, Duration takes);
  void watch_for_no_progress();

  void on(const BoundaryReached& event);
  void on(const PlannedDue& event);
  void on(const JobEnds& event);
  void on(const RepairDone& event);

  // sim_faults.cpp: what goes wrong, and what of it shows
  void log_truth(TruthKind what, const ActiveFault& fault);
  bool active(FaultKindId kind, ComponentId component) const;
  void strike(const Strike& strike);
  Stream draws_of(StreamName name, std::uint32_t component) const;
  void show_symptoms(const ActiveFault& fault);
  void meet_job(const ActiveFault& fault);
  void stop_job(const ActiveFault& fault);
  void end_fault(std::size_t index);
  void end_faults_of(HostId host);
  void end_faults_that_restart_removes();
  void return_faults();
  void resume_unless_paused();
  void report_log(HostId host, PatternId pattern);
  void push_line(const LogWatch& watch, HostId host, std::uint32_t more);
  void report_victims();
  ClusterState cluster_state() const;  // of the job's hosts

  void on(const FaultDue& event);
  void on(const FaultHeals& event);
  void on(const CollectiveTimeout& event);
  void on(const LogLine& event);

  // sim_orders.cpp: orders and their outcomes
  void answer(const OpenOrder& open, Status status, const Result& result = {});
  void answer_now(const Order& order, Status status, const Result& result = {});
  OpenOrder& open(const Order& order, Time due, Priority priority);
  std::optional<OpenOrder> close(OrderId order);
  template <class ActionType>
  const OpenOrder* find_open() const;
  template <class ActionType>
  void fail_open();
  void delay_checkpoints(Duration pause);
  Duration start_duration();
  Result examine(const Probe& probe);
  bool finds(const ProbeKind& probe, HostId host);

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
  void on(const OrderDue& event);
  void on(const StartFails& event);

  // telemetry events go to their owners
  void on(const ExitReported& event) { heartbeats_->on(event); }
  void on(const HeartbeatDue& event) { heartbeats_->on(event); }
  void on(const HeartbeatMissing& event) { heartbeats_->on(event); }
  void on(const HeartbeatBack& event) { heartbeats_->on(event); }
  void on(const GapBegins& event) { heartbeats_->on(event); }
  void on(const GapEnds& event) { heartbeats_->on(event); }
  void on(const StepDue& event) { signals_->on(event); }
  void on(const StepMissing& event) { signals_->on(event); }
  void on(const CheckpointDue& event) { signals_->on(event); }

  const World* world_;
  StepModel step_model_;
  CheckpointCosts costs_;
  std::vector<StreamName> heal_names_, symptom_names_;   // by FaultKindId
  mutable std::map<ClusterState, Duration> step_times_;  // by canonical state, kept over replicas

  SimEngine engine_;
  Outbox out_;
  TruthLog truth_;
  ProgressLog progress_;
  Seed seed_;
  bool finished_ = false;

  std::vector<HostState> hosts_;
  std::vector<HostId> slots_;           // the job's hosts in rank order; a vacant slot keeps its last host
  std::vector<std::uint32_t> slot_of_;  // by host: where in `slots_` it is or last was
  std::vector<std::uint32_t> vacant_;   // slots without a host, in the order in which they fell empty
  std::vector<HostId> spares_;          // idle, the one that has waited longest first
  struct Repair {
    HostId host;
    Duration takes;
  };
  std::deque<Repair> waiting_repairs_;  // for a technician, in the order in which they came
  std::uint32_t repairs_in_hand_ = 0;
  std::optional<FaultArrivals> arrivals_;
  Timer fault_due_[2];  // by FaultClock, with the time that it is set to
  Time fault_due_at_[2];
  std::vector<ActiveFault> active_;
  std::uint32_t faults_struck_ = 0;

  RanksState ranks_ = RanksState::none;
  Gang gang_{progress_};
  Duration checkpoint_interval_ = kForever;
  Duration collective_timeout_ = kForever;
  bool change_wanted_ = false;      // at the next boundary: pace or cadence
  bool checkpoint_wanted_ = false;  // a Checkpoint order waits for a boundary
  Timer boundary_, job_end_, collective_timer_, give_up_;
  Duration trained_{};  // the training clock up to `training_since_`
  Time training_since_{};
  std::int64_t mark_ = 0;  // most steps ever complete
  Time progress_at_{};     // when the mark last rose

  std::vector<OpenOrder> open_;
  std::vector<LogWatch> log_watches_;
  std::optional<Heartbeats> heartbeats_;
  std::optional<JobSignals> signals_;
  std::optional<Stream> start_draws_, probe_draws_, person_draws_;
};

}  // namespace gauntlet
