// A fault kind: which components, when, what effect, whether and when it heals, its symptoms, which probes find it.
#pragma once

#include "core/id.hpp"
#include "core/quantity.hpp"
#include "core/random/law.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

enum class Effect : std::uint8_t {
  crash,    // the culprit's process exits
  hang,     // no progress and no error
  slow,     // the culprit computes slower, by `factor`
  stall,    // a pause that heals
  corrupt,  // silent: training goes on with wrong numbers
  degrade,  // the culprit's NICs lose bandwidth, by `factor`
  none,     // a warning only
};
constexpr bool stops_job(Effect effect) { return effect == Effect::crash || effect == Effect::hang; }

/// Which compute a slow culprit is slow in.
enum class Segment : std::uint8_t { all, forward, backward, optimizer };

enum class FaultClock : std::uint8_t {
  always,    // strikes and ages on every powered host, also during recovery, also spares
  training,  // strikes and ages only while the job trains, checkpoints or recomputes, and only its own hosts
};

/// What ends a fault that does not heal by itself, and renews its component.
enum class Remedy : std::uint8_t {
  restart,  // gone when the job's processes are started anew
  repair,   // only when the host went through repair
};

struct Symptoms {
  bool heartbeat_lost = false;       // the host's agent is gone: heartbeats stop
  std::optional<PatternId> log;      // the culprit logs this line ...
  Probability log_probability{1.0};  // ... with this probability ...
  Law log_delay = Law::constant(0);  // ... after this time
};

struct FaultKind {
  std::string name;
  ComponentKind component = ComponentKind::host;
  Law life = Law::constant(1);  // time between two failures of one component, seconds on `clock`
  bool stationary_ages = true;  // the cluster is in mid-life at the start; else every component is new
  std::vector<std::pair<Time, std::uint32_t>>
      trace;  // (onset, component): when not empty, used in place of `life`
  FaultClock clock = FaultClock::always;
  Effect effect = Effect::crash;
  double factor = 1;               // slow, degrade: time multiplies by this / bandwidth divides by it; > 1
  Segment segment = Segment::all;  // slow
  std::optional<Law> heals_after;  // seconds; stalls need it
  Remedy remedy = Remedy::repair;
  Symptoms symptoms;
  std::string source;
};

}  // namespace gauntlet
