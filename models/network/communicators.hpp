// What the members of communicators send to each other, as flows over the wires of a fabric.
#pragma once

#include "core/layout.hpp"
#include "models/network/fabric_links.hpp"
#include "models/network/hops.hpp"
#include "models/network/max_min.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gauntlet {

/// The flows of some groups. While a member sends one byte in all, flow f carries share[f] bytes.
struct CommunicatorFlows {
  Flows flows;
  std::vector<std::uint32_t> group;  // of each flow
  std::vector<double> share;
};

/// The flows of every group of a dimension; rank r is GPU r of the fabric. Gradients go the other way over the other
/// directions of the same links, and are not here. `degraded`: NICs that are lost carry nothing; every group has one left
/// (carries_on).
CommunicatorFlows flows_of(const FabricLinks& links, const Layout& layout, Dimension dimension,
                           std::span<const DegradedNic> degraded = {});
CommunicatorFlows flows_of(const FabricLinks& links, const Layout& layout, Dimension dimension,
                           Pattern pattern, std::span<const DegradedNic> degraded = {});

}  // namespace gauntlet
