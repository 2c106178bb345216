// Whether the draws of a scenario's uncertain parameters are valid scenarios. Nothing is run.
#pragma once

#include "study/point.hpp"

#include <cstdint>
#include <vector>

namespace gauntlet {

/// What is wrong with study.uncertain of a scenario that is sound itself: an end that the scenario cannot have, an end of the draws of
/// a distribution that has one, or a draw of a plan of this `seed`. The first mistake of each; empty where all are scenarios, and
/// where study.uncertain names nothing.
std::vector<Problem> check_draws(const PointSource& source, std::uint64_t seed);

}  // namespace gauntlet
