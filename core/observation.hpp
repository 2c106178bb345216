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

struct Probed {
  ComponentId component;
  Verdict verdict;
  double value;
};  // value: how many members failed
struct Granted {
  HostId host;
};
struct Saved {
  std::int64_t step;
};  // durable up to this step
struct Loaded {
  std::int64_t step;
};  // training goes on after this step
struct Answered {
  HostId choice;
  bool found;
};  // found: the person names a culprit, else there is none

using Result = std::variant<std::monostate, Probed, Granted, Saved, Loaded, Answered>;

struct Outcome {
  OrderId order;
  Status status = Status::done;
  Duration took{};
  Result result;
};

// --- the rest ----------------------------------------------------------------------------------------------------

struct Started {
  JobId job;
  Inventory inventory;
};  // always the first observation
struct HostReturned {
  HostId host;
};  // repaired, waiting to be readmitted
struct Told {
  JobId job;
  Duration hold;
  bool preempted = false;  // its hosts serve a job of higher priority meanwhile
};                         // an operator, or the cluster: stop now, for at least `hold`
struct Noticed {
  JobId job;
};  // a person saw that the job stands still, though nobody had told them
struct Overflow {
  WatchId watch;
  std::uint32_t dropped;
};  // level signals that were merged away

enum class Ending : std::uint8_t {
  completed,  // every step is done
  time_over,  // the window that the scenario looks at has passed
  gave_up,    // no progress for longer than the job allows
};
struct Finished {
  JobId job;
  Ending ending;
};  // always the last observation

using Observation = std::variant<Started, Seen, Outcome, HostReturned, Told, Overflow, Finished, Noticed>;

struct Observed {
  Time at;  // the driver's receipt, never decreasing
  Observation what;
};

static_assert(std::is_trivially_copyable_v<Observed>);

}  // namespace gauntlet
