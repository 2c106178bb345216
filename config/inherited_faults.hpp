// `inherit_faults = false`: a scenario that takes everything from those that it extends, but for what goes wrong in them.
#pragma once

#include "config/fault_models.hpp"
#include "config/toml/value.hpp"

#include <string_view>

namespace gauntlet {

inline constexpr std::string_view kInheritFaults = "inherit_faults";

/// Whether the table says that it wants none of the faults below it.
bool refuses_faults(const Value& own);

/// Removes every fault from a tree, and what is said of those faults elsewhere in it and would name nothing: their repair
/// times, what probes and log lines have to do with them, and which of their numbers are uncertain.
void remove_faults(Value& below, FaultModels& models);

}  // namespace gauntlet
