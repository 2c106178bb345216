// The stages of a recovery, each with its data, and a table of what new trouble does to each.
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
  StopReason reason;
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

using RecoveryStage = std::variant<Running, Saving, Gathering, Stopping, Diagnosing, Replacing, Holding,
                                   Starting, BackingOff, Keeping, Released>;

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
inline constexpr std::array<std::array<Reaction, kTroubles>, std::variant_size_v<RecoveryStage>> kReactions =
    [] {
      using enum Reaction;
      return std::array<std::array<Reaction, kTroubles>, std::variant_size_v<RecoveryStage>>{{
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

}  // namespace gauntlet
