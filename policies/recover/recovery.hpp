// The recovery of one job: one at a time, a stage with its data, and a stated table of what a new suspicion does to it.
//
//   running --> stopping --> diagnosing --> (asking) --> replacing --> (holding) --> starting --> running
//        \--> saving --> stopping --> holding --> starting --> running                  (a planned stop)
//
// `replace` examines hosts first and replaces those that fail a probe. `restart-in-place` starts again at once and
// examines only what stops again within the same incident. In both, when the probes find nothing: up to
// `restarts_in_place` restarts on the same hosts, then hosts under suspicion are replaced on evidence alone, and with
// none under suspicion a person is asked.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "core/roster.hpp"
#include "policies/constants.hpp"
#include "policies/detect/detector.hpp"
#include "policies/diagnose/investigation.hpp"

#include <array>
#include <optional>
#include <variant>
#include <vector>

namespace gauntlet {

struct Running {};  // the job trains, as far as is known
struct Saving {
  OrderId checkpoint;
};  // one last checkpoint before a planned stop
struct Stopping {
  OrderId stop;
};
struct Diagnosing {
  Investigation suite;
};
struct Asking {
  OrderId question;
};
struct Replacing {
  std::vector<OrderId> acquires;
};
struct Holding {
  OrderId wake;
};  // stopped because an operator wants it so
struct Starting {
  OrderId start;
};

using Stage = std::variant<Running, Saving, Stopping, Diagnosing, Asking, Replacing, Holding, Starting>;

/// What a new suspicion does to each stage.
enum class Reaction : std::uint8_t {
  begin,  // a new incident: stop the job
  redo,   // give up the start that is under way, stop, and diagnose again
  join,   // the job is down already: a host that is named is examined too before the next start
};
inline constexpr std::array<Reaction, std::variant_size_v<Stage>> kReactions = {
    /* running    */ Reaction::begin,
    /* saving     */ Reaction::begin,
    /* stopping   */ Reaction::join,
    /* diagnosing */ Reaction::join,
    /* asking     */ Reaction::join,
    /* replacing  */ Reaction::join,
    /* holding    */ Reaction::join,
    /* starting   */ Reaction::redo,
};

class Recovery {
 public:
  /// What is tried first when a job has stopped.
  enum class First : std::uint8_t { diagnosis, restart };

  Recovery(First first, JobId job, const PolicyConstants& constants, WatchId probe_report)
      : first_(first), job_(job), constants_(&constants), probe_report_(probe_report) {}

  /// The first start of the job.
  void launch(Orders& out) { start(out); }
  /// True when the suspicion opened an incident.
  bool on(const Suspicion& suspicion, Time now, Roster& roster, Orders& out);
  /// A planned stop: a job that trains is saved first, a start under way is given up, a job that is down stays down.
  void on(const Told& told, Time now, Orders& out);
  void on(const Seen& seen);
  /// True when training began with this outcome.
  bool on(const Outcome& outcome, Time now, Roster& roster, Orders& out);

  const Stage& stage() const { return stage_; }

 private:
  void stop(StopReason reason, Orders& out);
  void add_suspect(HostId host);
  void stopped(Time now, Roster& roster, Orders& out);
  void diagnose(Time now, Roster& roster, Orders& out);
  void diagnosed(Time now, Roster& roster, Orders& out);
  void replace(const std::vector<HostId>& hosts, Time now, Roster& roster, Orders& out);
  void make_ready(Time now, Roster& roster, Orders& out);
  void start(Orders& out);

  First first_;
  JobId job_;
  const PolicyConstants* constants_;
  WatchId probe_report_;
  Stage stage_ = Running{};
  std::vector<HostId> suspects_;  // named since the last start, in the order in which they were
  bool fault_ = false;            // the present stop needs diagnosis; a planned one does not
  std::uint32_t tries_ = 0;       // starts in this incident on hosts that no probe accused
  Time relapse_until_ = kStart;   // a stop before then belongs to the incident before it
  Time hold_until_ = kStart;
  StopReason stopped_for_ = StopReason::fault;
};

}  // namespace gauntlet
