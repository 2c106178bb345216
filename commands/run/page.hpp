// A run as a page.
#pragma once

#include "commands/run/result.hpp"
#include "report/page/page.hpp"
#include "report/report_options.hpp"
#include "study/summary/summary.hpp"

namespace gauntlet {

/// Where the time went, the distribution over replicas, one replica over time, detection by fault kind, and the cost.
Page page_of(const Summary& summary, const RunDetails& details, const ReportOptions& options);

}  // namespace gauntlet
