// What wrong evictions cost in lost time (score/figures.hpp has the definition).
#pragma once

#include "core/time.hpp"
#include "score/figures.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gauntlet {

/// What happened in an incident that bears on its evictions.
struct EvictionEvent {
  enum class What : std::uint8_t {
    struck,     // a fault that was left in the job struck again
    right,      // a host of the job was evicted that had a fault which repair removes, or flapped
    wrong,      // one that had none
    asked_for,  // a spare was
    granted,    // it came
    started,    // the job was ordered to start
  };
  std::size_t incident = 0;
  Time at;
  What what = What::right;
};

/// Fills the cost of wrong evictions of every incident. Events of an incident that happen at one time are taken in the order
/// of the list above.
void charge_wrong_evictions(std::vector<EvictionEvent> events, Figures& figures);

}  // namespace gauntlet
