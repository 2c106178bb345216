// Who is the culprit of a probe that needs two hosts: two rounds in pairs, as DLRover's check of nodes has them. Pure functions.
//
// A pair fails where either of its hosts is bad. In the first round every host is in a pair. In the second, each host of a pair that
// failed is with a host of a pair that passed: it is bad if they fail.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace gauntlet {

using HostPair = std::pair<std::uint32_t, std::uint32_t>;

struct PairResult {
  HostPair hosts;
  bool failed = false;
};

/// Neighbours; of an odd number of hosts the last is with the first as well. None of fewer than two hosts.
std::vector<HostPair> first_round(std::uint32_t hosts);

/// Each suspect with a good host, first the suspect. Good hosts take turns. None where nobody is good: then no host can be told from
/// another.
std::vector<HostPair> second_round(const std::vector<PairResult>& first);

/// In ascending order; those that the second round convicted.
std::vector<std::uint32_t> culprits(const std::vector<PairResult>& second);

}  // namespace gauntlet
