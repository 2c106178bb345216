// The simulated cluster does what the reference cluster does, on 1,000 random small scenarios.
#include "tests/reference/random_runs.hpp"

#include <gtest/gtest.h>

namespace gauntlet::reference {
namespace {

TEST(Reference, AgreesWithTheSimulatedClusterOn1000RandomScenarios) {
  compare_random_scenarios(1, 1000, "reference_reference_slow_test");
}

}  // namespace
}  // namespace gauntlet::reference
