// The simulated drills of driver_test and more: as many as a slow test has time for. `SEEDS=100000` simulates so many, which
// takes two to three minutes; `SEED=22598 build/tests/driver_test` repeats one.
#include "tests/driver/seeds.hpp"

namespace gauntlet {
namespace {

TEST(ManySimulatedDrills, Hold) { expect_drills_hold(1, 10'000); }

}  // namespace
}  // namespace gauntlet
