// The simulated cluster does what the reference cluster does, on random small scenarios.
#include "tests/reference/random_runs.hpp"

#include <gtest/gtest.h>

namespace gauntlet::reference {
namespace {

TEST(Reference, AgreesWithTheSimulatedClusterOnRandomScenarios) {
  compare_random_scenarios(1, 200, "reference_test");
}

}  // namespace
}  // namespace gauntlet::reference
