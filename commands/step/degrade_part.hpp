// One `--degrade` as it is read: which component, what of it, and how much.
#pragma once

#include "commands/step/result.hpp"
#include "core/problem.hpp"
#include "models/network/bandwidths.hpp"
#include "models/step/segments.hpp"
#include "models/world/world.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace gauntlet {

struct DegradedPart {
  Degradation shown;
  std::uint32_t slot = 0;           // of slow, stall, and degrade of a NIC
  std::uint32_t gpu = kWholeHost;   // of slow and stall
  std::uint32_t nic = kAllNics;     // of degrade
  std::optional<SwitchKind> level;  // of degrade: a switch, not a NIC
  std::uint32_t index = 0;          // of the switch
};

/// Which components there are.
struct Components {
  std::uint32_t hosts = 0, spares = 0, gpus_per_host = 0, nics_per_host = 0;
  std::function<std::uint32_t(SwitchKind)> switches;  // empty: the network has none
};

/// Either a part, or the problem in the second place.
struct ReadPart {
  std::optional<DegradedPart> part;
  Problem problem;
};
ReadPart read_part(const std::string& said, const Components& components);

}  // namespace gauntlet
