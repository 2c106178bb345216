// The turns in which a driver has hosts probed, and what it remembers of pairs.
#pragma once

#include "core/id.hpp"
#include "real/probes/pairs.hpp"
#include "real/probes/suite/judge_hosts.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace gauntlet {

/// A host that is probed alone, or that measures its link to a neighbour.
struct ProbeTurn {
  HostId host;
  std::optional<HostId> neighbour;
};

/// The hosts of pairs that passed, and what these pairs measured.
struct ProvenHosts {
  std::set<std::uint32_t> hosts;
  std::vector<PeerReport> reports;
};

}  // namespace gauntlet
