// What `--degrade` says: which component of the job is slower than it should be, and by how much.
//
//   host:17.slow=1.10            host 17 computes 1.10 times as long
//   host:17.slow.forward=1.10    ... its forward passes only; also .backward and .optimizer
//   host:17.gpu:3.slow=1.10      one of its GPUs
//   host:17.stall=2s             it stands still once, at the start of the step; also of a GPU
//   host:17.nic:2.degrade=4      a NIC has a quarter of its bandwidth; `nic` without a number: all of the host's
//   host:17.nic:2.degrade=lost   ... or nothing at all: rings run over the others
//   tor:3.degrade=2              every link of a switch; also aggregation:N and spine:N
//   jitter=0.02                  relative standard deviation of every compute segment of every stage
#pragma once

#include "commands/step/result.hpp"
#include "core/problem.hpp"
#include "models/step/segments.hpp"
#include "models/world/world.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {

/// Whether the network in use has switches of its own.
enum class Switches : std::uint8_t { unknown, modelled };

struct Degraded {
  ClusterState state;              // sorted; a factor of 1 is not a part of it
  std::vector<Degradation> parts;  // what has an effect, in the order in which it was said
  std::vector<Problem> problems;   // then the rest means nothing
};

/// Segments of one host or GPU are combined; what is said twice is a mistake. Of a host and a GPU in it the larger
/// factor counts. Hosts are counted by their place in the job.
Degraded parse_degrade(std::span<const std::string> said, const World& world, Switches switches);

}  // namespace gauntlet
