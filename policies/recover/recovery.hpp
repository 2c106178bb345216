// The recovery of one job: one stage at a time (stages.hpp).
//
//   running --> (gathering) --> stopping --> diagnosing --> replacing --> (holding) --> starting --> running
//        \--> saving --> stopping --> holding --> starting --> running                  (a planned stop)
//         \--> saving --> stopping --> replacing --> starting --> running               (a host that slows the job)
//   starting --> stopping --> backing off --> starting ... --> keeping --> released --> starting   (starts that fail)
//   replacing --> starting --> running --> saving --> stopping --> replacing --> starting --> running   (smaller for a while)
//
// `replace` examines hosts first and replaces those that fail a probe. `restart-in-place` starts again at once and
// examines only what stops again within the same incident. In both, when the probes find nothing: up to
// `restarts_in_place` restarts on the same hosts, then hosts under suspicion are replaced on evidence alone, and with
// none under suspicion a person is asked. `restart` examines nobody: after its restarts a person is asked. `person` asks
// one at every stop that was not planned.
//
// A start on hosts that are held already skips the scheduler where `reschedule` is off. A planned stop is then a hot
// update: save, stop, hold for as long as told, and start the new code in the same place. A job that is preempted gives its
// hosts back after the stop and is scheduled anew.
//
// Starts that fail are investigated as any other stop, unless `start_attempts` or `start_backoff` is set. Then they are
// tried again after a back-off, on the same hosts but for those that are named and found faulty. After the last of
// `start_attempts` the hosts are kept for a while as they are, then given back, and a person is asked. So they are when a
// job that was submitted, or handed in again by that person, does not train within `start_deadline`.
//
// With `wait_for_spare` a job that got no host in time for one that was replaced goes on smaller: as many data-parallel
// replicas as its hosts fill, and the other hosts stand by. Once as many stand by as a missing replica needs, it is saved,
// stopped and started with more; where it stops before that, that start has them too. What was tried in vain is tried
// again when another host has come.
//
// A stage is what the job waits for. Hosts do not wait for the job: one that is named while the job is down, in whatever
// stage, is examined at once, and evicted and replaced once it is found faulty. The job starts when nobody is examined any
// more and every host that was ordered has come.
//
// Every stage but running ends with the outcome of an order, or with a wake where that could stay out; diagnosing with the
// last examination, or with the eviction that makes it needless.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "policies/constants.hpp"
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

  /// The first start of the job.
  void launch(Time now, Seating& seating, Orders& out) {
    attempts_.submit(now, out);
    start(now, seating, out);
  }
  /// True when the suspicion opened an incident.
  bool on(const Suspicion& suspicion, Time now, Seating& seating, Orders& out);
  bool on(const Noticed& noticed, Time now, Seating& seating, Orders& out);
  /// A planned stop: a job that trains is saved first, a start under way is given up, a job that is down stays down.
  void on(const StopRequest& told, Time now, Orders& out);
  void on(const Seen& seen);
  /// True when training began with this outcome.
  bool on(const Outcome& outcome, Time now, Seating& seating, Orders& out);
  /// One more host stands by.
  void spare_came(Time now, const Seating& seating, Orders& out);

  const RecoveryStage& stage() const { return stage_; }
  /// From a start that succeeded to the order to stop.
  bool job_up() const { return stage_.index() <= 2; }
  /// Nothing is known to be wrong.
  bool running() const { return std::holds_alternative<Running>(stage_); }
  /// How many hosts are to be replaced without being examined.
  std::size_t condemned() const { return incident_.condemned.size(); }

 private:
  bool outdated(const Suspicion& suspicion) const;
  bool meet(Trigger trigger, std::optional<HostId> host, bool wrong, Time now, Seating& seating, Orders& out);
  bool begins_incident(Time now);
  void remember(Trigger trigger, std::optional<HostId> host);
  bool restart_will_do();
  void save(StopReason reason, Time now, Orders& out);
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

  /// What is known of the present incident.
  struct Incident {
    std::vector<HostId> suspects;   // named since the last start, in the order in which they were
    std::vector<HostId> condemned;  // to be replaced without being examined
    std::uint32_t tries = 0;        // starts on hosts that no probe accused
    Time lasts_until = kStart;      // a stop before then belongs to it
  };
  /// What the present stop, or the one that is about to come, is dealt with by.
  struct Treatment {
    bool diagnose = false;   // hosts are examined; a planned stop does not need that
    bool ask = false;        // ... by a person
    bool explained = false;  // somebody was found faulty, or a person looked
  };
  /// An operator wants the job to stand still until then. `preempted`: others have its hosts.
  struct Hold {
    Time until = kStart;
    StopReason reason = StopReason::planned;
  };
  /// Since the last start that succeeded. Hosts that are not kept are to be scheduled.
  enum class JobHosts : std::uint8_t { kept, some_new, given_back };

  First first_;
  Diagnoser diagnoser_;
  JobId job_;
  const PolicyConstants* constants_;
  Reports reports_;
  Restore restore_;
  RecoveryStage stage_ = Running{};
  Examinations examinations_;
  Incident incident_;
  Treatment treatment_;
  Hold hold_;
  Rollback rollback_;
  StartAttempts attempts_;
  JobHosts job_hosts_ = JobHosts::some_new;
  std::vector<OrderId> acquires_;  // orders for hosts that have not come
  bool may_grow_ = true;           // a host has come since that was tried in vain
  Time started_at_ = kStart;       // when the last start was ordered
};

}  // namespace gauntlet
