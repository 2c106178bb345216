// A comparison of scenarios as a page: where they differ, by how much, and in which incidents.
#pragma once

#include "commands/compare/result.hpp"
#include "report/page/page.hpp"
#include "report/report_options.hpp"

namespace gauntlet {

/// Of each scenario against the first: lost time by phase and cause, the figures, and the most typical replica.
Page page_of(const CompareResult& result, const ReportOptions& options);

}  // namespace gauntlet
