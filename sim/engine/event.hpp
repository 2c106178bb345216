// What can happen in the simulated world, as small values for the engine's queue.
#pragma once

#include "core/id.hpp"
#include "core/observation.hpp"
#include "models/fault/fault.hpp"
#include "sim/engine/engine.hpp"

#include <cstdint>
#include <variant>

namespace gauntlet {

// Faults.
/// A fault that is there: its place in ActiveFaults, and its number in the order of strikes, from 1, which is never used twice.
struct FaultRef {
  std::uint32_t slot = 0, number = 0;
  friend bool operator==(const FaultRef&, const FaultRef&) = default;
};
struct FaultDue {
  FaultClock clock;
};
struct FaultHeals {
  FaultRef fault;
};
struct FaultGrows {
  FaultRef fault;
};
/// A fault follows on another, which began when its host had had `repairs` repairs.
struct FaultFollows {
  FaultKindId kind;
  ComponentId component;
  std::uint32_t repairs;
  std::uint32_t same_time;  // as in Strike
};
/// The step is reached at which a fault strikes again.
struct FaultReturns {};
/// The ranks that wait for a culprit abort.
struct CollectiveTimeout {};

// The job.
/// A step boundary at which pace or cadence changes.
struct BoundaryReached {};
/// A planned stop is due; `stop` is its index in JobModel::planned_stops.
struct PlannedDue {
  std::uint32_t stop;
};
/// An operator acts; `action` is an index in World::operators.
struct OperatorDue {
  std::uint32_t action;
};
/// Another job arrives or ends.
struct OtherJobsDue {};
struct EvaluationDue {};
struct EvaluationEnds {};
struct JobEnds {
  Ending ending;
};

// Hosts.
/// A stage of a repair or the burn-in ends.
struct RepairDone {
  HostId host;
};
/// A host that was ordered stands by.
struct SpareReady {
  HostId host;
};

// Orders: whatever an order waits for has come.
struct OrderDue {
  OrderId order;
};
struct StartFails {
  OrderId order;
};

// Telemetry.
struct LogLine {
  HostId host;
  PatternId pattern;
  Severity severity;
};
/// The first of the reports that are on their way.
struct ReportArrives {};
/// The ranks that are `hops` away from a culprit abort.
struct AbortWave {
  std::uint32_t hops;
};
/// Every rank that aborted has been heard of.
struct ExitBurstEnds {};
/// A person sees that the job stands still.
struct NoticeDue {};
struct HostTick {};
struct TrafficMissing {};
struct BlipBegins {};
struct BlipEnds {
  HostId host;
};
struct ExitReported {
  HostId host;
};
struct HeartbeatDue {
  HostId host;
  std::uint64_t number;
};
struct HeartbeatMissing {
  HostId host;
  WatchId watch;
};
struct HeartbeatBack {
  HostId host;
};
struct GapBegins {};
struct GapEnds {
  HostId host;
};
struct StepDue {};
struct StepMissing {
  WatchId watch;
};
struct CheckpointDue {};

using Event = std::variant<FaultDue, FaultHeals, CollectiveTimeout, BoundaryReached, PlannedDue, OtherJobsDue,
                           JobEnds, RepairDone, OrderDue, StartFails, LogLine, ExitReported, HeartbeatDue,
                           HeartbeatMissing, HeartbeatBack, GapBegins, GapEnds, StepDue, StepMissing,
                           CheckpointDue, FaultGrows, FaultFollows, FaultReturns, ReportArrives, AbortWave,
                           ExitBurstEnds, NoticeDue, HostTick, BlipBegins, BlipEnds, TrafficMissing,
                           SpareReady, EvaluationDue, EvaluationEnds, OperatorDue>;

using SimEngine = Engine<Event>;

}  // namespace gauntlet
