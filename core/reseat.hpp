// Which hosts sit where when a job goes on with another number of data-parallel replicas: the cluster moves them so, and
// policies know it without being told (Start in core/action.hpp).
#pragma once

#include "core/id.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gauntlet {

struct Reseating {
  std::vector<std::pair<std::uint32_t, HostId>> seated;  // who moves into which slot
  std::vector<std::uint32_t> vacant;                     // slots that are left without a host, in order
  std::vector<HostId> left;                              // hosts that are left without a slot
};

/// From `before` slots to `after`. Hosts in slots that are no more, in the order of these, and then those `beyond` any slot take the
/// empty slots in order. `vacant`: the empty ones so far; `host_in(slot)`: the host of one that is not.
template <class HostIn>
Reseating reseat(std::uint32_t before, std::uint32_t after, const std::vector<std::uint32_t>& vacant,
                 const std::vector<HostId>& beyond, const HostIn& host_in) {
  Reseating out;
  for (std::uint32_t slot = after; slot < before; ++slot)
    if (std::find(vacant.begin(), vacant.end(), slot) == vacant.end()) out.left.push_back(host_in(slot));
  out.left.insert(out.left.end(), beyond.begin(), beyond.end());
  for (const std::uint32_t slot : vacant)
    if (slot < after) out.vacant.push_back(slot);
  for (std::uint32_t slot = before; slot < after; ++slot) out.vacant.push_back(slot);
  std::sort(out.vacant.begin(), out.vacant.end());

  const std::size_t moves = std::min(out.left.size(), out.vacant.size());
  for (std::size_t i = 0; i < moves; ++i) out.seated.emplace_back(out.vacant[i], out.left[i]);
  out.vacant.erase(out.vacant.begin(), out.vacant.begin() + static_cast<std::ptrdiff_t>(moves));
  out.left.erase(out.left.begin(), out.left.begin() + static_cast<std::ptrdiff_t>(moves));
  return out;
}

}  // namespace gauntlet
