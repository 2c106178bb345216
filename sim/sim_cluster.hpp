// The simulated cluster: hosts, spare hosts, the repair shop, one gang job, its storage, and their faults. It
// implements `Cluster` (core/cluster.hpp).
//
// Its clock jumps to the next event. The cluster carries out orders; policies decide. A policy learns only what
// leaves through the outbox. Every fault that strikes goes to the truth log.
//
// Each part owns its state, and no part knows the cluster. An event or an order enters here and passes through the parts
// forward: faults, training, checkpoints, orders, monitoring (ARCHITECTURE.md, "How a fault passes through the simulated
// cluster").
#pragma once

#include "core/cluster.hpp"
#include "core/record/progress.hpp"
#include "core/record/truth.hpp"
#include "models/world/world.hpp"
#include "sim/checkpoints.hpp"
#include "sim/engine/event.hpp"
#include "sim/engine/open_orders.hpp"
#include "sim/engine/outbox.hpp"
#include "sim/examination.hpp"
#include "sim/faults/faults.hpp"
#include "sim/faults/lost_work.hpp"
#include "sim/hosts/hosts.hpp"
#include "sim/hosts/other_jobs.hpp"
#include "sim/job/training_job.hpp"
#include "sim/job_start.hpp"
#include "sim/people.hpp"
#include "sim/telemetry/monitoring.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace gauntlet {

/// Of one replica: observations, entries of the truth, stretches of training and pauses. They are kept until it is scored; with the orders
/// and what the score makes of them about 1 GB (assumption: each thread may have that). An interruption of `tiny-8` makes about 20.
inline constexpr std::size_t kMostOnRecord = 4'000'000;

class SimCluster final : public Cluster {
 public:
  /// `world` must outlive the cluster. Nothing happens before `reset`.
  explicit SimCluster(const World& world);

  /// Makes a fresh cluster at time zero, for one replica. Allocated memory is reused. `full_telemetry`: every raw
  /// sample is generated. `stop`: once it is set, `next` soon returns nothing, and the caller must abandon the
  /// replica. Null: never.
  void reset(Seed seed, bool full_telemetry, const std::atomic<bool>* stop = nullptr);

  std::optional<Observed> next(Time until) override;
  void start(const Order& order) override;

  const TruthLog& truth() const { return faults_.truth(); }
  const ProgressLog& progress() const { return training_.progress(); }
  /// How many more faults struck than were to be expected, by FaultKindId (Faults::compensated).
  void compensated(std::vector<double>& counts) const { faults_.compensated(counts); }
  /// How much more work stops took than was to be expected (sim/faults/lost_work.hpp), in units of WorkAtRisk. Once the run has ended.
  double compensated_work() const { return lost_work_.compensated(training_.gang().work_at_risk_integral()); }
  /// As FaultArrivals::tiltable.
  TiltableCounts tiltable() const { return faults_.clocks().tiltable(); }
  std::uint64_t fingerprint() const { return engine_.fingerprint().value(); }
  std::uint64_t events() const { return engine_.events(); }
  Time now() const { return engine_.now(); }
  /// Whether the job has ended. False if the replica was abandoned.
  bool finished() const { return finished_; }
  /// `next` returns nothing any more, because the replica would fill memory.
  bool has_too_much_on_record() const;
  const RepairCounts& repairs_done() const { return hosts_.repairs_done(); }
  const SpareCounts& spares_used() const { return hosts_.spares_used(); }

 private:
  // sim_cluster.cpp: what happens to the job
  bool is_abandoned() const;
  TrainingJob::Conditions conditions() const;
  void begin_training();
  void run_training();
  void halt_training();
  void cut_training();
  void pause_training(FaultKindId by, Time until);
  void resume_unless_paused();
  void await_end_of_pause();
  void update_pace();
  void hold_load_until(Time until);
  void schedule_planned_stop(std::uint32_t number);
  void tell_to_stop(Duration hold, bool preempted);
  void end_run();

  // sim_faults.cpp: how a fault passes through the parts
  bool strike(const Strike& strike);
  void damage_checkpoint(FaultRef ref);
  void show(ActiveFault& fault);
  void meet_job(ActiveFault& fault);
  void stop_job(ActiveFault& fault);
  void fail_start(const ActiveFault& fault);
  void stand_still(PatternId line, Time first_abort);
  void stall_job(const ActiveFault& fault);
  void end_fault(FaultRef ref);
  void end_all(const std::vector<FaultRef>& faults);
  void return_host(HostId host, bool mended);
  void return_faults(Faults::Returning which);
  std::optional<HostId> deal_with_culprit();

  // sim_orders.cpp: orders
  Result examine(const Probe& probe);
  void leave_job(HostId host);
  void grant_spares();
  bool resize_job(std::uint32_t replicas);
  void answer_now(const Order& order, Status status) { orders_.answer(order, status); }

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

  // Events.
  void on(const BoundaryReached& event);
  void on(const EvaluationDue& event);
  void on(const EvaluationEnds& event);
  void on(const PlannedDue& event);
  void on(const OperatorDue& event);
  void on(const OtherJobsDue& event);
  void on(const JobEnds& event);
  void on(const CollectiveTimeout& event);
  void on(const NoticeDue& event);
  void on(const FaultDue& event);
  void on(const FaultHeals& event);
  void on(const FaultGrows& event);
  void on(const FaultFollows& event);
  void on(const FaultReturns& event);
  void on(const OrderDue& event);
  void on(const StartFails& event);
  void on(const RepairDone& event);
  void on(const SpareReady& event);
  template <class OfMonitoring>
  void on(const OfMonitoring& event) {
    monitoring_.on(event);
  }

  const World* world_;
  SimEngine engine_;
  Outbox out_;
  OpenOrders orders_;
  Hosts hosts_;
  Faults faults_;
  TrainingJob training_;
  LostWork lost_work_;
  Checkpoints checkpoints_;
  JobStart start_;
  Monitoring monitoring_;
  Examination examination_;
  PeopleOnCall people_;
  std::optional<OtherJobs> other_jobs_;
  bool finished_ = false;
  std::size_t given_ = 0;                    // observations
  bool ends_when_down_ = false;              // an operator ends the run
  const std::atomic<bool>* stop_ = nullptr;  // once set, the replica is abandoned
};

}  // namespace gauntlet
