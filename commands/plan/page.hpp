// A plan as a page: when runs finish, what it takes, and what the finish depends on.
#pragma once

#include "commands/plan/result.hpp"
#include "report/page/page.hpp"
#include "report/report_options.hpp"

namespace gauntlet {

/// The distribution of the finish, what one more of each thing buys, the levers and the tornado.
Page page_of(const PlanResult& result, const ReportOptions& options);

}  // namespace gauntlet
