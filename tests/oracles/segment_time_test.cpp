// The mean wall time of a checkpointed segment against its closed form,
//
//   E[T(tau + C)] = exp(R/M) (M + D) (exp((tau + C)/M) - 1),
//
// exact for exponential faults that strike during training, checkpoints and restarts, never during the downtime D
// (J. T. Daly, FGCS 22(3), 2006, complete model, with a downtime added). One host, no spare: D is its repair.
#include "study/replica.hpp"
#include "tests/oracles/worlds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

namespace gauntlet {
namespace {

struct Point {
  double interval, checkpoint, mtbf, down, restart;  // minutes
  double segment;                                    // minutes, from the closed form
};
constexpr Point kPoints[] = {
    {60, 1, 180, 10, 5, 78.80244095134829},
    {30, 0.5, 106, 2, 8, 38.830488558082365},
    {5, 0.1, 13.8, 1, 3, 8.224005250612647},
};
constexpr std::uint64_t kSegmentSeeds[] = {1, 2, 3};

Duration minutes(double m) { return from_seconds(60 * m); }

TEST(SegmentTime, AgreesWithTheClosedForm) {
  constexpr std::uint32_t kReplicas = 70;
  constexpr std::int64_t kSegments = 10'000;  // a replica; 700,000 a seed
  constexpr std::int64_t kStepsPerSegment = 4;
  for (const Point& point : kPoints) {
    World world = one_fault_world(1, Law::exponential(60 * point.mtbf));
    world.job.step_time = minutes(point.interval / kStepsPerSegment);
    world.job.steps = kSegments * kStepsPerSegment;
    world.job.start.scheduling = Law::constant(60 * point.restart);
    world.storage.mode = CheckpointMode::synchronous;
    world.storage.stall = minutes(point.checkpoint);
    world.repair.time = Law::constant(60 * point.down);
    const PolicyConstants policies = instant_policies(minutes(point.interval));
    Simulation simulation(world, policies);
    for (const std::uint64_t seed : kSegmentSeeds) {
      double sum = 0, sum_of_squares = 0;
      for (std::uint32_t replica = 0; replica < kReplicas; ++replica) {
        const Figures& figures = simulation.run({.seed = seed, .replica = replica});
        ASSERT_EQ(figures.ending, Ending::completed);
        // One first start, and no checkpoint after the last step.
        const double extra = point.restart - point.checkpoint;
        const double segment = (to_seconds(figures.wall) / 60 - extra) / kSegments;
        sum += segment;
        sum_of_squares += segment * segment;
      }
      const double mean = sum / kReplicas;
      const double variance = (sum_of_squares - sum * mean) / (kReplicas - 1);
      const double error = std::sqrt(variance / kReplicas);
      const double z = (mean - point.segment) / error;
      EXPECT_LT(error / point.segment, 0.001) << "interval " << point.interval << " min, seed " << seed;
      EXPECT_LT(std::abs(z), 4) << "interval " << point.interval << " min, seed " << seed << ": mean " << mean
                                << " +- " << error << ", exact " << point.segment;
      std::printf(
          "interval %4.0f min, seed %llu: mean %.4f min, exact %.4f, standard error %.3f%%, z %+.2f\n",
          point.interval, static_cast<unsigned long long>(seed), mean, point.segment, 100 * error / mean, z);
    }
  }
}

}  // namespace
}  // namespace gauntlet
