#include "real/probes/pairs.hpp"

#include <algorithm>
#include <iterator>

namespace gauntlet {
namespace {

constexpr std::size_t kUnprovenPartners = 2;

}  // namespace

std::vector<HostPair> first_round(const std::vector<std::uint32_t>& hosts) {
  std::vector<HostPair> pairs;
  for (std::size_t i = 0; i + 1 < hosts.size(); i += 2) pairs.emplace_back(hosts[i], hosts[i + 1]);
  if (hosts.size() % 2 == 1 && hosts.size() > 1) pairs.emplace_back(hosts.back(), hosts.front());
  return pairs;
}

std::set<std::uint32_t> proven_hosts(const std::vector<PairResult>& first) {
  std::set<std::uint32_t> proven;
  for (const PairResult& each : first)
    if (!each.failed) proven.insert({each.hosts.first, each.hosts.second});
  return proven;
}

std::vector<std::uint32_t> partners_of(std::uint32_t suspect, const std::set<std::uint32_t>& proven,
                                       const std::vector<std::uint32_t>& others,
                                       const std::set<std::uint32_t>& taken) {
  std::vector<std::uint32_t> out;
  std::copy_if(proven.begin(), proven.end(), std::back_inserter(out),
               [&](std::uint32_t host) { return host != suspect; });
  const std::size_t wanted = out.empty() ? kUnprovenPartners : 1;
  if (out.empty())
    std::copy_if(others.begin(), others.end(), std::back_inserter(out),
                 [&](std::uint32_t host) { return host != suspect; });
  std::stable_partition(out.begin(), out.end(), [&](std::uint32_t host) { return !taken.contains(host); });
  out.resize(std::min(out.size(), wanted));
  return out;
}

}  // namespace gauntlet
