// The sizes of a job as a page.
#pragma once

#include "commands/scale/result.hpp"
#include "report/page/page.hpp"
#include "report/report_options.hpp"

namespace gauntlet {

/// Mean time to failure, ETTR and MFU, the best checkpoint interval and the lost time by the number of GPUs.
Page page_of(const ScaleResult& result, const ReportOptions& options);

}  // namespace gauntlet
