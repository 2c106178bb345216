// Faults that tamper with a host's clock and heartbeats: what policies notice of them, and what not.
#include "tests/campaign/small_worlds.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

/// What the policies see and order where a host crashes, and before and after that another is tampered with.
std::string decisions(Tampering tampers, bool strikes) {
  FaultKind crash;
  crash.name = "crash";
  crash.trace = {{kStart + 2 * kHour, 3}};
  FaultKind tampering;
  tampering.name = "tampering";
  tampering.effect = Effect::none;
  tampering.tampers = tampers;
  tampering.remedy = Remedy::restart;
  tampering.life = Law::exponential(1e15);
  if (tampers != Tampering::clock) tampering.heals_after = Law::constant(100);
  if (strikes)
    for (const Duration at : {kHour, 2 * kHour, 3 * kHour}) tampering.trace.emplace_back(kStart + at, 5);
  World world = eight_hosts();
  add_faults(world, {crash, tampering}, 0);
  const PolicyConstants policies = every_detector();
  Simulation simulation(world, policies);
  simulation.run({.seed = 1, .replica = 0});
  return transcript(simulation.record());
}

TEST(Tampering, AClockAndRepeatedHeartbeatsAreNotNoticed) {
  for (const Tampering tampers : {Tampering::clock, Tampering::repeated_heartbeats})
    EXPECT_EQ(decisions(tampers, true), decisions(tampers, false));
}

TEST(Tampering, HeartbeatsThatStayAwayAreNoticed) {
  for (const Tampering tampers : {Tampering::late_heartbeats, Tampering::partition})
    EXPECT_NE(decisions(tampers, true), decisions(tampers, false));
  EXPECT_EQ(decisions(Tampering::late_heartbeats, true), decisions(Tampering::partition, true));
}

}  // namespace
}  // namespace gauntlet
