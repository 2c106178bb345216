// Runs random scenarios on both clusters. A scenario that shows a difference is made smaller and printed with the command that
// repeats it.
#pragma once

#include <cstdint>
#include <string>

namespace gauntlet::reference {

/// `count` scenarios from `seed` on; SEED and COUNT of the environment take their place. FAILURES of them are printed, else
/// one. With SCENARIO=FILE, that scenario alone, with seed SEED.
void compare_random_scenarios(std::uint64_t seed, std::uint64_t count, const std::string& program);

}  // namespace gauntlet::reference
