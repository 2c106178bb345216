// The recovery of one job: one at a time, a stage with its data, and a stated table of what new trouble does to it.
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
// Back to an older checkpoint, by `roll_back` more each time in one incident: when the loss is wrong, and when the job
// stops within the relapse window of a start that went on from no later step than the start before. What was done in
// between is lost again, so it is not chance: a bug that comes back, or a checkpoint that is bad. When a line says that the
// numbers are wrong, back beyond every checkpoint that may have been taken since they are, which is further at times.
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
#include "policies/seating.hpp"

#include <array>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {

struct Running {};  // the job trains, as far as is known
struct Saving {
  OrderId checkpoint, limit;
  StopReason reason;
};  // one last checkpoint before a stop that is not urgent
struct Gathering {
  OrderId limit;
  bool asked = false;  // every host, in which collective it waits
  std::vector<std::pair<HostId, Dimension>> answers;
};  // the job stands still and nobody is named: who is? And who waits for whom?
struct Stopping {
  OrderId stop;
};
struct Diagnosing {};  // probes run, or a person looks
/// Hosts were ordered and have not come.
struct Replacing {
  std::optional<OrderId> limit = {};  // from then on the job rather goes on smaller
  bool late = false;                  // that was, and it had too few for the least, or a host was examined
};
struct Holding {
  OrderId wake;
  StopReason reason;
};  // stopped because an operator wants it so
struct Starting {
  OrderId start;
};
struct BackingOff {
  OrderId wake;
};  // a start has failed, and the next one waits
struct Keeping {
  OrderId wake;
};  // too many have: the hosts are kept as they are, so that somebody can look
struct Released {
  OrderId question;
};  // ... and were given back; a person looks for the cause

using Stage = std::variant<Running, Saving, Gathering, Stopping, Diagnosing, Replacing, Holding, Starting,
                           BackingOff, Keeping, Released>;

/// What is new.
enum class Trouble : std::uint8_t {
  named,     // the job is down or must stop, because of this host
  nobody,    // ... and nobody is named
  restart,   // ... and a restart cures it
  degraded,  // it goes on, but a host slows it, or a restart would do it good
  noticed,   // a person saw that it stands still or does not start, unasked
};
inline constexpr std::size_t kTroubles = 5;

/// What it does to a stage.
enum class Reaction : std::uint8_t {
  begin,   // a new incident: stop the job
  gather,  // a new incident: wait for somebody to be named, then stop the job
  save,    // a checkpoint first
  cut,     // enough is known: stop the job
  redo,    // give up the start that is under way or to come, and stop
  join,    // the job is about to be down: it is dealt with once it is
  treat,   // the job is down: the host is examined and replaced at once, beside whatever the job waits for
  ignore,
};
inline constexpr std::array<std::array<Reaction, kTroubles>, std::variant_size_v<Stage>> kReactions = [] {
  using enum Reaction;
  return std::array<std::array<Reaction, kTroubles>, std::variant_size_v<Stage>>{{
      /*                named  nobody  restart degraded noticed */
      /* running    */ {begin, gather, begin, save, begin},
      /* saving     */ {begin, gather, begin, join, begin},
      /* gathering  */ {cut, ignore, cut, join, ignore},
      /* stopping   */ {join, ignore, join, join, ignore},
      /* diagnosing */ {treat, ignore, ignore, treat, ignore},
      /* replacing  */ {treat, ignore, ignore, treat, ignore},
      /* holding    */ {treat, ignore, ignore, treat, ignore},
      /* starting   */ {redo, redo, redo, redo, join},
      /* backing off*/ {treat, ignore, ignore, treat, redo},
      /* keeping    */ {treat, ignore, ignore, treat, ignore},
      /* released   */ {treat, ignore, ignore, treat, ignore},
  }};
}();

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
    submitted(now, out);
    start(now, seating, out);
  }
  /// True when the suspicion opened an incident.
  bool on(const Suspicion& suspicion, Time now, Seating& seating, Orders& out);
  bool on(const Noticed& noticed, Time now, Seating& seating, Orders& out);
  /// A planned stop: a job that trains is saved first, a start under way is given up, a job that is down stays down.
  void on(const Told& told, Time now, Orders& out);
  void on(const Seen& seen);
  /// True when training began with this outcome.
  bool on(const Outcome& outcome, Time now, Seating& seating, Orders& out);
  /// One more host stands by.
  void spare_came(Time now, const Seating& seating, Orders& out);

  const Stage& stage() const { return stage_; }
  /// From a start that succeeded to the order to stop.
  bool job_up() const { return stage_.index() <= 2; }
  /// Nothing is known to be wrong.
  bool running() const { return std::holds_alternative<Running>(stage_); }
  /// How many hosts are to be replaced without being examined.
  std::size_t condemned() const { return condemned_.size(); }

 private:
  bool outdated(const Suspicion& suspicion) const;
  bool meet(Trouble trouble, std::optional<HostId> host, bool wrong, Time now, Seating& seating, Orders& out);
  bool begins_incident(Time now);
  void remember(Trouble trouble, std::optional<HostId> host);
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
  bool lends_hosts(Time now) const { return preempted_ && now < hold_until_; }
  std::uint32_t hosts_missing(const Seating& seating) const;
  void make_ready(Time now, Seating& seating, Orders& out);
  void answered(const Outcome& outcome, Time now, Seating& seating, Orders& out);
  void looked_after(Time now);
  void submitted(Time now, Orders& out);
  void expire(Time now, Seating& seating, Orders& out);
  bool retries() const;
  void start_failed(Time now);
  void keep(Time now, Orders& out);
  void give_hosts_back(Orders& out);
  void release(Orders& out);
  void start(Time now, Seating& seating, Orders& out);
  bool started(const Outcome& outcome, Time now, const Seating& seating, Orders& out);

  First first_;
  Diagnoser diagnoser_;
  JobId job_;
  const PolicyConstants* constants_;
  Reports reports_;
  Restore restore_;
  Stage stage_ = Running{};
  Examinations examinations_;
  bool explained_ = false;         // the present stop: somebody was found faulty, or a person looked
  std::vector<OrderId> acquires_;  // orders for hosts that have not come
  std::vector<HostId> suspects_;   // named since the last start, in the order in which they were
  std::vector<HostId> condemned_;  // to be replaced without being examined
  bool fault_ = false;             // the present stop needs diagnosis; a planned one does not
  bool ask_ = false;               // and a person does it
  std::uint32_t tries_ = 0;        // starts in this incident on hosts that no probe accused
  Time relapse_until_ = kStart;    // a stop before then belongs to the incident before it
  Time hold_until_ = kStart;
  bool preempted_ = false;             // the present hold: others have the hosts
  bool released_ = false;              // the hosts were given back since the last start
  std::optional<OrderId> deadline_{};  // of a job that was submitted and has not trained yet
  bool expired_ = false;               // ... and did not in time
  bool may_grow_ = true;               // a host has come since that was tried in vain
  Time started_at_ = kStart;           // when the last start was ordered
  StopReason stopped_for_ = StopReason::fault;
  bool new_hosts_ = true;            // since the last start that succeeded: they are to be scheduled
  bool retry_ = false;               // the present stop is that of a start that failed, and it is tried again
  std::uint32_t failed_starts_ = 0;  // in a row
  Time retry_at_ = kStart;           // no start before
  std::optional<std::int64_t> loaded_{};  // from which step the last start went on
  bool repeats_ = false;                  // ... which was no progress over the start before
  bool wrong_ = false;                    // the next start goes further back
  std::uint32_t rolled_back_ = 0;         // in this incident, in checkpoints
  std::uint32_t back_ = 0;                // of the next start
  std::uint32_t doubted_ = 0;    // checkpoints that the next start passes over, because a line says so
  Time doubted_since_ = kNever;  // ... and since when they were taken
  Time shed_since_ = kNever;     // ... of the last start
};

}  // namespace gauntlet
