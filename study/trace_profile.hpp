// A trace as a fault profile.
#pragma once

#include "models/trace/gaps.hpp"
#include "study/trace_source.hpp"

#include <string>

namespace gauntlet {

/// TOML that a scenario can extend: for each cause a rate, the law of a node's life, and how long it lasts. Empty where the
/// records name no node or all have one time: then there is no rate.
std::string fault_profile(const SelectedTrace& selected, ZeroDurations zeros);

/// "failures.csv.xz, system 20": the file's name, and what of it.
std::string source_text(const TraceSource& source);

}  // namespace gauntlet
