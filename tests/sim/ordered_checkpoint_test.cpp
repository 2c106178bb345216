// A checkpoint that was asked for: what the watch on periodic ones tells of it.
#include "tests/sim/hand_driven.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

// Periodic checkpoints to storage are due after 60 s of training. One is asked for at 15.5 s and taken after 16 steps; the next
// periodic ones come 60 and 120 steps later. Each blocks training for as long as the row says.
TEST(ACheckpointThatWasAskedFor, IsNoSampleOfThePeriodicOnes) {
  const struct {
    Duration stall;
    std::vector<Duration> sensed;
  } table[] = {{0s, {76s, 136s}}, {3s, {82s, 145s}}};
  for (const auto& row : table) {
    for (const TelemetryKind telemetry : {TelemetryKind::elided, TelemetryKind::full}) {
      World world = tiered_world();
      world.storage.stall = row.stall;
      Driver driver(world, telemetry);
      driver.give(Watch{WatchId{1}, Signal::checkpoint_stall, Scope{.kind = ComponentKind::job}, Sample{2}});
      driver.run_until(kStart + 15s + 500ms);
      const Outcome saved = driver.give(Checkpoint{JobId{0}});
      EXPECT_EQ(std::get<Saved>(saved.result).step, 16);
      std::vector<Duration> sensed;
      for (const Seen& seen : driver.heard_until(kStart + 300s)) sensed.push_back(seen.sensed - kStart);
      EXPECT_EQ(sensed, row.sensed);
    }
  }
}

}  // namespace
}  // namespace gauntlet
