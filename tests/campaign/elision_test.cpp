// Full and elided telemetry give the same observations, for every detector and fault kind.
#include "tests/campaign/small_worlds.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

/// The first line in which two transcripts differ, with the one before it.
std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream in_a(a), in_b(b);
  std::string line_a, line_b, before;
  while (true) {
    const bool more_a = static_cast<bool>(std::getline(in_a, line_a));
    const bool more_b = static_cast<bool>(std::getline(in_b, line_b));
    if (!more_a && !more_b) return "";
    if (more_a != more_b || line_a != line_b) {
      return "after: " + before + "\nelided: " + (more_a ? line_a : "(end)") +
             "\nfull:   " + (more_b ? line_b : "(end)");
    }
    before = line_a;
  }
}

void expect_same(const World& world, const PolicyConstants& policies, std::uint64_t seed,
                 const std::string& what) {
  Simulation elided(world, policies), full(world, policies);
  elided.run({.seed = seed, .replica = 0});
  full.run({.seed = seed, .replica = 0, .full_telemetry = true});
  const std::string difference = first_difference(transcript(elided.record()), transcript(full.record()));
  EXPECT_EQ(difference, "") << what << ", seed " << seed;
}

TEST(Elision, OneFaultKindAtATime) {
  for (const FaultKind& kind : every_fault()) {
    World world = eight_hosts();
    FaultKind striking = kind;
    striking.life = Law::exponential(20 * 3600);
    add_faults(world, {striking}, 0.8);
    world.telemetry.gap_mtbf = 50 * kHour;
    world.telemetry.gap_duration = Law::exponential(60);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) expect_same(world, every_detector(), seed, kind.name);
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
        expect_same(world, policies, seed, std::string(checkpoint) + ", " + recover);
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
  expect_same(world, every_detector(), 1, "round times");
}

}  // namespace
}  // namespace gauntlet
