// Who uses the wires of some hosts at once, and what that leaves each of them: the closed form's arithmetic.
#pragma once

#include "models/hardware.hpp"
#include "models/network/hops.hpp"
#include "models/topology/host_shape.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gauntlet {

struct HostWires {
  HostShape host;
  double nic = 0, nvlink = 0;  // bytes per second, each direction
};

HostWires wires_of(const Hardware& hardware);

/// What the group of a rank gets through a NIC of the rank's host, were nothing else in its way.
struct Use {
  std::uint32_t rank = 0, nic = 0;
  double rate = 0;
};

struct Uses {
  std::vector<Use> nics;
  double nvlink = 0;  // the least that a group gets over NVLink
};

/// Of the hosts `first` to `first + count - 1`. `hops`: all that begin or end there.
Uses uses_of_wires(const HostWires& wires, std::uint32_t first, std::uint32_t count,
                   std::span<const Hop> hops);

}  // namespace gauntlet
