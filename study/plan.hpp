// What it takes to finish by a date: the plan as given, the least that would do, and what one more of each thing buys.
#pragma once

#include "study/experiment.hpp"
#include "study/point.hpp"
#include "study/results/plan.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

struct PlanQuestion {
  double tokens = 0;       // the work (study/work.hpp)
  double finish_by_s = 0;  // after the start
  double confidence = 0.95;
  std::uint32_t replicas = 200;  // of every variant that is reported
  std::uint64_t seed = 0;
  bool uncertainty = false;  // carry it into the results too
};

struct Planned {
  std::optional<PlanResult> result;  // `interrupted` where the experiment was stopped
  std::vector<Problem> problems;     // where there is none: variants that are no scenario
};

/// `source`: a scenario with this work and time enough for it (study/work.hpp).
Planned plan(Experiment& experiment, const PointSource& source, const PlanQuestion& question);

}  // namespace gauntlet
