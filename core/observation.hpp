// What a policy sees: variants of small, trivially copyable structs.
#pragma once

#include "core/id.hpp"
#include "core/inventory.hpp"
#include "core/time.hpp"
#include "core/watch.hpp"

#include <cstdint>
#include <type_traits>
#include <variant>

namespace gauntlet {

// --- outcomes: exactly one for each order -----------------------------------------------------------------------

enum class Status : std::uint8_t { done, failed, cancelled };
enum class Verdict : std::uint8_t { healthy, faulty };

/// The result of a probe. `value`: how many members failed.
struct Probed {
  ComponentId component;
  Verdict verdict;
  double value;
};
struct Granted {
  HostId host;
};
/// The checkpoint is durable up to this step.
struct Saved {
  std::int64_t step;
};
/// The checkpoint is loaded. Training goes on after this step.
struct Loaded {
  std::int64_t step;
};
/// A person answers. `found`: the person names a culprit; otherwise there is none.
struct Answered {
  HostId choice;
  bool found;
};

using Result = std::variant<std::monostate, Probed, Granted, Saved, Loaded, Answered>;

struct Outcome {
  OrderId order;
  Status status = Status::done;
  Duration took{};
  Result result;
};

// --- the rest ----------------------------------------------------------------------------------------------------

/// The first observation of every run.
struct Started {
  JobId job;
  Inventory inventory;
};
/// A host is repaired and waits to be readmitted.
struct HostReturned {
  HostId host;
};
/// An operator or the cluster requests a planned stop or a preemption: stop now, for at least `hold`.
struct StopRequest {
  JobId job;
  Duration hold;
  bool preempted = false;  // its hosts serve a job of higher priority meanwhile
};
/// What an operator does to a run: with `gauntlet ctl`, or as the scenario scripts it.
enum class OperatorAction : std::uint8_t {
  evict,        // take this host out of service now
  readmit,      // this host is repaired: return it to service
  maintenance,  // take this host out of service as soon as that loses no work
  stop,         // end the run
  disarm,       // the faults that a drill injected are undone, and no other follows
};
struct OperatorActed {
  JobId job;
  OperatorAction what = OperatorAction::evict;
  HostId host;            // of evict, readmit and maintenance; in the cluster
  bool scripted = false;  // by the scenario
};
/// A person saw that the job stands still. No policy had told them.
struct Noticed {
  JobId job;
};
/// Level signals were dropped, because newer ones replaced them.
struct Overflow {
  WatchId watch;
  std::uint32_t dropped;
};

enum class Ending : std::uint8_t {
  completed,  // every step is done
  time_over,  // the window that the scenario looks at has passed
  gave_up,    // no progress for longer than the job allows
  stopped,    // an operator ended the run
};
/// The last observation of every run.
struct Finished {
  JobId job;
  Ending ending;
};

using Observation = std::variant<Started, Seen, Outcome, HostReturned, StopRequest, Overflow, Finished,
                                 Noticed, OperatorActed>;

struct Observed {
  Time at;  // the driver's receipt, never decreasing
  Observation what;
};

static_assert(std::is_trivially_copyable_v<Observed>);

}  // namespace gauntlet
