// Renewal counts of ageing hosts, through the whole simulator: 2,048 hosts of mean life 6,335 h over 200 days, each
// repaired at once by new parts. A stationary process of that rate gives 2,048 x 4,800 h / 6,335 h = 1,552 failures
// whatever the law. With all parts new, infant mortality (shape 0.7) fails more often at first and wear (1.5) less:
// 2,048 times the renewal function at 4,800 h, 2,296 and 1,043.
#include "study/replica.hpp"
#include "tests/oracles/worlds.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

double mean_failures(double shape, bool stationary) {
  constexpr double kHour = 3600;
  World world = one_fault_world(2048, Law::weibull_with_mean(6335 * kHour, shape));
  world.faults[0].stationary_ages = stationary;
  world.job.step_time = std::chrono::seconds(5);
  world.job.window = std::chrono::hours(200 * 24);
  const PolicyConstants policies = instant_policies(std::chrono::minutes(30));
  Simulation simulation(world, policies);
  constexpr std::uint32_t kReplicas = 20;  // standard error of the mean below 0.5%
  double failures = 0;
  for (std::uint32_t replica = 0; replica < kReplicas; ++replica) {
    failures += simulation.run({.seed = 7, .replica = replica}).faults[0];
  }
  return failures / kReplicas;
}

TEST(Renewals, StationaryAgesGiveTheLongRunRate) {
  EXPECT_NEAR(mean_failures(0.7, true), 1552, 15.5);
  EXPECT_NEAR(mean_failures(1.5, true), 1552, 15.5);
}

TEST(Renewals, NewPartsGiveTheRenewalFunction) {
  EXPECT_NEAR(mean_failures(0.7, false), 2296, 23);
  EXPECT_NEAR(mean_failures(1.5, false), 1043, 10.4);
}

}  // namespace
}  // namespace gauntlet
