// Many more simulated drills than driver_test has, with other seeds.
#include "tests/driver/seeds.hpp"

namespace gauntlet {
namespace {

TEST(ManySimulatedDrills, Hold) { expect_drills_hold(1'000'000, 100'000); }

}  // namespace
}  // namespace gauntlet
