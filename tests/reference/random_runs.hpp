// Runs random scenarios on both clusters. A scenario that shows a difference is made smaller and printed with the command that
// repeats it.
#pragma once

#include <cstdint>
#include <string>

namespace gauntlet::reference {

/// `count` scenarios from `seed` on; SEED and COUNT of the environment take their place.
void compare_random_scenarios(std::uint64_t seed, std::uint64_t count, const std::string& program);

}  // namespace gauntlet::reference
