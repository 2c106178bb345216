// The network and time namespaces of a lab. They have no name in the file system: each lasts as long as a process is in it or holds
// a descriptor of it, and its interfaces go with it.
#pragma once

#include "core/time.hpp"
#include "real/lab/plan.hpp"
#include "real/system/descriptor.hpp"

#include <atomic>
#include <vector>

namespace gauntlet {

struct HostNamespaces {
  Descriptor network, time;
};
struct LabNamespaces {
  Descriptor bridges;  // the network namespace with the bridges, and with the driver
  std::vector<HostNamespaces> hosts;
};

/// Makes them, with all interfaces. The calling process, which has one thread, is in the network of the bridges then. Throws
/// std::runtime_error, also soon after `stop` is set, or where `ip` needs longer than `patience`.
LabNamespaces make_namespaces(const LabPlan& plan, Duration patience, const std::atomic<bool>& stop);

/// The calling thread enters a network. Throws std::runtime_error.
void enter_network(const Descriptor& network);

}  // namespace gauntlet
