// The page of one summary, and all that its sections are made of.
#pragma once

#include "report/page/page.hpp"
#include "report/report_options.hpp"
#include "report/sections/cost.hpp"
#include "report/sections/detection.hpp"
#include "report/sections/figures.hpp"
#include "report/sections/lost_time.hpp"
#include "report/sections/over_time.hpp"
#include "study/summary/summary.hpp"

#include <string>

namespace gauntlet {

/// A page without sections: the answer, the lines that follow it in the report, and the main figures. `command`: "gauntlet run".
Page summary_page(const Summary& summary, const std::string& command, const ReportOptions& options);

}  // namespace gauntlet
