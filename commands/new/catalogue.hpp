// Entries of the catalogue by name, for what has to be known of them before there is a scenario.
#pragma once

#include "core/problem.hpp"
#include "models/hardware.hpp"
#include "models/workload.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// The entry of that name. If there is none, or its file is broken, returns nothing and adds a problem of `option`, with the nearest
/// name.
std::optional<Hardware> find_hardware(const std::string& option, const std::string& name,
                                      std::vector<Problem>& problems);
std::optional<Transformer> find_model(const std::string& option, const std::string& name,
                                      std::vector<Problem>& problems);

}  // namespace gauntlet
