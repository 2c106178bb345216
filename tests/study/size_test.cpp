#include "study/size.hpp"

#include "models/step/step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gauntlet {
namespace {

/// tiny-8: 8 hosts of 8 GPUs, tp x pp x dp = 4 x 2 x 8, 512 sequences in micro batches of 4.
PointSource source(const std::vector<std::string>& sets = {}) { return {"scenarios/tiny-8.toml", sets, 1}; }

Scenario scenario(const PointSource& source, const Settings& settings = {}) {
  const LoadedPoint loaded = source.point(settings);
  EXPECT_TRUE(loaded.point) << (loaded.problems.empty() ? "" : loaded.problems[0].text());
  return loaded.point->scenario;
}

std::string problem(const Scenario& base, std::uint64_t gpus, BatchScaling batch) {
  const Resized out = resized(base, gpus, batch);
  EXPECT_TRUE(out.settings.empty() || !out.problem);
  return out.problem ? out.problem->text() : "";
}

TEST(Size, AResizedJobIsAScenarioOfThatSize) {
  const PointSource tiny = source();
  const Scenario base = scenario(tiny);
  EXPECT_EQ(size_unit(base), 8U);
  EXPECT_EQ(size_of(base), 64U);
  EXPECT_TRUE(resized(base, 64, BatchScaling::kept).settings.empty());
  for (const std::uint64_t gpus : {8U, 56U, 80U, 4096U}) {
    const World world = scenario(tiny, resized(base, gpus, BatchScaling::scaled).settings).world;
    EXPECT_EQ(std::uint64_t{world.inventory.job_hosts} * world.inventory.gpus_per_host, gpus);
    EXPECT_EQ(world.job.layout.dp, gpus / 8);
    EXPECT_EQ(world.job.global_batch, 64 * gpus / 8);  // each replica keeps its sequences
  }
  const World kept = scenario(tiny, resized(base, 128, BatchScaling::kept).settings).world;
  EXPECT_EQ(kept.job.layout.dp, 16U);
  EXPECT_EQ(kept.job.global_batch, 512U);
}

TEST(Size, AJobThatGrowsKeepsItsStagesOnWholeHosts) {
  // A stage of tiny is 8 replicas of 4 GPUs: 4 hosts. One replica more would be half a host.
  EXPECT_EQ(growth_unit(scenario(source())), 16U);
  // 9 replicas share a host between two stages already.
  EXPECT_EQ(growth_unit(scenario(source({"job.layout.dp=9", "cluster.hosts=9", "job.global_batch=576"}))),
            8U);
  EXPECT_EQ(growth_unit(scenario(source({"job.layout.tp=8", "job.layout.pp=1"}))), 8U);
}

TEST(Size, AHostBetweenTwoStagesSlowsTheirTraffic) {
  const PointSource tiny = source();
  const Scenario base = scenario(tiny);
  const auto step = [&](std::uint64_t gpus) {
    return StepModel(scenario(tiny, resized(base, gpus, BatchScaling::scaled).settings).world).healthy();
  };
  EXPECT_GT(step(64 + size_unit(base)), step(64 + growth_unit(base)));
}

TEST(Size, ReplicasThatFillNoHostGrowTogether) {
  // 12 GPUs of a replica, 8 of a host: two replicas, three hosts.
  const Scenario base = scenario(source({"job.layout.pp=3", "job.layout.dp=2", "cluster.hosts=3"}));
  EXPECT_EQ(size_unit(base), 24U);
  EXPECT_EQ(
      problem(base, 36, BatchScaling::scaled),
      "36 GPUs are not whole pipeline replicas of tp x pp = 4 x 3 in whole hosts of 8; 24 or 48 would work");
}

TEST(Size, WhatDoesNotWorkSaysWhatDoes) {
  const Scenario base = scenario(source());
  EXPECT_EQ(problem(base, 80, BatchScaling::scaled), "");
  EXPECT_EQ(
      problem(base, 80, BatchScaling::kept),
      "80 GPUs have dp = 10, which with micro_batch = 4 does not divide the global batch of 512 that is to "
      "be kept; 64 or 128 would work");
  // 512 sequences are 128 micro batches, one for each of 128 replicas.
  EXPECT_THAT(problem(base, 2048, BatchScaling::kept), testing::EndsWith("; 1024 would work"));
  EXPECT_EQ(problem(base, 0, BatchScaling::kept), "0 GPUs are not a size that a job can have; 8 would work");
  EXPECT_THAT(problem(base, ~std::uint64_t{0} / 8 * 8, BatchScaling::scaled),
              testing::EndsWith("; 80000000 would work"));
}

TEST(Size, VirtualStagesAndExpertGroupsStayWhole) {
  const Scenario interleaved = scenario(source({"job.layout.virtual_stages=2"}));
  // 128 micro-batches on 128 replicas leave one each, and two stages want two.
  EXPECT_THAT(problem(interleaved, 1024, BatchScaling::kept),
              testing::HasSubstr("groups of pp = 2 micro-batches"));
  EXPECT_THAT(problem(interleaved, 1024, BatchScaling::kept), testing::EndsWith("; 512 would work"));
  EXPECT_EQ(problem(interleaved, 512, BatchScaling::kept), "");
  Scenario experts = scenario(source());
  experts.world.job.layout.ep = 4;
  EXPECT_EQ(problem(experts, 80, BatchScaling::scaled),
            "80 GPUs have dp = 10, which expert-parallel groups of 4 do not divide; 64 or 96 would work");
  // A search in steps of this size meets no other.
  EXPECT_EQ(size_unit(experts), 32U);
  for (std::uint64_t units = 1; units < 20; ++units)
    EXPECT_EQ(problem(experts, units * 32, BatchScaling::scaled), "");
}

TEST(Size, WarmSparesAreThoseThatCountSays) {
  const Scenario base = scenario(source({"spares.count=3", "spares.cold=2", "spares.pool=4"}));
  EXPECT_EQ(base.world.inventory.spares, 9U);
  EXPECT_EQ(warm_spares(base.world), 3U);
}

TEST(Size, TheNearestIsTheSmallerOfTwo) {
  const Scenario base = scenario(source());
  const auto nearest = [&](std::uint64_t gpus, BatchScaling batch) {
    return nearest_size(base, gpus, batch);
  };
  EXPECT_EQ(nearest(0, BatchScaling::scaled), 8U);
  EXPECT_EQ(nearest(67, BatchScaling::scaled), 64U);
  EXPECT_EQ(nearest(68, BatchScaling::scaled), 64U);  // as near as 72
  EXPECT_EQ(nearest(69, BatchScaling::scaled), 72U);
  EXPECT_EQ(nearest(96, BatchScaling::kept), 64U);  // as near as 128
  EXPECT_EQ(nearest(97, BatchScaling::kept), 128U);
  EXPECT_EQ(nearest(1'000'000, BatchScaling::kept), 1024U);
  for (std::uint64_t gpus = 0; gpus < 1200; gpus += 7)
    for (const BatchScaling batch : {BatchScaling::scaled, BatchScaling::kept})
      EXPECT_EQ(problem(base, nearest(gpus, batch), batch), "") << gpus;
}

TEST(Size, AMeasuredStepTimeChangesAsTheModelsDoes) {
  const PointSource modelled = source(), measured = source({"job.step_time=3s"});
  const Scenario base = scenario(modelled);
  for (const BatchScaling batch : {BatchScaling::scaled, BatchScaling::kept}) {
    const Settings settings = resized(base, 256, batch).settings;
    const double ratio = to_seconds(StepModel(scenario(modelled, settings).world).healthy()) /
                         to_seconds(StepModel(base.world).healthy());
    const World grown = scenario(measured, resized(scenario(measured), 256, batch).settings).world;
    EXPECT_NEAR(to_seconds(grown.job.step_time), 3 * ratio, 1e-6);
    EXPECT_EQ(ratio < 0.5, batch == BatchScaling::kept);  // a quarter of the sequences each, or as many
  }
}

}  // namespace
}  // namespace gauntlet
