// Checkpoints in peers' memory: which hosts hold the same state, and what is left of it when some are lost.
//
// Hosts stand in groups, and each holds the state of its whole group: the group placement of Z. Wang et al., "GEMINI: fast failure
// recovery in distributed training with in-memory checkpoints", SOSP 2023, sec. 4.2, https://doi.org/10.1145/3600006.3613145. There
// the hosts of a group are neighbours. Here they are as far apart as can be: every n-th slot, of n groups, so that a rack or a switch
// that is lost, which takes neighbours, leaves a host of each. To losses that strike anywhere the two are the same.
#pragma once

#include <cstdint>
#include <span>

namespace gauntlet {

/// Into how many groups of `copies` or more they are divided; slot s is in group s modulo that.
constexpr std::uint32_t peer_groups(std::uint32_t hosts, std::uint32_t copies) {
  return hosts < copies ? 1 : hosts / copies;
}

/// Whether every group has a host that is not lost. `slots`: the lost ones, each once, below `hosts`.
bool peers_recover(std::uint32_t hosts, std::uint32_t copies, std::span<const std::uint32_t> slots);

}  // namespace gauntlet
