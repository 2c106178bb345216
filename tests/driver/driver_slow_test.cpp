// The simulated drills of driver_test and more: seeds 1 to 20,000. Not every larger seed holds yet: of seeds 1 to 100,000
// four fail, 22598, 60907, 61768 and 76700, all where one driver takes over from another or an agent does not begin.
// `SEED=22598 build/tests/driver_test` repeats one.
#include "tests/driver/seeds.hpp"

namespace gauntlet {
namespace {

TEST(ManySimulatedDrills, Hold) { expect_drills_hold(1, 20'000); }

}  // namespace
}  // namespace gauntlet
