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
struct FaultFollows {
  FaultKindId kind;
  ComponentId component;
  std::uint32_t repairs;      // of its host when that began
};                            // what a fault leads to
struct FaultReturns {};       // the step is reached at which a fault strikes again
struct CollectiveTimeout {};  // ranks that wait for a culprit abort

// The job.
struct BoundaryReached {};  // a step boundary at which pace or cadence changes
struct PlannedDue {
  std::uint32_t stop;
};                       // index into JobModel::planned_stops
struct OtherJobsDue {};  // one of them arrives or ends
struct EvaluationDue {};
struct EvaluationEnds {};
struct JobEnds {
  Ending ending;
};

// Hosts.
struct RepairDone {
  HostId host;
};  // a stage of it, or burn-in
struct SpareReady {
  HostId host;
};  // a host that was sent for stands by

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
struct ReportArrives {};  // the first of the reports that are on their way
struct AbortWave {
  std::uint32_t hops;
};                        // the ranks so far away from a culprit abort
struct ExitBurstEnds {};  // every rank that aborted has been heard of
struct NoticeDue {};      // a person sees that the job stands still
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

using Event =
    std::variant<FaultDue, FaultHeals, CollectiveTimeout, BoundaryReached, PlannedDue, OtherJobsDue, JobEnds,
                 RepairDone, OrderDue, StartFails, LogLine, ExitReported, HeartbeatDue, HeartbeatMissing,
                 HeartbeatBack, GapBegins, GapEnds, StepDue, StepMissing, CheckpointDue, FaultGrows,
                 FaultFollows, FaultReturns, ReportArrives, AbortWave, ExitBurstEnds, NoticeDue, HostTick,
                 BlipBegins, BlipEnds, TrafficMissing, SpareReady, EvaluationDue, EvaluationEnds>;

using SimEngine = Engine<Event>;

}  // namespace gauntlet
