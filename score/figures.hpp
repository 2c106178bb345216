// The result of one replica: where every nanosecond went, what happened, what was decided.
#pragma once

#include "core/id.hpp"
#include "core/observation.hpp"
#include "core/time.hpp"
#include "score/latencies.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gauntlet {

/// Every nanosecond of wall time belongs to exactly one phase (docs/read-the-report.md).
enum class Phase : std::uint8_t {
  effective,
  slowdown,
  recomputing,
  checkpoint_stall,
  undetected,
  diagnosing,
  waiting_for_spare,
  restarting,
  planned,
};
inline constexpr std::size_t kPhases = 9;
inline constexpr std::array<std::string_view, kPhases> kPhaseNames = {
    "effective",  "slowdown",          "recomputing", "checkpoint_stall", "undetected",
    "diagnosing", "waiting_for_spare", "restarting",  "planned"};

/// What lost time is charged to: a fault kind, or one of the causes that are not a fault.
struct Cause {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(const Cause&, const Cause&) = default;
};
inline constexpr Cause kCauseStart{0};       // the first start of the job
inline constexpr Cause kCausePlanned{1};     // planned stops
inline constexpr Cause kCauseFalseAlarm{2};  // a detector stopped a healthy job
inline constexpr Cause kCauseCheckpoint{3};  // training blocked by checkpoints
inline constexpr Cause kCauseUnattributed{
    4};  // a rank ended, or a step took longer, and no known fault did it; real machines alone
inline constexpr Cause kCauseEvaluation{5};  // training paused to evaluate the model
inline constexpr Cause kCauseFewer{6};       // data-parallel replicas that a job went on without
inline constexpr Cause kCausePreempted{7};   // its hosts served a job of higher priority
inline constexpr std::uint32_t kCausesWithoutFault = 8;
inline constexpr std::array<std::string_view, kCausesWithoutFault> kCauseNames = {
    "start",        "planned_stop", "false_alarm",    "checkpoint",
    "unattributed", "evaluation",   "fewer_replicas", "preempted"};
constexpr Cause cause_of(FaultKindId kind) { return {kCausesWithoutFault + kind.value}; }
constexpr bool is_fault(Cause cause) { return cause.value >= kCausesWithoutFault; }
constexpr FaultKindId fault_of(Cause cause) { return {cause.value - kCausesWithoutFault}; }

using PhaseTimes = std::array<Duration, kPhases>;
constexpr Duration& at(PhaseTimes& times, Phase phase) { return times[static_cast<std::size_t>(phase)]; }
constexpr Duration at(const PhaseTimes& times, Phase phase) { return times[static_cast<std::size_t>(phase)]; }

/// From a stop of the job until the lost progress is regained; later stops before then are part of it.
struct Incident {
  Time opened;
  Time closed;                   // progress regained, or the end of the run
  Cause cause;                   // what opened it
  ComponentId component;         // the culprit, where a fault opened it; else the job
  bool detected = false;         // an order answered it
  Duration detection_latency{};  // from onset to that order
  std::uint32_t stops = 1;       // interruptions that it holds
  std::uint32_t restarts = 0;    // Start orders
  std::uint32_t evictions_right = 0;
  std::uint32_t evictions_wrong = 0;
  std::uint32_t asked = 0;      // times that a person was asked
  bool unplanned = false;       // a fault opened it by stopping the job, not an order
  bool noticed = false;         // nobody acted until a person saw unasked that the job stood still
  bool handled = false;         // unplanned, answered by an order, and over, without a person
  Duration wrong_evictions{};   // what wrong evictions cost it (see below), a part of its time
  std::int64_t steps_lost = 0;  // progress between the checkpoint that it fell back to and the mark
  PhaseTimes lost{};            // `effective` stays zero
};

/// How the faults of one kind fared that met the job: struck a host that carried it, or came with one that joined it.
/// Each of them is one of three:
///
/// - detected: an order answered it. A fault that stops the job is answered by the first order that moves the recovery on
///   (Stop, Probe, Ask, Alert, Acquire, Start); one that does not by a Stop for its sake, the eviction of a host that it
///   concerns, or an Alert that names it or nobody. A fault that strikes while the job is down, and somebody is at work on
///   that, has a latency from its return at the next start, or from its onset where its host is evicted before.
/// - missed: it needed an answer and got none before it ended, or the run did.
/// - harmless, the rest: no effect; a pause that healed by itself before anybody lost patience; a stop that struck while the
///   job was down and had ended before the job was up again; a planned stop.
///
/// What wrong evictions cost an incident: of a false alarm in which healthy hosts were evicted and no faulty one, all that it
/// lost; else (a) the time from a wrong eviction until a fault that was left in the job struck again, where no eviction was
/// right in between, and (b) the wait for spares after as many hosts had been granted as were rightly evicted.
struct FaultScore {
  std::uint32_t met = 0;
  std::uint32_t detected = 0;
  std::uint32_t missed = 0;
  Latencies latencies;  // of the detected ones, from the time at which each began to do harm to its answer
  Duration
      missed_cost{};  // slowdown, wrong steps, and time that a stop stayed unanswered, of the missed ones
  std::uint32_t incidents = 0;  // that one of them opened by stopping the job
  std::uint32_t handled = 0;    // of these, without a person
  Duration
      handled_time{};  // until those had been detected and diagnosed: their `undetected` and `diagnosing`
  std::uint32_t evictions_wrong = 0;  // in incidents that this kind opened, by a stop or by being found
  Duration wrong_evictions{};         // what these cost
  friend bool operator==(const FaultScore&, const FaultScore&) = default;
};
constexpr std::uint32_t harmless(const FaultScore& of) { return of.met - of.detected - of.missed; }

/// What a replica did in a part of its wall time.
struct TimeBucket {
  PhaseTimes phases{};
  std::int64_t steps = 0;  // new ones that were completed
  friend bool operator==(const TimeBucket&, const TimeBucket&) = default;
};

/// One replica, scored.
struct Figures {
  Ending ending = Ending::completed;
  Duration wall{};
  PhaseTimes phases{};  // add up to `wall`
  std::vector<PhaseTimes>
      lost;  // by Cause and Phase; `effective` stays zero; the causes of a phase add up to it
  Duration effective_corrupt{};     // the part of `effective` after an undetected corruption
  std::int64_t steps = 0;           // the high-water mark at the end
  std::int64_t iterations = 0;      // steps computed, repeated ones included
  Duration iteration_time{};        // time spent in whole steps, repeated ones included
  std::uint32_t interruptions = 0;  // stopping faults on the job's hosts, planned stops and preemptions
  std::uint32_t planned_stops = 0;
  std::uint32_t preemptions = 0;      // likewise, for jobs of higher priority
  std::uint32_t shrunk = 0;           // starts with fewer data-parallel replicas than the start before
  std::uint32_t fewest_replicas = 0;  // of any start
  std::uint32_t false_alarms = 0;
  std::vector<std::uint32_t> faults;  // onsets on the job's hosts, by FaultKindId, stopping or not
  /// Strikes on the components that the job began on less those to be expected, by FaultKindId. Their mean over replicas is zero
  /// (sim/faults/fault_arrivals.hpp); zero too where nobody knows what to expect, and in a drill.
  std::vector<double> compensated;
  /// How much more work stops took than was to be expected: of each stop the share of the most that it could take
  /// (sim/faults/lost_work.hpp). Its mean over replicas is zero. Zero in a drill.
  double compensated_work = 0;
  /// Strikes of kinds that can_be_tilted(), on all components, and how many are to be expected at their own rates: the
  /// likelihood of a run at other rates follows from these two. Zero in a drill.
  std::uint32_t tiltable_strikes = 0;
  double tiltable_expected = 0;
  double unplanned_rate = 0;  // per second of time at risk, summed over clocks; mttf is 1 / rate
  Duration detection_latency_sum{};
  std::uint32_t detected = 0;         // incidents opened by a fault and answered by an order
  std::uint32_t evictions_right = 0;  // of hosts that had a fault which repair removes, or flapped
  std::uint32_t evictions_wrong = 0;
  std::uint32_t asked = 0;               // times that a person was asked
  std::uint32_t spares_max_in_use = 0;   // hosts away in repair or standing in for one, at most
  std::vector<FaultScore> fault_scores;  // by FaultKindId
  std::uint32_t false_alerts = 0;        // a person was told of something that was not there
  Duration wrong_evictions{};            // what wrong evictions cost, in all incidents
  Duration released{};                   // the job's hosts were given back, and cost nothing
  std::uint64_t fingerprint = 0;         // of the run's events and draws
  std::vector<Incident> incidents;
  /// Equal parts of the wall time from the start on, the last one shorter; they add up to `phases` and `steps`. Empty, unless
  /// they were asked for (ScoreFacts::bucket).
  std::vector<TimeBucket> over_time;
};

/// What a cause cost in all; add up to `wall - effective`.
inline Duration lost_to(const Figures& figures, Cause cause) {
  Duration lost{};
  for (const Duration part : figures.lost[cause.value]) lost += part;
  return lost;
}

}  // namespace gauntlet
