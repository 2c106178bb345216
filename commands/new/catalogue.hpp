// Entries of the catalogue by name, for what has to be known of them before there is a scenario.
#pragma once

#include "core/problem.hpp"
#include "models/hardware.hpp"
#include "models/workload.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// The entry, or nothing and a problem of `option`: there is no such name (with the nearest one), or the file is broken.
std::optional<Hardware> find_hardware(const std::string& option, const std::string& name,
                                      std::vector<Problem>& problems);
std::optional<Transformer> find_model(const std::string& option, const std::string& name,
                                      std::vector<Problem>& problems);

}  // namespace gauntlet
