#include "models/network/communicators.hpp"

#include "core/contract.hpp"

namespace gauntlet {

CommunicatorFlows flows_of(const FabricLinks& links, const Layout& layout, Dimension dimension,
                           std::span<const DegradedNic> degraded) {
  return flows_of(links, layout, dimension, pattern_of(dimension), degraded);
}

CommunicatorFlows flows_of(const FabricLinks& links, const Layout& layout, Dimension dimension,
                           Pattern pattern, std::span<const DegradedNic> degraded) {
  const FabricShape& shape = links.topology().shape();
  expect(layout.ranks() <= shape.gpus(), "every rank has a GPU");
  CommunicatorFlows out;
  std::vector<Hop> hops;
  for (std::uint32_t group = 0; group < layout.groups(dimension); ++group) {
    hops.clear();
    const bool whole = add_hops(hops, shape.host(), pattern, layout.ranks_of_group(dimension, group),
                                layout.virtual_stages > 1, degraded);
    expect(whole, "every group has a NIC left");
    for (const Hop& hop : hops) {
      out.flows.add(links.path(hop.from, hop.to, hop.nic));
      out.group.push_back(group);
      out.share.push_back(hop.share);
    }
  }
  return out;
}

}  // namespace gauntlet
