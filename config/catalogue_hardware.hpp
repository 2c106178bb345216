// Entries of the shipped catalogue for code that has no scenario.
#pragma once

#include "core/problem.hpp"
#include "models/hardware.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct LoadedHardware {
  std::optional<Hardware> hardware;  // there when there are no problems
  std::vector<Problem> problems;
};

/// The hardware of that name.
LoadedHardware catalogue_hardware(const std::string& name);

}  // namespace gauntlet
