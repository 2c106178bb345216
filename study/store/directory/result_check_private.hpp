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

/// Holds over-time.csv, where there is one, to the replicas in the store: the parts of each replica are equal, the last one
/// apart, follow each other from its start to its end, and add up to its phases and steps; ETTR, MFU and tokens follow from them.
void check_over_time(const FoundResults& results);

}  // namespace gauntlet
