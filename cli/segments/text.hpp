// The segments of a drill for people: who is slow, and a table.
#pragma once

#include "real/telemetry/heat_map.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace gauntlet {

/// Without the rows of a start that reported nothing.
std::vector<const HeatMapRow*> rows_of(const SegmentHeatMap& map);

/// How many ranks they are of: a rank that moved has a row for each host.
std::size_t ranks_of(const std::vector<const HeatMapRow*>& rows);

/// All of them by rank, or the slowest so many, the slowest first.
std::vector<const HeatMapRow*> slowest_rows(const SegmentHeatMap& map, std::size_t most);

/// The first lines: who is slow, or why nobody is named. `slower`: the share by which a rank is too slow.
std::string segments_answer(const SegmentHeatMap& map, double slower);

/// The answer, then the slowest ranks.
std::string segments_text(const SegmentHeatMap& map, double slower);

}  // namespace gauntlet
