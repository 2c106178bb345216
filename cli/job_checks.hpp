// What the job of a drill cannot report, and cannot be told.
#pragma once

#include "config/scenario.hpp"
#include "core/problem.hpp"

#include <vector>

namespace gauntlet {

/// Orders that a job cannot be given which says nothing but lines, and hears nothing.
std::vector<Problem> check_lines(const Scenario& scenario);
/// Signals that policies need and no agent reports.
std::vector<Problem> check_signals(const Scenario& scenario);

}  // namespace gauntlet
