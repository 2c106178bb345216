// The recovery of one job: one stage at a time (stages.hpp).
//
//   running --> (gathering) --> stopping --> diagnosing --> replacing --> (holding) --> starting --> running
//        \--> saving --> stopping --> holding --> starting --> running                  (a planned stop)
//         \--> saving --> stopping --> replacing --> starting --> running               (a host that slows the job)
//   starting --> stopping --> backing off --> starting ... --> keeping --> released --> starting   (starts that fail)
//   replacing --> starting --> running --> saving --> stopping --> replacing --> starting --> running   (smaller for a while)
//
// `replace` first examines hosts, and replaces each host that fails a probe. `restart-in-place` restarts the job at once,
// and examines hosts only if the job stops again in the same incident. If the probes find nothing, both restart the job on
// the same hosts, up to `restarts_in_place` times. After that they replace the suspects on the evidence of the detectors
// alone, or ask a person if there is no suspect. `restart` examines no host: after its restarts it asks a person. `person`
// asks a person at every stop that was not planned.
//
// If `reschedule` is off, a start on hosts that the job already holds skips the scheduler. A planned stop is then a hot
// update: the job saves, stops, waits for the requested time and starts the new code on the same hosts. A preempted job
// gives its hosts back after the stop, and the scheduler places it again.
//
// A start that fails is investigated like any other stop, unless `start_attempts` or `start_backoff` is set. With one of
// them set, the job starts again after a back-off. It keeps its hosts, except named hosts that are found faulty. After
// `start_attempts` failed starts, the hosts are kept unchanged for `retention`. Then they are given back, and a person is
// asked. The same happens if a job does not train within `start_deadline` after it was submitted, or after that person
// submitted it again.
//
// With `wait_for_spare`, a job that gets no replacement host in time continues with fewer hosts. It runs as many
// data-parallel replicas as its hosts fill, and its other hosts become spares. When enough spares are free for a missing
// replica, the job is saved, stopped and started with more replicas. If it stops for another reason before that, the next
// start uses these spares too. If a wait for hosts has failed, the job tries again only after another spare has come.
//
// A custom recovery (policies/custom) decides what happens to a stop in place of the four above. All that follows from its
// decision is as here.
//
// An operator may take hosts out. An eviction stops the job at once, as a stop that an operator requested: no examination
// follows, and no custom recovery or person decides. A host that is marked for maintenance is evicted after a checkpoint that
// the job takes for this purpose, or at the next stop of the job if that comes first.
//
// A stage is what the job waits for. Hosts do not wait for the job: a host that is named while the job is down is examined
// at once, in any stage, and is evicted and replaced if it is found faulty. The job starts when no examination runs and
// every ordered host has come.
//
// Every stage except running ends with the outcome of an order. If that outcome may never come, a wake can end the
// stage.
// Diagnosing ends with the last examination, or with the eviction that makes this examination unnecessary.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "policies/constants.hpp"
#include "policies/custom/guarded.hpp"
#include "policies/detect/suspicion.hpp"
#include "policies/diagnose/diagnoser.hpp"
#include "policies/diagnose/examinations.hpp"
#include "policies/recover/rollback.hpp"
#include "policies/recover/stages.hpp"
#include "policies/recover/start_attempts.hpp"
#include "policies/seating.hpp"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {

class Recovery {
 public:
  /// What is tried first when a job has stopped.
  enum class First : std::uint8_t { diagnosis, restart, restart_only, person };
  /// The watches that report to the recovery.
  struct Reports {
    WatchId probes, last_collective;
  };

  Recovery(First first, Diagnoser diagnoser, Restore restore, JobId job, const PolicyConstants& constants,
           Reports reports);

  /// Stops because of a fault are decided by `custom`, which outlives the recovery. Called before `launch`.
  void decided_by(GuardedRecovery& custom) { custom_ = &custom; }

  /// The first start of the job.
  void launch(Time now, Seating& seating, Orders& out) {
    if (custom_ != nullptr) custom_->start(job_, seating.inventory(), constants_->recovery);
    attempts_.submit(now, out);
    start(now, seating, out);
  }
  /// Returns whether the suspicion opened an incident.
  bool on(const Suspicion& suspicion, Time now, Seating& seating, Orders& out);
  bool on(const Noticed& noticed, Time now, Seating& seating, Orders& out);
  /// Handles a stop request. A job that trains is saved first. A start that is in progress is cancelled. A job that is down
  /// stays down.
  void on(const StopRequest& told, Time now, Orders& out);
  /// An operator takes a host of the job out. It is replaced at once, as if an examination had found it faulty.
  void take_out(HostId host, Time now, Seating& seating, Orders& out);
  /// An operator wants a host of the job for maintenance. A job that trains is saved and stopped for it. One that cannot be saved
  /// trains on, and the host is replaced at its next stop.
  void mark_for_maintenance(HostId host, Time now, Seating& seating, Orders& out);
  void on(const Seen& seen);
  /// Returns whether training began with this outcome.
  bool on(const Outcome& outcome, Time now, Seating& seating, Orders& out);
  /// One more spare host is free.
  void spare_came(Time now, const Seating& seating, Orders& out);

  const RecoveryStage& stage() const { return stage_; }
  /// Whether the job is up: from a start that succeeded until the order to stop.
  bool job_up() const { return stage_.index() <= 2; }
  /// Whether the job trains, as far as is known.
  bool running() const { return std::holds_alternative<Running>(stage_); }
  /// The number of hosts that will be replaced without an examination.
  std::size_t condemned() const { return incident_.condemned.size(); }

 private:
  bool outdated(const Suspicion& suspicion) const;
  bool meet(Trigger trigger, std::optional<HostId> host, bool wrong, Time now, Seating& seating, Orders& out);
  bool begins_incident(Time now);
  bool examines(Trigger trigger) const;
  void remember(Trigger trigger, std::optional<HostId> host);
  bool restart_will_do();
  void save(StopReason reason, Time now, Orders& out);
  void saved(const Saving& saving, const Outcome& outcome, Time now, const Seating& seating, Orders& out);
  void gather(Time now, Orders& out);
  void gathered(Time now, Seating& seating, Orders& out);
  void give_up(Orders& out);
  void stop(StopReason reason, Orders& out);
  void stopped(Time now, Seating& seating, Orders& out);
  void treat(HostId host, bool examined, Time now, Seating& seating, Orders& out);
  void diagnose(Time now, Seating& seating, Orders& out);
  void examine(std::vector<HostId> hosts, Time now, Seating& seating, Orders& out);
  void examined(const Findings& findings, Time now, Seating& seating, Orders& out);
  void explain(Time now, Seating& seating, Orders& out);
  FaultStop fault_stop(Time now, const Seating& seating) const;
  bool replaces(const RecoveryDecision& decision, Time now, Seating& seating, Orders& out);
  void decide(Time now, Seating& seating, Orders& out);
  void decide_after_examination(Time now, Seating& seating, Orders& out);
  void ask(Orders& out);
  void evict(const std::vector<HostId>& hosts, Time now, Seating& seating, Orders& out);
  void acquire(std::uint32_t hosts, Orders& out);
  void wait_for_hosts(Time now, Orders& out);
  void host_came(Time now, Seating& seating, Orders& out);
  void cancel_acquires(Orders& out);
  void grow(Time now, const Seating& seating, Orders& out);
  void go_on_smaller(Time now, Seating& seating, Orders& out);
  bool lends_hosts(Time now) const { return hold_.reason == StopReason::preempted && now < hold_.until; }
  std::uint32_t hosts_missing(const Seating& seating) const;
  void make_ready(Time now, Seating& seating, Orders& out);
  void answered(const Outcome& outcome, Time now, Seating& seating, Orders& out);
  void looked_after(Time now);
  void expire(Time now, Seating& seating, Orders& out);
  void keep(Time now, Orders& out);
  void give_hosts_back(Orders& out);
  void release(Orders& out);
  void start(Time now, Seating& seating, Orders& out);
  bool started(const Outcome& outcome, Time now, const Seating& seating, Orders& out);

  /// What is known about the present incident.
  struct Incident {
    std::vector<HostId> suspects;   // hosts named in this incident and not evicted, in the order of naming
    std::vector<HostId> condemned;  // hosts to replace without an examination
    std::uint32_t tries = 0;        // restarts that were tried without replacing a suspect
    Time lasts_until = kStart;      // a stop before this time belongs to this incident
  };
  /// How the recovery handles the present stop, or the next one while the job is up.
  struct Treatment {
    bool diagnose = false;   // examine hosts; a planned stop does not need that
    bool ask = false;        // ask a person
    bool explained = false;  // a host was found faulty, or a person has examined the stop
  };
  /// A stop request keeps the job down until this time. `preempted`: other jobs use its hosts.
  struct Hold {
    Time until = kStart;
    StopReason reason = StopReason::planned;
  };
  /// What happened to the hosts of the job since the last start that succeeded. New hosts need the scheduler.
  enum class JobHosts : std::uint8_t { kept, some_new, given_back };

  First first_;
  Diagnoser diagnoser_;
  JobId job_;
  const PolicyConstants* constants_;
  Reports reports_;
  Restore restore_;
  GuardedRecovery* custom_ = nullptr;  // null: one of the four above decides
  RecoveryStage stage_ = Running{};
  Examinations examinations_;
  Incident incident_;
  std::vector<HostId> maintenance_;  // hosts that are replaced when the job is down
  Treatment treatment_;
  Hold hold_;
  Rollback rollback_;
  StartAttempts attempts_;
  JobHosts job_hosts_ = JobHosts::some_new;
  std::vector<OrderId> acquires_;  // orders for hosts that have not come
  bool may_grow_ = true;           // false after a wait for hosts failed, until another spare host comes
  Time started_at_ = kStart;       // when the last start was ordered
};

}  // namespace gauntlet
