// What the members of each communicator get of the wires, in closed form: the narrowest of NVLink and of the NICs that the
// group's members in a host sit next to, shared by those who use them at once.
#pragma once

#include "core/infinity.hpp"
#include "core/layout.hpp"
#include "core/quantity.hpp"
#include "models/hardware.hpp"
#include "models/topology/fabric.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <vector>

namespace gauntlet {

/// A NIC that carries less than it should: its bandwidth is divided by `factor`. One that is lost (kLost) carries nothing,
/// and rings run over the others.
struct DegradedNic {
  std::uint32_t slot = 0;  // the host's slot in the job
  std::uint32_t nic = 0;   // within the host; kAllNics: every one of them
  double factor = 1;       // at least 1
  constexpr bool lost() const { return factor == kInfinity; }
  friend auto operator<=>(const DegradedNic&, const DegradedNic&) = default;
};
inline constexpr std::uint32_t kAllNics = ~0u;
inline constexpr double kLost = kInfinity;

/// A switch whose every link carries less than it should: bandwidths are divided by `factor`.
struct DegradedSwitch {
  SwitchKind kind = SwitchKind::tor;
  std::uint32_t index = 0;  // among those of its kind
  double factor = 1;        // at least 1
  friend auto operator<=>(const DegradedSwitch&, const DegradedSwitch&) = default;
};

/// What of the network is slower than it should.
struct NetworkState {
  std::vector<DegradedNic> nics;         // by slot, nic
  std::vector<DegradedSwitch> switches;  // by kind, index
  bool healthy() const { return nics.empty() && switches.empty(); }
  friend auto operator<=>(const NetworkState&, const NetworkState&) = default;
};

/// Bandwidth of one member of a group, each direction, while every group of the dimension communicates.
struct DimensionBandwidth {
  struct SlowGroup {
    std::uint32_t group = 0;  // Layout::group_of
    Bandwidth bandwidth;      // of its slowest member
  };
  Bandwidth healthy;            // where nothing is degraded
  bool over_nics = false;       // whether it leaves the host
  std::vector<SlowGroup> slow;  // every group that gets less, by number

  Bandwidth of_group(std::uint32_t group) const;
  Bandwidth slowest() const;
};

using Bandwidths = std::array<DimensionBandwidth, kDimensions>;  // by Dimension

/// A model of the network: bandwidths in a state of it. Safe to call from several threads at once.
using Network = std::function<Bandwidths(const NetworkState&)>;

/// A ring enters and leaves each host over the NICs of all its members there, an all-to-all and a pair over the sender's own
/// (hops.hpp); those who use a NIC at once have equal parts of it, and the slowest NIC of a group says when all are done.
/// Switches do not narrow anything here: a fabric that is oversubscribed, or has degraded switches, needs flows
/// (fabric_network.hpp).
Network closed_form_network(const Layout& layout, const Hardware& hardware);

}  // namespace gauntlet
