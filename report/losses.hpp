// Where the lost time went, most first.
#pragma once

#include "study/summary/summary.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct Loss {
  std::string name;             // of the phase or the cause
  double seconds = 0;           // a run, on average
  std::optional<double> times;  // that the cause struck, a run, on average; phases have none
};

/// Those that cost anything. They add up to the lost time, as each nanosecond has one phase and one cause.
std::vector<Loss> losses_by_phase(const Summary& summary);
std::vector<Loss> losses_by_cause(const Summary& summary);
double total(const std::vector<Loss>& losses);

}  // namespace gauntlet
