// A sweep as a page: the objective and the losses over the values of each field, and the best point.
#pragma once

#include "commands/sweep/result.hpp"
#include "report/page/page.hpp"
#include "report/report_options.hpp"

namespace gauntlet {

/// Of two fields a heat map, with the points outlined that are not distinguishable from the best.
Page page_of(const SweepResult& result, const ReportOptions& options);

}  // namespace gauntlet
