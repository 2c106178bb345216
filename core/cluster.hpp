// The interface between policies and clusters. Policies decide; clusters act. The same policies run over a simulated
// cluster, real machines and a record.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"

#include <optional>

namespace gauntlet {

/// A world that can be observed and given orders. Not thread-safe: one driver owns it.
struct Cluster {
  virtual ~Cluster() = default;
  /// Returns the next observation at or before `until`. If there is none, returns nothing and sets the clock to `until`. A
  /// simulation that is abandoned returns nothing too, and its results are of no use.
  virtual std::optional<Observed> next(Time until) = 0;
  /// Begins the order and returns. Its outcome is an observation, exactly one, possibly at once.
  virtual void start(const Order& order) = 0;
};

/// A pure state machine over observations: no clock, thread, sleep, input, output or random number of its own.
struct Policy {
  virtual ~Policy() = default;
  virtual void on(const Observed& seen, Orders& out) = 0;
};

/// The one loop, over simulator, record and hardware. Returns after `Finished`, or when the cluster has no more
/// observations for it.
void run(Cluster& cluster, Policy& controller, Time until);

}  // namespace gauntlet
