// What the tests of flow/ share.
#pragma once

#include "flow/client.hpp"
#include "models/hardware.hpp"
#include "models/network/fabric_network.hpp"

#include <cstdint>
#include <string>

namespace gauntlet {

/// Relative: what the networks, and the schedules, may differ by.
inline constexpr double kAgree = 0.03;

/// The built gauntlet-flow; its path is empty where SimGrid was not there to build it.
FlowProgram built_program();

/// Fails what needs SimGrid where it is missing: packages.txt names it.
#define GAUNTLET_NEEDS_SIMGRID() \
  ASSERT_FALSE(built_program().path.empty()) << "gauntlet-flow was not built: libsimgrid-dev is missing"

/// An H100 host's wires; `nics` of 400 Gb/s.
inline Hardware hgx(std::uint32_t nics) {
  Hardware out;
  out.nics_per_host = nics;
  out.nvlink = {900e9};
  out.nic = {50e9};
  out.pcie = {64e9};
  return out;
}

inline Fabric fabric_of(FabricKind kind, double oversubscription = 1) {
  Fabric out;
  out.kind = kind;
  out.tors_per_pod =
      kind == FabricKind::rail_optimised ? 16 : 2;  // two groups of hosts in a pod, so that there are spines
  out.oversubscription = oversubscription;
  return out;
}

}  // namespace gauntlet
