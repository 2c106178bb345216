// Orders that wait for their outcomes, as the policies know them, and how long each may wait: nobody waits without a
// deadline.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "models/world/world.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace gauntlet {

/// One driver's: another one that takes over gives every order anew that waits then.
class AwaitedOrders {
 public:
  explicit AwaitedOrders(const World& world) : world_(&world) {}

  /// `heard_at`: on the drill's clock, of what the order answers. `now`: on any clock.
  void given(const Order& order, Time heard_at, Time now);
  void heard(const Observed& seen);
  /// The driver was stopped for so long: no deadline of its own ends meanwhile.
  void driver_was_stopped(Duration lasts) { stopped_ += lasts; }

  /// At a moment at which the driver has nothing to do: an order that should have its outcome. Empty where none is.
  std::string overdue(Time now) const;

 private:
  struct Waiting {
    Order order;
    Time since;
    Duration stopped;              // `stopped_` then
    std::optional<Duration> most;  // nothing: it waits for what need not come
  };
  std::optional<Duration> allowed(const Action& what, Time heard_at) const;

  const World* world_;
  Duration stopped_{};
  Duration collective_timeout_{};  // of the last start that this driver ordered
  std::map<std::uint64_t, Waiting> waiting_;
};

}  // namespace gauntlet
