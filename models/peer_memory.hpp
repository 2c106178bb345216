// Checkpoints in peers' memory: which hosts hold the same state, and what is left of it when some are lost.
//
// Hosts stand in groups of neighbours, in slot order, and each holds the state of its whole group: the group placement of Z. Wang
// et al., "GEMINI: fast failure recovery in distributed training with in-memory checkpoints", SOSP 2023, sec. 4.2,
// https://doi.org/10.1145/3600006.3613145.
#pragma once

#include <cstdint>
#include <span>

namespace gauntlet {

/// Whether every group has a host that is not lost. `slots`: the lost ones, each once and in rising order, below `hosts`. The
/// last group is smaller where `copies` does not divide `hosts`.
bool peers_recover(std::uint32_t hosts, std::uint32_t copies, std::span<const std::uint32_t> slots);

/// The probability of that where any `lost` of the hosts are lost at once, each set of so many as likely as any other. Exact;
/// GEMINI's corollary 1 is a bound below it, max(0, 1 - n C(n - m, k - m) / (m C(n, k))), which it meets while k < 2m.
double peer_recovery_probability(std::uint32_t hosts, std::uint32_t copies, std::uint32_t lost);

}  // namespace gauntlet
