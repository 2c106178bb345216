// The same job on another number of GPUs: whole data-parallel replicas are added or taken away.
#pragma once

#include "config/scenario.hpp"
#include "core/problem.hpp"
#include "study/point.hpp"

#include <cstdint>
#include <optional>

namespace gauntlet {

enum class BatchScaling : std::uint8_t {
  scaled,  // each replica keeps its sequences: the global batch grows with dp (weak scaling)
  kept,    // the global batch stays, and dp must divide it (strong scaling)
};

/// Of one pipeline replica: tp x cp x pp.
std::uint64_t replica_gpus(const Layout& layout);
/// "tp x pp = 8 x 16"; cp where there is any.
std::string replica_text(const Layout& layout);

/// The GPUs by which a job can grow or shrink: whole pipeline replicas that fill whole hosts, in whole expert-parallel groups.
std::uint64_t size_unit(const Scenario& base);

/// The same, for a job that is to stay as quick: where each stage fills whole hosts, it goes on doing so. A host between two
/// stages has fewer ranks of a data-parallel group than the others, and fewer NICs for its traffic.
std::uint64_t growth_unit(const Scenario& base);

/// What spares.count says: the cold ones and the pool stand beside it, and are in `Inventory::spares` too.
std::uint32_t warm_spares(const World& world);

/// GPUs of the job as it is.
std::uint64_t size_of(const Scenario& base);

struct Resized {
  Settings settings;               // over `base`; none where it has this size already
  std::optional<Problem> problem;  // where there is no such size; says which ones work
};

/// Sets cluster.hosts, job.layout.dp, job.global_batch and, where the step time is a measured one, job.step_time: it changes
/// as the step model's does. Spares, storage and measured checkpoint times stay as they are.
Resized resized(const Scenario& base, std::uint64_t gpus, BatchScaling batch);

/// The size nearest to `gpus` (of two, the smaller) that works; at least one replica.
std::uint64_t nearest_size(const Scenario& base, std::uint64_t gpus, BatchScaling batch);

}  // namespace gauntlet
