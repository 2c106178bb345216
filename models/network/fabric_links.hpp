// The wires of a fabric as flows meet them: paths by number, and what each wire carries in a state of the network.
#pragma once

#include "models/network/bandwidths.hpp"
#include "models/topology/topology.hpp"

#include <cstdint>
#include <vector>

namespace gauntlet {

/// How switches choose among equal paths.
enum class Ecmp : std::uint8_t {
  spread,  // evenly, packet by packet or adaptively: the links that equal paths run over are one, as wide as all together
  hashed,  // one path for each flow, by a hash of its ends: flows that meet on a link share it though others are idle
};

/// `spread` is what agrees with the closed form on a healthy fabric of full bisection; `hashed` falls below it where
/// hashes collide (Llama 3, sec. 3.3.1, https://arxiv.org/abs/2407.21783, has 16 flows for each pair to lessen that).
class FabricLinks {
 public:
  FabricLinks(Topology topology, Ecmp ecmp);

  const Topology& topology() const { return topology_; }
  /// From one GPU to another, through NIC `rail` of both hosts where they differ.
  std::vector<std::uint32_t> path(std::uint32_t from_gpu, std::uint32_t to_gpu, std::uint32_t rail) const;
  /// Bytes per second of every wire. Slots are hosts of the topology; what is not in it changes
  /// nothing; a link that several things degrade has the bandwidth that the worst of them leaves.
  std::vector<double> capacities(const NetworkState& state) const;
  /// The wire that a link of the topology is, or is a part of.
  std::uint32_t wire_of(LinkNumber link) const { return wire_of_[link]; }

 private:
  void slow_down(std::vector<double>& factors, VertexKind kind, std::uint32_t index, double factor) const;

  Topology topology_;
  Ecmp ecmp_;
  std::vector<std::uint32_t> wire_of_;  // by link
  std::size_t wires_ = 0;
};

}  // namespace gauntlet
