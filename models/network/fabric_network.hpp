// Bandwidths of communicators on a fabric, by max-min fair flows: what an oversubscribed fabric, degraded switches and NICs,
// colliding hashes and other traffic leave of them.
#pragma once

#include "models/network/bandwidths.hpp"
#include "models/network/communicators.hpp"
#include "models/network/fabric_links.hpp"
#include "models/world/world.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gauntlet {

/// Somebody else's flow on the same fabric: another job's, or a restore that reads from storage. GPUs are counted over the
/// whole cluster; hosts beyond the job's are there for it (spares, storage).
struct BackgroundFlow {
  std::uint32_t from_gpu = 0, to_gpu = 0;
  std::uint32_t rail = 0;  // the NIC of either host
};

/// The flows of all dimensions of one job, laid out over the first hosts of a cluster. Not changed once it is made.
class FabricNetwork {
 public:
  FabricNetwork(const Layout& layout, const Hardware& hardware, std::uint32_t hosts,
                std::uint32_t hosts_per_tor, const Fabric& fabric, Ecmp ecmp = Ecmp::spread);
  explicit FabricNetwork(const World& world, Ecmp ecmp = Ecmp::spread);

  const Layout& layout() const { return layout_; }
  const FabricLinks& links() const { return links_; }
  /// Empty where the dimension stays within hosts.
  const CommunicatorFlows& flows(Dimension dimension) const {
    return flows_[static_cast<std::size_t>(dimension)];
  }
  /// Of a dimension that stays within hosts, and the most that a GPU sends.
  Bandwidth nvlink() const { return links_.topology().shape().nvlink; }

  /// The same where NICs are lost: their groups use others.
  CommunicatorFlows flows(Dimension dimension, const NetworkState& state) const;

  Bandwidths bandwidths(const NetworkState& state, std::span<const BackgroundFlow> background = {}) const;

 private:
  std::vector<double> group_rates(Dimension dimension, const NetworkState& state,
                                  std::span<const double> capacities,
                                  std::span<const BackgroundFlow> background) const;

  Layout layout_;
  FabricLinks links_;
  std::array<CommunicatorFlows, kDimensions> flows_;
  std::array<std::vector<double>, kDimensions> healthy_;  // by group
};

/// The rate of a group's members, by group, from the rates of its flows: the slowest flow says when all are done.
std::vector<double> rates_of_groups(const CommunicatorFlows& flows, std::span<const double> rates,
                                    std::uint32_t groups, double most);

/// Rates by group, beside those of the healthy network. Relative differences below `same` are none.
DimensionBandwidth dimension_bandwidth(std::span<const double> healthy, std::span<const double> rates,
                                       double same = 1e-9);

/// Solved once for each state, and remembered. With other flows in the background that is the healthy network too.
Network max_min_network(const World& world, Ecmp ecmp = Ecmp::spread,
                        std::vector<BackgroundFlow> background = {});

/// Whether switches carry less than the NICs under them, so that the closed form does not hold.
bool narrows(const World& world);

/// What fits a world: the closed form, or max-min flows where the fabric narrows or a switch is degraded.
Network network_of(const World& world);

/// Why `network_of` cannot be had: the fabric narrows, and is too large to be looked at link by link (size_misfit).
std::optional<Misfit> network_misfit(const World& world);

/// A network that remembers what it was asked.
Network remembering(Network network);

}  // namespace gauntlet
