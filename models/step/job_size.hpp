// The job of a world at another number of data-parallel replicas.
#pragma once

#include "models/world/world.hpp"

#include <cstdint>

namespace gauntlet {

/// With so many replicas, which fill whole hosts, and so many sequences in a step. A measured step time is gone: it was that of
/// another size.
World with_replicas(const World& world, std::uint32_t replicas, std::uint32_t sequences);

/// With so many replicas that have as many sequences each as before: a step has fewer of them. A measured step time changes as the
/// modelled one does, and not at all where GPUs have no rate.
World with_replicas(const World& world, std::uint32_t replicas);

/// A healthy step with so many replicas, of a job with a measured step time: as long as the sequences of a step of the whole job take.
Duration whole_step(const World& world, std::uint32_t replicas);

/// The fewest replicas in whole hosts with which every GPU has room for its share of the state; a job with a measured step time did
/// run, and is not asked for its memory. 0: its replicas never fill whole hosts.
std::uint32_t fewest_replicas(const World& world);

}  // namespace gauntlet
