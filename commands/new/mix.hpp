// A fault profile of the catalogue at the pace of failures that were counted elsewhere.
#pragma once

#include "core/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// What the profile's failures have in common.
struct FaultMix {
  std::vector<std::string> faults;  // their names
  double per_host_second = 0;       // of all of them together, on hosts of the hardware
  double share_repaired = 0;        // of the failures: those whose remedy is a repair
};

struct FaultMixRead {
  std::optional<FaultMix> mix;
  std::vector<Problem> problems;
};

/// A profile of catalog/faults, all of whose faults stop the job and have a rate. `hardware`: its name; its hosts have so many
/// GPUs.
FaultMixRead read_mix(const std::string& profile, const std::string& hardware, std::uint32_t gpus_per_host);

}  // namespace gauntlet
