// The logs of a run beside its record: with them a recording holds all that the score reads.
#pragma once

#include "core/record/progress.hpp"
#include "core/record/truth.hpp"

#include <cstdint>

namespace gauntlet {

struct RunLogs {
  TruthLog truth;
  ProgressLog progress;
  /// Faults of the plan that a drill injected; 0 with --no-faults. A simulation draws its faults as it goes and has 0.
  std::uint64_t planned_faults = 0;
};

}  // namespace gauntlet
