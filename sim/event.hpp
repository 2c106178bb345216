// What can happen in the simulated world, as small values for the engine's queue.
#pragma once

#include "core/id.hpp"
#include "core/observation.hpp"
#include "models/fault.hpp"
#include "sim/engine.hpp"

#include <cstdint>
#include <variant>

namespace gauntlet {

// Faults.
struct FaultDue {
  FaultClock clock;
};
struct FaultHeals {
  std::uint32_t fault;
};                            // by the number that it got when it struck
struct CollectiveTimeout {};  // ranks that wait for a culprit abort

// The job.
struct BoundaryReached {};  // a step boundary at which pace or cadence changes
struct PlannedDue {
  std::uint32_t stop;
};  // index into JobModel::planned_stops
struct JobEnds {
  Ending ending;
};

// Hosts.
struct RepairDone {
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
};
struct ExitReported {
  HostId host;
};
struct HeartbeatDue {
  HostId host;
  std::uint32_t number;
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
    std::variant<FaultDue, FaultHeals, CollectiveTimeout, BoundaryReached, PlannedDue, JobEnds, RepairDone,
                 OrderDue, StartFails, LogLine, ExitReported, HeartbeatDue, HeartbeatMissing, HeartbeatBack,
                 GapBegins, GapEnds, StepDue, StepMissing, CheckpointDue>;

using SimEngine = Engine<Event>;

}  // namespace gauntlet
