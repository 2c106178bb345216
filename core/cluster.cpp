#include "core/cluster.hpp"

namespace gauntlet {

void run(Cluster& cluster, Policy& controller, Time until) {
  Orders orders;
  while (const std::optional<Observed> seen = cluster.next(until)) {
    orders.clear();
    controller.on(*seen, orders);
    for (const Order& order : orders) cluster.start(order);
    if (std::holds_alternative<Finished>(seen->what)) return;
  }
}

}  // namespace gauntlet
