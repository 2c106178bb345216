#include "real/probes/pairs.hpp"

#include <algorithm>
#include <set>

namespace gauntlet {

std::vector<HostPair> first_round(std::uint32_t hosts) {
  std::vector<HostPair> pairs;
  for (std::uint32_t host = 0; host + 1 < hosts; host += 2) pairs.emplace_back(host, host + 1);
  if (hosts % 2 == 1 && hosts > 1) pairs.emplace_back(hosts - 1, 0);
  return pairs;
}

std::vector<HostPair> second_round(const std::vector<PairResult>& first) {
  std::set<std::uint32_t> good, suspects;
  for (const PairResult& each : first)
    if (!each.failed) good.insert({each.hosts.first, each.hosts.second});
  for (const PairResult& each : first)
    for (const std::uint32_t host : {each.hosts.first, each.hosts.second})
      if (!good.contains(host)) suspects.insert(host);
  std::vector<HostPair> pairs;
  auto next = good.begin();
  for (const std::uint32_t suspect : suspects) {
    if (good.empty()) break;
    pairs.emplace_back(suspect, *next);
    if (++next == good.end()) next = good.begin();
  }
  return pairs;
}

std::vector<std::uint32_t> culprits(const std::vector<PairResult>& second) {
  std::vector<std::uint32_t> out;
  for (const PairResult& each : second)
    if (each.failed) out.push_back(each.hosts.first);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace gauntlet
