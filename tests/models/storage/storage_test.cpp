#include "models/storage/storage.hpp"

#include "tests/models/published_jobs.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// 1,000 parameters of 14 bytes on 2 hosts of 2 GPUs: 14,000 bytes, 3,500 for each GPU. 2,000 of them are weights, which both
/// replicas hold whole: 1,000 for each of the two data-parallel groups, a NIC of their own each.
World small(CheckpointMode mode) {
  World world;
  world.job.model.parameters = 1000;
  world.job.layout = {.tp = 2, .dp = 2};
  world.hardware.gpus_per_host = world.hardware.nics_per_host = 2;
  world.hardware.nvlink = {1e9};
  world.hardware.nic = {4000};
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
  EXPECT_EQ(checkpoint_costs(small(CheckpointMode::synchronous))[Tier::storage],
            (TierCosts{14s, 0s, {7250ms, 8s}}));
}

TEST(CheckpointCosts, TwoStagesWaitForTheCopyAlone) {
  EXPECT_EQ(checkpoint_costs(small(CheckpointMode::two_stage))[Tier::storage],
            (TierCosts{500ms, 14s, {7250ms, 8s}}));
}

TEST(CheckpointCosts, WhatWasMeasuredWins) {
  for (const CheckpointMode mode : {CheckpointMode::synchronous, CheckpointMode::two_stage}) {
    World world = small(mode);
    world.storage.stall = 1s;
    world.storage.persist = 2s;
    world.storage.load = 3500ms;
    EXPECT_EQ(checkpoint_costs(world)[Tier::storage], (TierCosts{1s, 2s, {3500ms, 4s}}));
    world.hardware.pcie = world.storage.write = world.storage.read = {};  // then no bandwidth is needed
    EXPECT_EQ(checkpoint_costs(world)[Tier::storage], (TierCosts{1s, 2s, {3500ms, 4s}}));
    world.storage.free = true;
    EXPECT_EQ(checkpoint_costs(world)[Tier::storage], (TierCosts{1s, 2s, {3500ms, 4s}}));
  }
}

TEST(CheckpointCosts, OneMeasuredCostLeavesTheOthers) {
  World world = small(CheckpointMode::two_stage);
  world.storage.load = 3500ms;
  EXPECT_EQ(checkpoint_costs(world)[Tier::storage], (TierCosts{500ms, 14s, {3500ms, 4s}}));
}

TEST(CheckpointCosts, FreeStorageCostsWhatWasMeasuredAlone) {
  World world = small(CheckpointMode::two_stage);
  world.storage.free = true;
  EXPECT_EQ(checkpoint_costs(world)[Tier::storage], TierCosts{});
  world.storage.stall = 1s;
  EXPECT_EQ(checkpoint_costs(world)[Tier::storage], (TierCosts{1s, 0s, {0s, 0s}}));
}

TEST(CheckpointCosts, AnIncrementTakesItsShareAndIsAppliedWhenTheStateIsLoaded) {
  World world = small(CheckpointMode::two_stage);
  const CheckpointCosts whole = checkpoint_costs(world);
  EXPECT_EQ(whole[Tier::memory].per_increment, 0s);
  world.storage.memory.increment = world.storage.peers.increment = 0.25;
  world.storage.memory.apply = 100ms;
  const CheckpointCosts costs = checkpoint_costs(world);
  EXPECT_EQ(costs[Tier::memory], (TierCosts{125ms, 0s, {500ms, 500ms}, 225ms, 0.25}));
  EXPECT_EQ(costs[Tier::memory].whole_stall(), 500ms);
  EXPECT_EQ(costs[Tier::peers].whole_persist(), whole[Tier::peers].persist);
  EXPECT_EQ(costs[Tier::peers].stall, 125ms);
  EXPECT_EQ(costs[Tier::peers].persist, whole[Tier::peers].persist / 4);
  EXPECT_EQ(costs[Tier::peers].load, whole[Tier::peers].load);
  EXPECT_EQ(costs[Tier::peers].per_increment, whole[Tier::peers].load[0] / 4);
  EXPECT_EQ(costs[Tier::storage], whole[Tier::storage]);
  world.storage.memory.stall = 3ms;  // measured, of an increment
  EXPECT_EQ(checkpoint_costs(world)[Tier::memory].stall, 3ms);
}

// --- restore ---------------------------------------------------------------------------------------------------------

TEST(BytesToRead, CountWhatEachRankNeedsOrEachPartOnce) {
  World world = small(CheckpointMode::two_stage);
  EXPECT_EQ(bytes_to_read(world, Restore::one_reader).value, 14'000);
  EXPECT_EQ(bytes_to_read(world, Restore::every_rank).value, 2 * 2'000 + 12'000);
  world.job.training.distributed_optimizer = false;  // the optimizer's state too is in every replica
  EXPECT_EQ(bytes_to_read(world, Restore::one_reader).value, 14'000);
  EXPECT_EQ(bytes_to_read(world, Restore::every_rank).value, 2 * 14'000);
  // Then a reader reads all of its group's 7,000 bytes and broadcasts them: 7 s and 1.75 s.
  EXPECT_EQ(checkpoint_costs(world)[Tier::storage].load, (std::array<Duration, 2>{8750ms, 14s}));
}

TEST(BytesToRead, OneReaderTakesTheLoadOffStorageAtTheScaleOfMegaScale) {
  // 175e9 parameters on 12,288 GPUs, tp 8 and pp 8: sec. 6.1 of https://arxiv.org/abs/2402.15627. 192 replicas of 2 bytes and
  // 12 bytes once, against 14: 28.3 times as much.
  World world;
  world.hardware = a100();
  world.job.model.parameters = 175e9;
  world.job.layout = {.tp = 8, .pp = 8, .dp = 192};
  EXPECT_NEAR(bytes_to_read(world, Restore::every_rank) / bytes_to_read(world, Restore::one_reader),
              396.0 / 14, 1e-9);
  world.storage.stall = world.storage.persist = 1s;
  world.storage.read = {1e11};
  const TierCosts costs = checkpoint_costs(world)[Tier::storage];
  EXPECT_GE(costs.load[1], 5 * costs.load[0]);
  // 14 x 175e9 bytes at 100 GB/s, and 5.5 GB of each of 64 groups over a NIC of 25 GB/s.
  EXPECT_NEAR(to_seconds(costs.load[0]), 24.5 + 350e9 / 64 / 25e9, 1e-6);
}

TEST(CheckpointCosts, NarrowClientsHostsAndTenantsLeaveLessBandwidth) {
  World world = small(CheckpointMode::two_stage);
  const auto stored = [&] { return checkpoint_costs(world)[Tier::storage]; };
  world.storage.tenants = 0.5;
  EXPECT_EQ(stored().persist, 28s);
  EXPECT_EQ(stored().load, (std::array<Duration, 2>{14'250ms, 16s}));
  world.storage.tenants = 0;
  world.storage.write_per_host = {350};  // 2 hosts: 700 of 1,000
  EXPECT_EQ(stored().persist, 20s);
  world.storage.write_per_rank = {100};  // 4 ranks: 400
  EXPECT_EQ(stored().persist, 35s);
  // Two readers, both in the first host, read 2,000 bytes at 500 each; all four ranks the other 12,000.
  world.storage.read_per_rank = {500};
  EXPECT_EQ(stored().load, (std::array<Duration, 2>{2s + 6s + 250ms, 8s}));
  world.storage.read_per_host = {800};  // one host has the readers: 800, then 1,600
  EXPECT_EQ(stored().load, (std::array<Duration, 2>{2'500ms + 7'500ms + 250ms, 10s}));
}

TEST(CheckpointCosts, TiersInMemoryMoveEachGpusAndEachHostsShare) {
  World world = small(CheckpointMode::synchronous);
  world.storage.copies = 3;
  EXPECT_EQ(checkpoint_costs(world)[Tier::memory], (TierCosts{500ms, 0s, {500ms, 500ms}}));
  // 7,000 bytes of a host over its 8,000 B/s, to two others.
  EXPECT_EQ(checkpoint_costs(world)[Tier::peers], (TierCosts{500ms, 1750ms, {875ms, 875ms}}));
  world.storage.memory = {.stall = 1s, .persist = 2s, .load = 3s};
  world.storage.peers = {.stall = 4s, .persist = 5s, .load = 6s};
  world.hardware.pcie = world.hardware.nic = {};
  EXPECT_EQ(checkpoint_costs(world)[Tier::memory], (TierCosts{1s, 2s, {3s, 3s}}));
  EXPECT_EQ(checkpoint_costs(world)[Tier::peers], (TierCosts{4s, 5s, {6s, 6s}}));
}

TEST(CheckpointCosts, Llama3FitsItsPublishedStorage) {
  // 2 TB/s sustained and 1 MB to 4 GB of state per GPU: https://arxiv.org/abs/2407.21783, section 3.3.1
  World world = llama3(128);
  world.storage.write = world.storage.read = {2e12};
  const double share = checkpoint_size(world).value / world.job.layout.ranks();
  EXPECT_GT(share, 1e6);
  EXPECT_LT(share, 4e9);
  // 405e9 x 14 bytes / 2e12 B/s
  EXPECT_EQ(checkpoint_costs(world)[Tier::storage].persist, 2835ms);
}

TEST(CheckpointCostsDeathTest, NeedsABandwidthOrAMeasurement) {
  World world = small(CheckpointMode::two_stage);
  world.storage.write = {};
  EXPECT_DEATH(checkpoint_costs(world)[Tier::storage], "has a bandwidth");
}

}  // namespace
}  // namespace gauntlet
