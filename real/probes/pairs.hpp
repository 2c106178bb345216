// Who is the culprit of a probe that needs two hosts: two rounds in pairs, as DLRover's check of nodes has them. Pure functions.
//
// A pair fails where either of its hosts is bad. In the first round every host is in a pair. In the second, each host of a pair that
// failed is with a host of a pair that passed: it is bad if they fail.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace gauntlet {

using HostPair = std::pair<std::uint32_t, std::uint32_t>;

struct PairResult {
  HostPair hosts;
  bool failed = false;
};

/// Neighbours in the order given; of an odd number of hosts the last is with the first as well. None of fewer than two hosts.
std::vector<HostPair> first_round(const std::vector<std::uint32_t>& hosts);

/// The hosts of pairs that passed.
std::set<std::uint32_t> proven_hosts(const std::vector<PairResult>& first);

/// With whom a suspect is paired: a proven host that is not `taken`, else any proven one. Where none is proven, two of the `others`, as
/// far as there are any: a suspect that fails with both is bad.
std::vector<std::uint32_t> partners_of(std::uint32_t suspect, const std::set<std::uint32_t>& proven,
                                       const std::vector<std::uint32_t>& others,
                                       const std::set<std::uint32_t>& taken);

}  // namespace gauntlet
