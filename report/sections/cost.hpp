// What a run costs, on a page.
#pragma once

#include "report/page/page.hpp"
#include "study/summary/summary.hpp"

namespace gauntlet {

/// The cost and what of it trains, or the GPU-hours of a scenario without a price, which the section says.
Section cost_section(const Summary& summary);

}  // namespace gauntlet
