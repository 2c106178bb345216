// The fault models by name: what goes wrong in training clusters, with the effect, symptoms and remedy that are known of it.
// A scenario says `model = "NAME"` and how often; whatever else it says takes the place of what is here.
#pragma once

#include "models/fault/fault_model.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// All of them, in the order of their names.
std::span<const FaultModel> fault_models();
/// Null where there is none.
const FaultModel* find_fault_model(std::string_view name);

}  // namespace gauntlet
