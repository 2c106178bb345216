// One at a time: what each parameter that is not known does to the result at its low and at its high end.
#pragma once

#include "commands/plan/result.hpp"
#include "study/experiment.hpp"
#include "study/point.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

struct SensitivityOptions {
  std::uint64_t seed = 0;
  std::uint32_t replicas = 200;  // at most, of each end
  std::size_t rates = 8;         // fault rates with a posterior: those whose faults cost the most time
};

struct Sensitivities {
  std::optional<Tornado> tornado;  // absent where the experiment was stopped, or an end is not a scenario
  std::vector<Problem> problems;
};

/// Of `point`, which `settings` make of `source`. The target is the median finishing time, or ETTR where the scenario has no
/// work to finish; both ends meet the same faults as the point. Replicas double until every
/// change is known to a character of the chart, or there are `replicas`.
Sensitivities sensitivity(Experiment& experiment, const PointSource& source, const Settings& settings,
                          PointNumber point, const SensitivityOptions& options);

}  // namespace gauntlet
