// When the work is done, and what it takes to finish by a date: the plan as given, the least that is enough, and what one
// more of each thing saves.
#pragma once

#include "commands/plan/question.hpp"
#include "commands/plan/result.hpp"
#include "study/experiment.hpp"
#include "study/point.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

struct Planned {
  std::optional<PlanResult> result;  // `interrupted` where the experiment was stopped
  std::vector<Problem> problems;     // where there is none: variants that are not a scenario
};

/// `source`: a scenario with this work and time enough for it (study/work.hpp).
Planned plan(Experiment& experiment, const PointSource& source, const PlanQuestion& question);

}  // namespace gauntlet
