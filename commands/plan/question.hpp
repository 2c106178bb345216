// What a plan is asked.
#pragma once

#include <cstdint>

namespace gauntlet {

struct PlanQuestion {
  double tokens = 0;       // the work (study/work.hpp)
  double finish_by_s = 0;  // after the start
  double confidence = 0.95;
  std::uint32_t replicas = 200;  // of every variant that is reported
  std::uint64_t seed = 0;
  bool uncertainty = false;  // carry it into the results too
};

}  // namespace gauntlet
