// Drills beside their simulations as a page.
#pragma once

#include "report/page/page.hpp"
#include "report/report_options.hpp"
#include "report/worlds/result.hpp"

namespace gauntlet {

/// Both worlds' time per incident and phase, the ETTR of each drill, and all figures with the interval of their difference.
Page page_of(const RepeatedDrills& drills, const ReportOptions& options);

}  // namespace gauntlet
