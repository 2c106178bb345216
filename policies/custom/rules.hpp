// The rules for a single order or suspicion of a custom policy. What depends on earlier orders is the guard's (guard.hpp).
//
// A cluster takes the orders of the shipped policies as they are. Each rule here keeps an order from a cluster that could not
// make sense of it.
#pragma once

#include "core/action.hpp"
#include "core/inventory.hpp"
#include "policies/custom/breach.hpp"
#include "policies/custom/custom_policy.hpp"

#include <vector>

namespace gauntlet {

/// What a custom policy may name in its orders.
struct OrderBounds {
  PolicyKind kind = PolicyKind::detector;
  JobId job;
  Inventory inventory;
  std::vector<ProbeId> probes;  // of diagnosis.suite
  WatchId before_first, last;   // its watches: above the first, up to the last

  bool owns(WatchId watch) const { return watch > before_first && watch <= last; }
  bool has(HostId host) const { return host.value < inventory.hosts(); }
};

/// Whether a signal is the job's, not a host's.
bool is_of_job(Signal signal);

/// The rule that an order breaks, a sentence; null where it breaks none.
const char* broken_rule(const Action& what, const OrderBounds& bounds, Time now);
const char* broken_rule(const Suspicion& suspicion, const OrderBounds& bounds);

}  // namespace gauntlet
