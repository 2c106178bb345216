// Full and elided telemetry give the same observations, for every detector and fault kind.
#include "tests/campaign/full_and_elided.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

TEST(Elision, OneFaultKindAtATime) {
  for (const FaultKind& kind : every_fault()) {
    World world = eight_hosts();
    FaultKind striking = kind;
    striking.life = Law::exponential(20 * 3600);
    add_faults(world, {striking}, 0.8);
    world.telemetry.gap_mtbf = 50 * kHour;
    world.telemetry.gap_duration = Law::exponential(60);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) expect_same_run(world, every_detector(), seed, kind.name);
  }
}

TEST(Elision, EveryFaultKindTogetherUnderEveryPolicy) {
  World world = eight_hosts();
  std::vector<FaultKind> faults = every_fault();
  for (FaultKind& kind : faults) kind.life = Law::weibull_with_mean(150 * 3600, 0.8);
  add_faults(world, faults, 0.6);
  world.telemetry.gap_mtbf = 30 * kHour;
  world.telemetry.gap_duration = Law::lognormal(50, 1);
  world.job.window = 4 * 24 * kHour;
  world.job.planned_stops = {{kStart + 20 * kHour, 10 * kMinute}, {kStart + 50 * kHour, 10 * kMinute}};
  for (const char* checkpoint : {"fixed", "young", "daly"}) {
    for (const char* recover : {"replace", "restart-in-place"}) {
      PolicyConstants policies = every_detector();
      policies.names.checkpoint = checkpoint;
      policies.names.recover = recover;
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        expect_same_run(world, policies, seed, std::string(checkpoint) + ", " + recover);
      }
    }
  }
}

TEST(Elision, EventsAtRoundTimesTieTheSameWay) {
  // Steps end at multiples of 10 s after the start, and so do these faults: every tie that there is.
  World world = eight_hosts();
  std::vector<FaultKind> faults = every_fault();
  for (std::size_t k = 0; k < faults.size(); ++k) {
    for (std::uint32_t n = 0; n < 6; ++n) {
      const auto at = kStart + kMinute + 10 * kSecond * static_cast<std::int64_t>(7 * k + 100 * n);
      faults[k].trace.push_back({at, static_cast<std::uint32_t>((k + n) % 8)});
    }
  }
  add_faults(world, faults, 1);
  world.telemetry.heartbeat_jitter = Duration::zero();
  expect_same_run(world, every_detector(), 1, "round times");
}

}  // namespace
}  // namespace gauntlet
