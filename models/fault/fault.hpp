// A fault kind: which components, when, what effect, whether and when it heals, its symptoms, which probes find it.
//
// The kinds that are known by name are files of scenarios/catalog/fault-models; a scenario takes one and says how often.
#pragma once

#include "core/id.hpp"
#include "core/quantity.hpp"
#include "core/random/law.hpp"
#include "core/signal.hpp"
#include "core/time.hpp"
#include "models/fault/rate_profile.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
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
  planned,  // not a fault: an operator wants the job stopped for as long as it takes to heal
  preempt,  // nor this: a job of higher priority takes all its hosts for as long
};
constexpr bool is_stop_request(Effect effect) {
  return effect == Effect::planned || effect == Effect::preempt;
}
constexpr bool stops_job(Effect effect) { return effect == Effect::crash || effect == Effect::hang; }

/// What a fault without an effect on training does to the means by which people and policies look after it.
enum class Tampering : std::uint8_t {
  nothing,
  checkpoint,           // the newest complete checkpoint in storage cannot be read any more
  clock,                // the clock of the host's agent steps; policies must not notice
  late_heartbeats,      // the host's heartbeats wait until it ends
  repeated_heartbeats,  // each arrives twice; policies must not notice
  partition,            // driver and agent cannot reach each other
};

/// Which compute a slow culprit is slow in.
enum class Segment : std::uint8_t { all, forward, backward, optimizer };

enum class FaultClock : std::uint8_t {
  always,    // strikes and ages on every powered host, also during recovery, also spares
  training,  // strikes and ages only while the job trains, checkpoints or recomputes, and only its own hosts
  start,     // strikes when the job starts: each component of its hosts with `chance`
};

/// What ends a fault that does not heal by itself, and renews its component.
enum class Remedy : std::uint8_t {
  restart,  // gone when the job's processes are started anew
  repair,   // only when the host went through repair
  person,   // only when a person who was asked has dealt with it (a bug, a bad roll-out)
};

struct Symptoms {
  bool heartbeat_lost = false;     // the host's agent is gone: heartbeats stop
  std::optional<PatternId> log{};  // the culprit logs this line ...
  Severity severity = Severity::error;
  Probability log_probability{1.0};  // ... with this probability ...
  Law log_delay = Law::constant(0);  // ... after this time
  int exit_code = 1;                 // crash: of the culprit's process
  double loss = 0;  // Signal::loss while it lasts, robust standard deviations; 0: unmoved; may be NaN
};

/// What a fault leads to, on the same component: more of its own (a burst), or worse. Counted from the end of one that
/// heals by itself, else from its onset.
struct FollowedBy {
  FaultKindId kind;
  Probability probability;
  Law after = Law::constant(0);  // seconds
};

struct FaultKind {
  std::string name{};
  std::string model{};  // its name in the catalogue; empty where the scenario says all of it
  ComponentKind component = ComponentKind::host;
  Law life = Law::constant(1);  // time between two failures of one component, seconds on `clock`
  bool stationary_ages = true;  // the cluster is in mid-life at the start; else every component is new
  double tilt = 1;  // strikes so many times as often as it should: its runs have weights (study/tilted.hpp)
  RateProfile profile{};  // who fails more often than others, and when: exponential lives only
  std::vector<std::pair<Time, std::uint32_t>>
      trace{};                  // (onset, component): when not empty, used in place of `life`
  Probability prevalence{0.0};  // share of the components that have it from the beginning
  Probability chance{0.0};      // clock `start`: of one component, at one start of the job
  FaultClock clock = FaultClock::always;
  Effect effect = Effect::crash;
  double factor = 1;               // slow, degrade: time multiplies by this / bandwidth divides by it; > 1
  Duration grows_every{};          // slow: not zero: `factor` is applied once more after each such time
  Segment segment = Segment::all;  // slow
  bool same_step = false;  // crash, hang of the job: returns whenever the step is reached at which it struck
  bool halts_storage = false;              // stall: checkpoints that are written or loaded meanwhile wait too
  Tampering tampers = Tampering::nothing;  // none
  std::optional<Law> heals_after{};        // seconds; stalls and planned stops need it
  Remedy remedy = Remedy::repair;
  Symptoms symptoms{};
  std::optional<FollowedBy> followed_by{};
  std::string source{};
};

/// Whether the hazard of its strikes is known at every time: not of a trace, and not where lives have given lengths.
inline bool hazard_is_known(const FaultKind& kind) {
  if (!kind.trace.empty()) return false;
  return kind.clock == FaultClock::start || kind.life.has_density();
}

/// Whether importance sampling may change how often it strikes: the likelihood of such strikes is known in closed form, and they stop
/// the job, so that more of them make runs longer.
inline bool can_be_tilted(const FaultKind& kind) {
  return stops_job(kind.effect) && kind.trace.empty() && kind.clock != FaultClock::start &&
         kind.life.name() == "exponential";
}

/// Whether it stops the job, and strikes at the same rate at all times, whatever happens.
inline bool stops_at_one_rate(const FaultKind& kind) { return can_be_tilted(kind) && kind.profile.flat(); }

}  // namespace gauntlet
