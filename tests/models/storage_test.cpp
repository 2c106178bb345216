#include "models/storage.hpp"

#include "tests/models/published_jobs.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// 1,000 parameters of 14 bytes on 4 GPUs: 14,000 bytes, 3,500 for each GPU.
World small(CheckpointMode mode) {
  World world;
  world.job.model.parameters = 1000;
  world.job.layout = {.tp = 2, .dp = 2};
  world.hardware.pcie = {7000};
  world.storage.mode = mode;
  world.storage.write = {1000};
  world.storage.read = {2000};
  return world;
}

TEST(CheckpointSize, IsBytesPerParameterTimesParameters) {
  EXPECT_EQ(checkpoint_size(small(CheckpointMode::synchronous)).value, 14'000);
}

TEST(CheckpointSize, AgreesWithPublishedSizes) {
  World world;
  ASSERT_EQ(world.storage.bytes_per_parameter, 14);
  // BLOOM: 2.3 TB, where "TB" is 2^40 bytes, as the 329 "GB" of its 2-byte weights show (2 x 176.247e9 bytes
  // is 328.3 GiB): https://bigscience.notion.site/BigScience-176B-Model-ad073ca07cdf479398d5f95d88e218c4
  // Its 176,247,271,424 parameters: https://huggingface.co/bigscience/bloom
  world.job.model.parameters = 176'247'271'424;
  EXPECT_NEAR(checkpoint_size(world).value / (2.3 * 1024 * 1024 * 1024 * 1024), 1, 0.03);
  // Megatron-LM's trillion-parameter model: 13.8 TB, https://arxiv.org/abs/2104.04473, section 5.10.
  // 1,008.0e9 parameters: table 1.
  world.job.model.parameters = 1008e9;
  EXPECT_NEAR(checkpoint_size(world).value / 13.8e12, 1, 0.03);
}

TEST(CheckpointCosts, SynchronousWaitsForTheLastByte) {
  EXPECT_EQ(checkpoint_costs(small(CheckpointMode::synchronous)), (CheckpointCosts{14s, 0s, 7s}));
}

TEST(CheckpointCosts, TwoStagesWaitForTheCopyAlone) {
  EXPECT_EQ(checkpoint_costs(small(CheckpointMode::two_stage)), (CheckpointCosts{500ms, 14s, 7s}));
}

TEST(CheckpointCosts, WhatWasMeasuredWins) {
  for (const CheckpointMode mode : {CheckpointMode::synchronous, CheckpointMode::two_stage}) {
    World world = small(mode);
    world.storage.stall = 1s;
    world.storage.persist = 2s;
    world.storage.load = 3s;
    EXPECT_EQ(checkpoint_costs(world), (CheckpointCosts{1s, 2s, 3s}));
    world.hardware.pcie = world.storage.write = world.storage.read = {};  // then no bandwidth is needed
    EXPECT_EQ(checkpoint_costs(world), (CheckpointCosts{1s, 2s, 3s}));
    world.storage.free = true;
    EXPECT_EQ(checkpoint_costs(world), (CheckpointCosts{1s, 2s, 3s}));
  }
}

TEST(CheckpointCosts, OneMeasuredCostLeavesTheOthers) {
  World world = small(CheckpointMode::two_stage);
  world.storage.load = 3s;
  EXPECT_EQ(checkpoint_costs(world), (CheckpointCosts{500ms, 14s, 3s}));
}

TEST(CheckpointCosts, FreeStorageCostsWhatWasMeasuredAlone) {
  World world = small(CheckpointMode::two_stage);
  world.storage.free = true;
  EXPECT_EQ(checkpoint_costs(world), CheckpointCosts{});
  world.storage.stall = 1s;
  EXPECT_EQ(checkpoint_costs(world), (CheckpointCosts{1s, 0s, 0s}));
}

TEST(CheckpointCosts, Llama3FitsItsPublishedStorage) {
  // 2 TB/s sustained and 1 MB to 4 GB of state per GPU: https://arxiv.org/abs/2407.21783, section 3.3.1
  World world = llama3(128);
  world.storage.write = world.storage.read = {2e12};
  const double share = checkpoint_size(world).value / world.job.layout.ranks();
  EXPECT_GT(share, 1e6);
  EXPECT_LT(share, 4e9);
  // 405e9 x 14 bytes / 2e12 B/s
  EXPECT_EQ(checkpoint_costs(world).persist, 2835ms);
}

TEST(CheckpointCostsDeathTest, NeedsABandwidthOrAMeasurement) {
  World world = small(CheckpointMode::two_stage);
  world.storage.write = {};
  EXPECT_DEATH(checkpoint_costs(world), "has a bandwidth");
}

}  // namespace
}  // namespace gauntlet
