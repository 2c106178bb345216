// A gang whose steps take a second and whose checkpoints go to storage.
#pragma once

#include "sim/job/gang.hpp"

#include <chrono>

namespace gauntlet {

inline constexpr Pace kSecond{.step = std::chrono::seconds(1), .healthy_step = std::chrono::seconds(1)};

inline Gang::Checkpointing to_storage(Duration interval, Duration stall, Duration persist) {
  Gang::Checkpointing checkpointing;
  checkpointing[Tier::storage] = {.interval = interval, .stall = stall, .persist = persist};
  return checkpointing;
}

}  // namespace gauntlet
