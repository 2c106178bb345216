// Which ranks a picture of a step shows, and what of them is degraded.
#pragma once

#include "commands/step/picture.hpp"
#include "commands/step/result.hpp"
#include "core/layout.hpp"
#include "models/step/segments.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// "host 17", "GPU 3 of host 17"
std::string seat_text(std::uint32_t slot, std::uint32_t gpu);

/// Whether a host, or one of its GPUs, holds a rank of the stage.
bool holds(const PictureStage& stage, std::uint32_t slot, std::uint32_t gpu, std::uint32_t per_host);

/// What of a host is degraded, its GPUs and NICs included: "host 17 slow".
std::string cause_of_host(std::uint32_t host, const ClusterState& state);

/// The host, or those of its ranks that are all that is degraded of it.
std::vector<RankRange> degraded_ranks(std::uint32_t host, std::uint32_t per_host, const ClusterState& state);

/// The rank that a degraded step waits for, the worst of its host; the first of the critical stage where no host is at
/// fault; rank 0 of a healthy step. Its pipeline is the ranks with its tensor, context and data coordinates.
Coordinates critical_rank(const Layout& layout, std::uint32_t per_host, const ClusterState& state,
                          const std::optional<StepCritical>& critical);

/// The stage that `at` belongs to. Shows that rank; where its tensor-parallel group waits for some of its members, all of it.
PictureStage stage_of(const Layout& layout, std::uint32_t per_host, const Coordinates& at,
                      const ClusterState& state);

}  // namespace gauntlet
