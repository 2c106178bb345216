// One training step as a page: its parts, the memory of a GPU, and the bandwidth of communicators.
#pragma once

#include "commands/step/result.hpp"
#include "report/page/page.hpp"
#include "report/report_options.hpp"

namespace gauntlet {

/// Bars of the parts of the step and of the memory, and what is degraded.
Page page_of(const StepReport& report, const ReportOptions& options);

}  // namespace gauntlet
