// Many seeds, and what is printed of one that fails.
#pragma once

#include "tests/driver/simulated_drill.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace gauntlet {

/// Simulates so many drills, or $SEEDS of them; or with $SEED in the environment that one, and prints its trace. Prints
/// statistics.
void expect_drills_hold(std::uint64_t first_seed, std::uint64_t seeds);

}  // namespace gauntlet
