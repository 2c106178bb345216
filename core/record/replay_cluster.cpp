#include "core/record/replay_cluster.hpp"

#include "core/record/codec.hpp"

namespace gauntlet {

bool ReplayCluster::owes_orders() const {
  return order_ < record_.orders.size() && record_.orders[order_].observations <= observation_;
}

void ReplayCluster::finish() {
  if (difference_ || !owes_orders()) return;
  difference_ = Difference{.answering = record_.observations[observation_ - 1],
                           .recorded = record_.orders[order_].order,
                           .now = std::nullopt};
}

std::optional<Observed> ReplayCluster::next(Time until) {
  finish();
  if (difference_ || observation_ == record_.observations.size()) return std::nullopt;
  const Observed& seen = record_.observations[observation_];
  if (seen.at > until) return std::nullopt;
  ++observation_;
  return seen;
}

void ReplayCluster::start(const Order& order) {
  if (difference_) return;
  if (owes_orders() && same(record_.orders[order_].order, order)) {
    ++order_;
    return;
  }
  difference_ =
      Difference{.answering = record_.observations[observation_ - 1],
                 .recorded = owes_orders() ? std::optional(record_.orders[order_].order) : std::nullopt,
                 .now = order};
}

}  // namespace gauntlet
