// The segments of a drill as a page: heat maps of ranks, and of the groups that they are in.
#pragma once

#include "real/telemetry/heat_map.hpp"
#include "report/page/page.hpp"

#include <string>

namespace gauntlet {

/// `slower`: the share by which a rank is too slow. `command`: gives the same segments again.
Page segments_page(const SegmentHeatMap& map, double slower, const std::string& command);

}  // namespace gauntlet
