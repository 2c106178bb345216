// The stages of a recovery, each with its data, and a table of what each trigger does in each stage.
#pragma once

#include "core/action.hpp"
#include "core/id.hpp"
#include "core/layout.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {

/// The job trains, as far as is known.
struct Running {};
/// The job takes one last checkpoint before a stop that is not urgent.
struct Saving {
  OrderId checkpoint, limit;
  StopReason reason;
  bool optional = false;  // without the checkpoint the job is not stopped but trains on
};
/// The job stands still and no host is suspected. The ranks report the collective in which they wait.
struct Gathering {
  OrderId limit;
  bool asked = false;  // whether every host was asked for the collective in which it waits
  std::vector<std::pair<HostId, Dimension>> answers;
};
struct Stopping {
  OrderId stop;
  StopReason reason;
};
/// Probes run, or a person examines the job.
struct Diagnosing {};
/// Hosts were ordered and have not come.
struct Replacing {
  std::optional<OrderId> limit = {};  // when it expires, the job goes on with fewer replicas
  bool late = false;  // the limit has expired, but the job has too few hosts, or one is still examined
};
/// The job is stopped because an operator requested it.
struct Holding {
  OrderId wake;
  StopReason reason;
};
struct Starting {
  OrderId start;
};
/// A start has failed, and the next one waits.
struct BackingOff {
  OrderId wake;
};
/// Too many starts have failed. The hosts are kept as they are for a person to examine.
struct Keeping {
  OrderId wake;
};
/// Too many starts have failed, and the hosts were released. A person looks for the cause.
struct Released {
  OrderId question;
};

using RecoveryStage = std::variant<Running, Saving, Gathering, Stopping, Diagnosing, Replacing, Holding,
                                   Starting, BackingOff, Keeping, Released>;

/// Why a recovery acts.
enum class Trigger : std::uint8_t {
  named,     // the job is down or must stop, because of a known host
  nobody,    // the job is down or must stop, and the culprit is not known
  restart,   // the job is down or must stop, and a restart cures it
  degraded,  // the job goes on, but a host slows it or a restart would make it faster
  noticed,   // a person saw that the job stands still or does not start
  operated,  // an operator takes a host out: it is replaced without an examination
};
inline constexpr std::size_t kTriggers = 6;

/// What a trigger does in a stage.
enum class Reaction : std::uint8_t {
  begin,   // begin an incident and stop the job
  gather,  // begin an incident, wait until a host is suspected, then stop the job
  save,    // take a checkpoint, then stop the job
  cut,     // end the gathering and stop the job: the culprit or the remedy is known
  redo,    // give up the start that runs or is planned, and stop the job
  join,    // remember the trigger, and act on it when the job is down
  treat,   // examine and replace the host now, while the job waits
  ignore,
};
inline constexpr std::array<std::array<Reaction, kTriggers>, std::variant_size_v<RecoveryStage>> kReactions =
    [] {
      using enum Reaction;
      return std::array<std::array<Reaction, kTriggers>, std::variant_size_v<RecoveryStage>>{{
          /*                named  nobody  restart degraded noticed operated */
          /* running    */ {begin, gather, begin, save, begin, begin},
          /* saving     */ {begin, gather, begin, join, begin, join},
          /* gathering  */ {cut, ignore, cut, join, ignore, cut},
          /* stopping   */ {join, ignore, join, join, ignore, join},
          /* diagnosing */ {treat, ignore, ignore, treat, ignore, treat},
          /* replacing  */ {treat, ignore, ignore, treat, ignore, treat},
          /* holding    */ {treat, ignore, ignore, treat, ignore, treat},
          /* starting   */ {redo, redo, redo, redo, join, redo},
          /* backing off*/ {treat, ignore, ignore, treat, redo, treat},
          /* keeping    */ {treat, ignore, ignore, treat, ignore, treat},
          /* released   */ {treat, ignore, ignore, treat, ignore, treat},
      }};
    }();

}  // namespace gauntlet
