// A few thousand simulated drills. `SEED=7 build/tests/driver_test` repeats one and prints what happens in it;
// `SEEDS=1000000` simulates so many.
#include "tests/driver/seeds.hpp"

namespace gauntlet {
namespace {

#ifdef GAUNTLET_SANITIZED
constexpr int kSeeds = 200;
#else
constexpr int kSeeds = 3000;
#endif

TEST(SimulatedDrills, Hold) { expect_drills_hold(1, kSeeds); }

TEST(SimulatedDrills, AreFunctionsOfTheirSeeds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SimulatedDrillReport first = simulate_drill(seed);
    const SimulatedDrillReport second = simulate_drill(seed);
    EXPECT_EQ(first.fingerprint, second.fingerprint) << "seed " << seed;
    EXPECT_EQ(first.events, second.events) << "seed " << seed;
  }
}

}  // namespace
}  // namespace gauntlet
