// Who of a communicator sends to whom, and through which NICs; the wires between come later (communicators.hpp).
//
// A collective of several hosts runs as parallel rings (or trees), one for each NIC that its members in a host sit next
// to, as NCCL's channels do. Every channel gets an equal part of the bytes, whatever its wires carry (runRing in
// https://github.com/NVIDIA/nccl/blob/0e35f5d3902f/src/device/all_reduce.h: each loop is cut into nChannels chunks of one
// size), so the slowest one says when all are done.
#pragma once

#include "core/layout.hpp"
#include "models/network/bandwidths.hpp"
#include "models/topology/host_shape.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gauntlet {

enum class Pattern : std::uint8_t {
  ring,  // each member to the next: all-gather, reduce-scatter, all-reduce
  tree,  // two binary trees, each host a leaf of one and within the other, up and down: all-reduce of NCCL
  all_to_all,  // each member to each other one, through its own NIC
  pairs,       // each member to the next, through its own NIC: a pipeline
};

constexpr Pattern pattern_of(Dimension dimension) {
  if (dimension == Dimension::expert) return Pattern::all_to_all;
  return dimension == Dimension::pipeline ? Pattern::pairs : Pattern::ring;
}

/// While a member sends one byte in all, `share` bytes go from one GPU to another, through NIC `nic` of both hosts where they
/// differ.
struct Hop {
  std::uint32_t from = 0, to = 0;  // ranks
  std::uint32_t nic = 0;
  double share = 1;
};

/// Adds the hops of one group, whose ranks ascend and fill hosts in order. The last of a pipeline sends to the first where
/// stages are virtual (`closed`). A NIC that one host of the group has lost is used by none of its hosts: a ring stays on its
/// rail. False, and no hop added, where that leaves a member that sends none.
bool add_hops(std::vector<Hop>& to, HostShape host, Pattern pattern, std::span<const std::uint32_t> ranks,
              bool closed, std::span<const DegradedNic> degraded = {});

/// Of a dimension's group `group`.
bool add_hops(std::vector<Hop>& to, HostShape host, const Layout& layout, Dimension dimension,
              std::uint32_t group, std::span<const DegradedNic> degraded);

/// Whether every group has a NIC left wherever it needs one: else the job stands still.
bool carries_on(const Layout& layout, HostShape host, std::span<const DegradedNic> degraded);

}  // namespace gauntlet
