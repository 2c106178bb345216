// A scenario that runs until its work is done, whatever it looked at before.
#pragma once

#include "config/scenario.hpp"
#include "core/problem.hpp"
#include "core/quantity.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// Steps that it takes to train on so many tokens, with the global batch of a job.
std::int64_t steps_for(double tokens, const JobModel& job);

struct Work {
  double tokens = 0;
  std::vector<std::string> sets;   // over the scenario: its work, and time enough for it
  std::vector<std::string> notes;  // what that changes, for people
  std::optional<Problem> problem;  // where it has no work
};

/// The work of `base`: `tokens`, else its job.steps. Its window becomes a far horizon, so that a run which gets nowhere ends:
/// eight times the healthy time of the work or `finish_by`, whichever is longer. Planned stops that were spread over the
/// window go on at the same pace.
Work work_of(const Scenario& base, std::optional<double> tokens, Duration finish_by);

/// How long a run is at least that does not give up: the window, or the time of its steps without faults where that is
/// shorter. Zero where the scenario has neither.
Duration shortest_run(const World& world);

}  // namespace gauntlet
