// What other hosts reported, and in what this host is unlike most of them. Pure functions.
#pragma once

#include "real/probes/sample.hpp"

#include <map>
#include <string>
#include <vector>

namespace gauntlet {

using FactTable = std::map<std::string, std::string>;  // name of a fact: its value

/// What another host, or this one earlier, reported.
struct PeerReport {
  std::map<std::string, Spread> metrics;   // of the worst parts, by the name of the probe
  std::map<std::string, FactTable> facts;  // by the name of the probe
};

/// A fact that more than half of the peers agree on, and this host does not.
struct DifferingFact {
  std::string name;
  std::string own, majority;  // empty: absent
  std::size_t agree = 0, peers = 0;
  friend bool operator==(const DifferingFact&, const DifferingFact&) = default;
};

/// In the order of the names. A fact without a majority is no one's fault.
std::vector<DifferingFact> facts_unlike_peers(const FactTable& own, const std::vector<FactTable>& peers);

/// "eth0 mtu is 1500, 7 of 8 peers have 9000"
std::string to_text(const DifferingFact& fact);

}  // namespace gauntlet
