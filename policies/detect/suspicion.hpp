// What detectors raise, and what they share.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "policies/constants.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

/// How serious a suspicion is, and what it requests.
enum class SuspicionKind : std::uint8_t {
  stopped,   // the job is down, or must stop at once; the culprit is to be found
  restart,   // the job is down, or must stop at once; a restart cures it, and no host is examined
  degraded,  // the job goes on slowly: save it, then stop it; the suspected host is replaced
  unusual,   // a person is told, once
  warning,   // the job goes on and may fail soon: save it
};

/// What a detector reports to the controller.
struct Suspicion {
  std::optional<HostId> host{};  // the suspected host; none where the culprit is not known
  SuspicionKind kind = SuspicionKind::stopped;
  Time sensed = kNever;       // by the clock of the host that sensed it
  Duration quarantine{};      // the shortest time out of service, once the host is evicted
  WatchId cause{};            // the watch that reported it
  bool wrong = false;         // the job computes wrong values, and its newest checkpoints may hold them
  Time wrong_since = kNever;  // `wrong`: the earliest time at which that can have begun, where it is known
  std::uint32_t back =
      0;                 // `wrong`: the checkpoints that may have been taken since, as the controller counts
  bool of_host = false;  // the host fails, not its ranks alone
};
using Suspicions = std::vector<Suspicion>;

/// Hands out the ids of watches.
class WatchIds {
 public:
  WatchId take() { return WatchId{++last_}; }
  /// The one that was taken last.
  WatchId last() const { return WatchId{last_}; }

 private:
  std::uint32_t last_ = 0;
};

/// What a detector is given at the start. `constants` outlives it.
struct Assignment {
  JobId job;
  Inventory inventory;
  const DetectionConstants* constants = nullptr;
};

/// What a detector hears: what its own watches see, the outcomes of its own orders, and the job's starts and stops as the
/// recovery makes them. All its watches have ids that it took at the start.
struct DetectorBase {
  /// Reports of ranks that are still on their way when the job is stopped say nothing of what comes after.
  bool job_up = true;
  void on(const Seen&, Time, Orders&, Suspicions&) {}
  void on(const Outcome&, Time, Orders&, Suspicions&) {}
  void job_began(Time, Orders&) {}
  void job_ended(Orders&) {}
  /// It starts with another number of data-parallel replicas: what was learned of earlier starts is another job's.
  void job_resized(const Inventory&, Orders&) {}
};

/// In place of the watch of that id, if there is one. Filters over what ranks report start afresh by themselves whenever the
/// job's training does, so that what is still the case is reported again.
inline void order_afresh(const Watch& watch, Orders& out) {
  out.add(Unwatch{watch.id});
  out.add(watch);
}

}  // namespace gauntlet
