// A tuned scenario as a page: the curve of each field around the best point, and that point.
#pragma once

#include "commands/tune/result.hpp"
#include "report/page/page.hpp"
#include "report/report_options.hpp"

namespace gauntlet {

/// A chart of each field that has a curve.
Page page_of(const TuneResult& result, const ReportOptions& options);

}  // namespace gauntlet
