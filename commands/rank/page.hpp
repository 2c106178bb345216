// A ranking of levers as a page.
#pragma once

#include "commands/rank/result.hpp"
#include "report/page/page.hpp"
#include "report/report_options.hpp"

namespace gauntlet {

/// The levers, and where the time of a run as given goes.
Page page_of(const RankResult& result, const ReportOptions& options);

}  // namespace gauntlet
