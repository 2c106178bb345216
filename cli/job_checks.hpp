// What the job of a drill cannot report, and cannot be told, and how its hosts are probed.
#pragma once

#include "config/scenario.hpp"
#include "core/problem.hpp"
#include "real/driver/signal_sources.hpp"
#include "real/probes/suite/judge_hosts.hpp"

#include <vector>

namespace gauntlet {

/// Orders that a job cannot be given which says nothing but lines, and hears nothing.
std::vector<Problem> check_lines(const Scenario& scenario);
/// Numbers of data-parallel replicas among which the trainer cannot divide its batch.
std::vector<Problem> check_sizes(const Scenario& scenario);
/// Signals that policies need and no agent reports, whose hosts have these sources.
std::vector<Problem> check_signals(const Scenario& scenario, const SignalSources& sources);

/// How the probes of a scenario without problems are carried out.
ProbeMeasures probes_of(const LoadedScenario& loaded);

}  // namespace gauntlet
