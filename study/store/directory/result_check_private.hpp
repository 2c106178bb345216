// What the parts of a check share.
#pragma once

#include "core/problem.hpp"
#include "study/store/directory/result_reader.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace gauntlet {

/// Holds points.csv and result.json to the statistics in the store.
void check_figures(const FoundResults& results);

}  // namespace gauntlet
