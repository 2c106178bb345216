// Seconds of compute in one healthy step, by pipeline stage.
#pragma once

#include <vector>

namespace gauntlet {

struct StageTimings {
  std::vector<double> forward, backward;
};

}  // namespace gauntlet
