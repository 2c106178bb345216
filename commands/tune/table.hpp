// The curves around the best settings as tables.
#pragma once

#include "commands/tune/result.hpp"

#include <string>

namespace gauntlet {

/// A table for each field: its points from low to high, the other fields at their best. Empty where nothing was tried.
std::string curve_tables(const TuneResult& result);

}  // namespace gauntlet
