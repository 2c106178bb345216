#include "models/step/step.hpp"

#include "core/random/stream.hpp"
#include "tests/models/published_jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

ClusterState slow_host(std::uint32_t slot, SlowSegments slow) {
  ClusterState state;
  state.slow.push_back({slot, kWholeHost, slow});
  return state;
}
ClusterState slow_host(std::uint32_t slot, double factor) {
  return slow_host(slot, slow_in(Segment::all, factor));
}

ClusterState slow_nics(std::uint32_t slot, std::uint32_t nic, double factor) {
  ClusterState state;
  state.network.nics.push_back({slot, nic, factor});
  return state;
}

double ratio(const StepModel& model, const ClusterState& state) {
  return to_seconds(model.evaluate(state).total) / to_seconds(model.healthy());
}

Duration sum_of_parts(const StepTimes& step) {
  return step.compute + step.recompute + step.bubble + step.tensor + step.context + step.expert +
         step.latency + step.pipeline + step.data + step.optimizer;
}

/// States that touch every kind of degradation.
std::vector<ClusterState> many_states() {
  std::vector<ClusterState> states = {{},
                                      slow_host(0, 1.1),
                                      slow_host(17, 1.5),
                                      slow_host(17, slow_in(Segment::forward, 1.1)),
                                      slow_host(200, slow_in(Segment::optimizer, 3)),
                                      slow_nics(3, kAllNics, 4),
                                      slow_nics(3, 2, 10)};
  states.push_back(slow_host(17, 1.2));
  states.back().slow.push_back({190, 3, slow_in(Segment::backward, 1.4)});
  states.back().network.nics.push_back({400, kAllNics, 8});
  states.push_back({});
  states.back().stalled.push_back({33, kWholeHost, 4, 1.5});
  return states;
}

TEST(Step, PartsAddUpAndNoneIsNegative) {
  for (const World& world : {llama3(128), megascale(192)}) {
    const StepModel model(world);
    for (const ClusterState& state : many_states()) {
      const StepTimes step = model.evaluate(state);
      EXPECT_EQ(step.total, sum_of_parts(step));
      EXPECT_EQ(step.total, model.time(state));
      for (const Duration part :
           {step.compute, step.bubble, step.tensor, step.pipeline, step.data, step.optimizer})
        EXPECT_GE(part, 0ns);
      EXPECT_GE(step.total, model.healthy());
    }
  }
}

TEST(Step, EqualChunksTakeTheFormula) {
  World world = megascale(192);
  world.job.model.vocabulary = 0;  // no output matrix: every chunk is two layers
  const StepModel model(world);
  const StepTimes step = model.evaluate();
  EXPECT_EQ(step.total, model.healthy());
  EXPECT_EQ(step.total, model.formula());
  // m = 32, (p-1)/v = 7/6: the bubble repeats 7/6 of a micro-batch without its tensor-parallel collectives.
  const double of_micro_batches = to_seconds(step.compute + step.recompute + step.pipeline) / 32;
  EXPECT_NEAR(to_seconds(step.bubble), 7.0 / 6 * of_micro_batches, 1e-8);
  EXPECT_NEAR(step.mfu, step.model_flops.value / (to_seconds(step.total) * 12288 * 312e12), 1e-9);
}

TEST(Step, UnequalChunksTakeTheirSchedule) {
  // The output matrix lengthens the last of 48 chunks of two layers, and is less than the layer that Llama 3 leaves out.
  for (const auto& [world, below] : {std::pair{megascale(192), 0.001}, {llama3(128), 0.02}}) {
    const StepModel model(world);
    EXPECT_LT(model.healthy(), model.formula());
    EXPECT_NEAR(to_seconds(model.healthy()) / to_seconds(model.formula()), 1, below);
    EXPECT_NEAR(model.picture({}, 0).optimizer_end, to_seconds(model.healthy()), 1e-9);
  }
}

TEST(Step, H800DiffersFromH100InTheTensorTermAlone) {
  // 900 and 400 GB/s of NVLink: DeepSeek-V3, https://arxiv.org/abs/2505.09343
  World world = llama3(128);
  const StepTimes h100_step = StepModel(world).evaluate();
  world.hardware.nvlink = {400e9};
  const StepTimes h800_step = StepModel(world).evaluate();
  EXPECT_NEAR(to_seconds(h800_step.tensor) / to_seconds(h100_step.tensor), 2.25, 1e-8);
  EXPECT_NEAR(to_seconds(h800_step.bubble), to_seconds(h100_step.bubble), 2e-9);
  EXPECT_EQ(h800_step.compute, h100_step.compute);
  EXPECT_EQ(h800_step.latency, h100_step.latency);
  EXPECT_EQ(h800_step.pipeline, h100_step.pipeline);
  EXPECT_EQ(h800_step.data, h100_step.data);
  EXPECT_EQ(h800_step.optimizer, h100_step.optimizer);
}

TEST(Step, ASlowHostSlowsOnlyItsOwnSegments) {
  const StepModel model(megascale(192));
  const double all = ratio(model, slow_host(17, 1.1));
  const double forward = ratio(model, slow_host(17, slow_in(Segment::forward, 1.1)));
  const double backward = ratio(model, slow_host(17, slow_in(Segment::backward, 1.1)));
  EXPECT_GT(all, 1.05);
  EXPECT_LT(all, 1.09);
  EXPECT_GT(forward, 1.007);
  EXPECT_LT(forward, 1.03);
  EXPECT_GT(backward, forward);
  EXPECT_LT(backward, all);
  EXPECT_LT(ratio(model, slow_host(17, slow_in(Segment::optimizer, 1.1))), 1.001);
}

TEST(Step, AGpuThatIsSlowInItsBackwardPassRecomputesAsSlowly) {
  // One GPU that recomputes whole layers: nothing overlaps, so that each part takes its own factor.
  World world = megascale(192);
  world.job.layout = {.tp = 1, .pp = 1, .dp = 1};
  world.job.global_batch = world.job.micro_batch = 1;
  world.job.model.layers = 4;
  world.job.model.vocabulary = 0;  // which is not recomputed
  world.job.training.recompute = Recompute::full;
  world.inventory.job_hosts = 1;
  const StepModel model(world);
  const StepTimes healthy = model.evaluate(),
                  slow = model.evaluate(slow_host(0, slow_in(Segment::backward, 2)));
  ASSERT_GT(healthy.recompute, 0ns);
  // Twice the backward pass and the recomputation, and once the forward pass, which takes as long as the recomputation.
  const double backward = to_seconds(healthy.compute - healthy.recompute);
  EXPECT_NEAR(to_seconds(slow.total - healthy.total), backward + to_seconds(healthy.recompute),
              1e-6 * to_seconds(healthy.total));
}

TEST(Step, OneSlowGpuSlowsItsWholeTensorParallelGroup) {
  const StepModel model(megascale(192));
  ClusterState gpu;
  gpu.slow.push_back({17, 5, slow_in(Segment::all, 1.3)});
  EXPECT_EQ(model.evaluate(gpu).total, model.evaluate(slow_host(17, 1.3)).total);
}

TEST(Step, SlowHostsOfDifferentReplicasCostAsMuchAsTheWorst) {
  const StepModel model(megascale(192));
  ClusterState two = slow_host(3, 1.2);
  two.slow.push_back({4, kWholeHost, slow_in(Segment::all, 1.4)});  // the same stage of the next replica
  EXPECT_EQ(model.evaluate(two).total, model.evaluate(slow_host(4, 1.4)).total);
}

TEST(Step, DegradedNicsLengthenTransfersAndGradients) {
  const StepModel model(megascale(192));
  const StepTimes healthy = model.evaluate(), degraded = model.evaluate(slow_nics(17, kAllNics, 4));
  // Three times the wire time more, 16.5 GB at 25 GB/s (2 + 4 bytes a weight); what hides gradients does not grow.
  EXPECT_NEAR(to_seconds(degraded.data - healthy.data), 3 * 0.66, 0.05);
  EXPECT_GT(degraded.pipeline, healthy.pipeline);
  EXPECT_NEAR(to_seconds(degraded.tensor) / to_seconds(healthy.tensor), 1, 0.02);  // NVLink, on another path
  EXPECT_NEAR(to_seconds(degraded.compute), to_seconds(healthy.compute), 1e-9);
}

TEST(Step, AStallCostsAtMostItselfAndDependsOnWhen) {
  const StepModel model(megascale(192));
  for (const std::uint32_t micro_batch : {0u, 5u, 31u}) {
    ClusterState state;
    state.stalled.push_back({0, kWholeHost, micro_batch, 2.0});
    const double added = to_seconds(model.evaluate(state).total) - to_seconds(model.healthy());
    EXPECT_LE(added, 2.0 + 1e-9);
    EXPECT_GT(added, 0.5) << "micro-batch " << micro_batch;
  }
}

TEST(Step, AStallLastsItsSecondsWhateverTheStepIsMeasuredToTake) {
  World world = megascale(192);
  world.job.step_time = 20s;
  const StepModel model(world);
  ClusterState state;
  state.stalled.push_back({0, kWholeHost, 0, 4});
  EXPECT_NEAR(to_seconds(model.evaluate(state).total), 24, 1e-6);
}

TEST(Step, AFactorMultipliesEveryModelledTimeAndNoMeasuredOne) {
  World world = megascale(192);
  const StepModel plain(world);
  world.job.step_time_factor = 1.25;
  const StepModel factored(world);
  const double healthy = to_seconds(plain.healthy());
  EXPECT_NEAR(to_seconds(factored.healthy()), 1.25 * healthy, 1e-8);
  EXPECT_NEAR(to_seconds(factored.formula()), 1.25 * to_seconds(plain.formula()), 1e-8);
  const StepTimes before = plain.evaluate(), after = factored.evaluate();
  for (const Duration StepTimes::*part : {&StepTimes::total, &StepTimes::compute, &StepTimes::bubble,
                                          &StepTimes::tensor, &StepTimes::data, &StepTimes::optimizer})
    EXPECT_NEAR(to_seconds(after.*part), 1.25 * to_seconds(before.*part), 1e-7);
  EXPECT_NEAR(after.mfu, before.mfu / 1.25, 1e-12);
  ClusterState slow, stalled;
  slow.slow.push_back({.slot = 3, .slow = {.forward = 1.5, .backward = 1.5}});
  EXPECT_NEAR(to_seconds(factored.time(slow)), 1.25 * to_seconds(plain.time(slow)), 1e-7);
  stalled.stalled.push_back({0, kWholeHost, 0, 4});
  EXPECT_NEAR(to_seconds(factored.evaluate(stalled).total), 1.25 * healthy + 4, 1e-6)
      << "a stall lasts its seconds";
  world.job.step_time = 20s;
  EXPECT_EQ(StepModel(world).healthy(), 20s);
}

TEST(Step, AHostThatHoldsAWholePipelineStallsOnce) {
  World world = megascale(1);
  world.job.layout = {.pp = 8};
  world.job.global_batch = 64;
  const StepModel model(world);
  ClusterState state;
  state.stalled.push_back({0, kWholeHost, 0, 1.0});
  EXPECT_LE(to_seconds(model.evaluate(state).total - model.healthy()), 1.0 + 1e-6);
}

TEST(Step, ReplicasThatShareExpertsWaitForEachOther) {
  World world = megascale(2);
  world.job.model.experts = 8;
  world.job.model.experts_per_token = 2;
  world.job.model.expert_ffn_hidden = 4096;
  world.job.layout = {.tp = 8, .pp = 4, .dp = 4, .ep = 2};
  world.job.global_batch = 64;
  const StepModel model(world);
  // Hosts go dp, then pp: 0 and 5 are stages 0 and 1 of replicas 0 and 1, which share experts; 4 is stage 1 of replica 0.
  ClusterState same = slow_host(0, 1.5), peers = slow_host(0, 1.5);
  same.slow.push_back({4, kWholeHost, slow_in(Segment::all, 1.5)});
  peers.slow.push_back({5, kWholeHost, slow_in(Segment::all, 1.5)});
  EXPECT_EQ(model.evaluate(peers).total, model.evaluate(same).total);
}

TEST(Step, OneSlowNicCostsNoMoreThanAllOfThem) {
  World world = megascale(1);
  world.job.model.experts = 8;
  world.job.model.experts_per_token = 1;
  world.job.model.expert_ffn_hidden = 4096;
  world.job.layout = {.tp = 8, .pp = 2, .dp = 4, .ep = 2};
  world.job.global_batch = 64;
  const Duration one = StepModel(world).evaluate(slow_nics(0, kAllNics, 10)).total;
  const StepTimes healthy = StepModel(world).evaluate(),
                  degraded = StepModel(world).evaluate(slow_nics(0, kAllNics, 10));
  EXPECT_NEAR(to_seconds(degraded.tensor) / to_seconds(healthy.tensor), 1, 0.02);  // NVLink
  EXPECT_GT(degraded.expert, healthy.expert);
  ClusterState all;
  for (std::uint32_t slot = 0; slot < 8; ++slot) all.network.nics.push_back({slot, kAllNics, 10});
  EXPECT_LE(one, StepModel(world).evaluate(all).total);
}

TEST(Step, RepairsNeverCostAndDegradationsNeverHelp) {
  const World world = megascale(8);
  const StepModel model(world);
  Stream chance({.study = 20261121}, stream_name("test.states"));
  for (int i = 0; i < 200; ++i) {
    ClusterState state, worse;
    for (std::uint64_t n = chance.bits() % 4; n-- > 0;)
      state.slow.push_back(
          {static_cast<std::uint32_t>(chance.bits() % 64),
           chance.bits() % 2 == 0 ? kWholeHost : static_cast<std::uint32_t>(chance.bits() % 8),
           slow_in(static_cast<Segment>(chance.bits() % 4), 1 + chance.uniform())});
    for (std::uint64_t n = chance.bits() % 3; n-- > 0;)
      state.network.nics.push_back(
          {static_cast<std::uint32_t>(chance.bits() % 64),
           chance.bits() % 2 == 0 ? kAllNics : static_cast<std::uint32_t>(chance.bits() % 8),
           1 + 9 * chance.uniform()});
    std::sort(state.slow.begin(), state.slow.end());
    std::sort(state.network.nics.begin(), state.network.nics.end());
    const StepTimes step = model.evaluate(state);
    EXPECT_EQ(step.total, sum_of_parts(step));
    for (const Duration part :
         {step.compute, step.bubble, step.tensor, step.pipeline, step.data, step.optimizer})
      EXPECT_GE(part, 0ns) << "state " << i;
    EXPECT_GE(step.total + 2ns, model.healthy()) << "state " << i;
    if (const auto critical = model.critical(state); critical && critical->slot) {
      EXPECT_GE(critical->saves, -2ns) << "state " << i;
    }
    worse = state;
    worse.slow.push_back({63, kWholeHost, slow_in(Segment::all, 1.3)});
    std::sort(worse.slow.begin(), worse.slow.end());
    EXPECT_GE(model.time(worse) + 2ns, step.total) << "state " << i;
  }
}

TEST(Step, AmongEqualCulpritsOneThatIsLateIsNamed) {
  const StepModel model(megascale(192));
  ClusterState state = slow_host(5, 1.01);
  state.slow.push_back({17, kWholeHost, slow_in(Segment::all, 1.1)});
  state.slow.push_back({18, kWholeHost, slow_in(Segment::all, 1.1)});
  const auto critical = model.critical(state);
  ASSERT_TRUE(critical && critical->slot);
  EXPECT_TRUE(*critical->slot == 17 || *critical->slot == 18) << *critical->slot;
  EXPECT_EQ(critical->replica, *critical->slot);
}

TEST(Step, JitterOnlyLengthensAndGrowsWithItsSize) {
  const StepModel model(megascale(16));
  double before = 1;
  for (const double jitter : {0.01, 0.03, 0.1}) {
    ClusterState state;
    state.jitter = jitter;
    const double now = ratio(model, state);
    EXPECT_GT(now, before);
    before = now;
  }
  EXPECT_LT(before, 1.5);
}

TEST(Step, TheCriticalHostIsTheOneWhoseRepairSavesMost) {
  const StepModel model(megascale(192));
  EXPECT_FALSE(model.critical({}));
  ClusterState state = slow_host(17, 1.1);
  state.network.nics.push_back({30, kAllNics, 1.05});
  const auto critical = model.critical(state);
  ASSERT_TRUE(critical && critical->slot);
  EXPECT_EQ(*critical->slot, 17u);
  EXPECT_EQ(critical->stage, 0u);
  EXPECT_EQ(critical->replica, 17u);
  EXPECT_EQ(critical->saves,
            model.evaluate(state).total - model.evaluate(slow_nics(30, kAllNics, 1.05)).total);
  state.slow[0].slow = slow_in(Segment::all, 1.0001);
  EXPECT_EQ(model.critical(state)->slot, 30u);
}

TEST(Step, AGivenStepTimeIsExactAndScalesInProportion) {
  World world = megascale(192);
  const double modelled = ratio(StepModel(world), slow_host(17, 1.1));
  world.job.step_time = 6340ms + 2ns;
  const StepModel model(world);
  EXPECT_EQ(model.healthy(), 6340ms + 2ns);
  EXPECT_EQ(model.evaluate().total, 6340ms + 2ns);
  EXPECT_NEAR(ratio(model, slow_host(17, 1.1)), modelled, 1e-9);
}

TEST(Step, WhereNothingIsSaidOfTheHardwareAllIsCompute) {
  World world;
  world.job.layout = {.dp = 16};
  world.job.global_batch = 16;
  world.job.step_time = 6340ms + 2ns;
  const StepModel model(world);
  EXPECT_EQ(model.healthy(), 6340ms + 2ns);
  EXPECT_EQ(model.evaluate(slow_host(1, 1.5)).total, 9510ms + 3ns);
  EXPECT_EQ(model.evaluate(slow_nics(1, kAllNics, 10)).total, model.healthy());
  EXPECT_EQ(model.evaluate().mfu, 0);
}

TEST(Step, TensorParallelAcrossHostsIsSlowedByOneNic) {
  World world = megascale(4);
  world.hardware.gpus_per_host = 4;  // tensor-parallel groups of 8 span two hosts
  world.hardware.nics_per_host = 4;
  const StepModel model(world);
  EXPECT_GT(model.evaluate().tensor, StepModel(megascale(4)).evaluate().tensor);
  const StepTimes degraded = model.evaluate(slow_nics(2, kAllNics, 3));
  // Of 100 s on the wire, the healthy step waits for the share that overlap leaves, and the degraded one for 200 s more.
  const double healthy = to_seconds(model.evaluate().tensor);
  const double wire = healthy / world.job.calibration.tensor_overlapped;
  EXPECT_NEAR((to_seconds(degraded.tensor) - healthy) / (2 * wire), 1, 0.01);
}

TEST(Step, AFabricThatNarrowsIsSlower) {
  World world = megascale(16);
  world.inventory = {
      .job_hosts = 128, .spares = 0, .gpus_per_host = 8, .hosts_per_tor = 4, .layout = world.job.layout};
  world.fabric.kind = FabricKind::fat_tree;
  const StepTimes wide = StepModel(world).evaluate();
  world.fabric.oversubscription = 8;
  const StepModel narrow(world);
  EXPECT_GT(narrow.evaluate().data, wide.data);
  EXPECT_GT(narrow.healthy(), StepModel(megascale(16)).healthy());
  ClusterState state;
  state.network.switches.push_back({SwitchKind::tor, 0, 4});
  EXPECT_GT(narrow.time(state), narrow.healthy());
}

TEST(Picture, TheSlowHostIsTheOneThatWaitsLeast) {
  const World world = megascale(192);
  const StepModel model(world);
  const StepPicture picture = model.picture(slow_host(17, 1.1), 17);
  EXPECT_EQ(picture.work.size(), 2u * 8 * 6 * 32);
  ASSERT_EQ(picture.waiting.size(), 12288u);
  const auto least =
      std::min_element(picture.waiting.begin(), picture.waiting.end()) - picture.waiting.begin();
  EXPECT_EQ(least / 8, 17);
  for (const double seconds : picture.waiting) EXPECT_GE(seconds, -1e-9);
  EXPECT_GT(picture.optimizer_end, picture.data_end);
  EXPECT_GT(picture.data_end, picture.pipeline_end);
}

TEST(Picture, WhereTwoThingsSlowARankTheWorstCounts) {
  const StepModel model(megascale(192));
  ClusterState state = slow_host(17, 2);
  state.slow.insert(state.slow.begin(), {17, 3, slow_in(Segment::all, 2)});
  EXPECT_EQ(model.picture(state, 17).waiting, model.picture(slow_host(17, 2), 17).waiting);
}

TEST(Picture, OfOneSlowGpuItsNeighboursWait) {
  const StepModel model(megascale(192));
  ClusterState state;
  state.slow.push_back({17, 5, slow_in(Segment::all, 1.3)});
  const StepPicture picture = model.picture(state, 17);
  const double culprit = picture.waiting[17 * 8 + 5];
  for (const std::uint32_t gpu : {0u, 1u, 2u, 3u, 4u, 6u, 7u})
    EXPECT_GT(picture.waiting[17 * 8 + gpu], culprit + 0.5);
}

TEST(Symmetry, ReplicasThatSwapNamesTakeAsLong) {
  const World world = megascale(192);
  const StepModel model(world);
  for (const ClusterState& state : many_states()) {
    const ClusterState alike = canonical(state, world.job.layout, 8);
    EXPECT_EQ(model.evaluate(alike).total, model.evaluate(state).total);
    EXPECT_EQ(canonical(alike, world.job.layout, 8), alike);
  }
  // Host 17 is stage 0 of replica 17, host 192 + 40 stage 1 of replica 40.
  EXPECT_EQ(canonical(slow_host(17, 1.1), world.job.layout, 8), slow_host(0, 1.1));
  EXPECT_EQ(canonical(slow_host(192 + 40, 1.1), world.job.layout, 8), slow_host(192, 1.1));
}

TEST(Symmetry, SeatsOfOneReplicaStayTogether) {
  const Layout layout = megascale(192).job.layout;
  ClusterState together = slow_host(40, 1.1);  // both of replica 40
  together.slow.push_back({192 + 40, kWholeHost, slow_in(Segment::all, 1.2)});
  ClusterState apart = slow_host(40, 1.1);
  apart.slow.push_back({192 + 41, kWholeHost, slow_in(Segment::all, 1.2)});
  EXPECT_NE(canonical(together, layout, 8), canonical(apart, layout, 8));
  ClusterState swapped = slow_host(41, 1.1);
  swapped.slow.push_back({192 + 3, kWholeHost, slow_in(Segment::all, 1.2)});
  std::sort(swapped.slow.begin(), swapped.slow.end());
  EXPECT_EQ(canonical(swapped, layout, 8), canonical(apart, layout, 8));
}

TEST(Symmetry, HostsOfSeveralReplicasMoveAsOne) {
  const Layout layout = {.tp = 2, .pp = 2, .dp = 8};  // a host of 8 GPUs holds four replicas of a stage
  EXPECT_EQ(canonical(slow_host(1, 1.1), layout, 8), slow_host(0, 1.1));
  EXPECT_EQ(canonical(slow_host(3, 1.1), layout, 8), slow_host(2, 1.1));
}

TEST(Symmetry, ReplicasThatShareExpertsStayWhereTheyAre) {
  // Hosts 0 to 3 share experts, and so do 4 to 7: two slow hosts of one group are not two of different groups.
  const Layout layout = {.tp = 8, .pp = 1, .dp = 8, .ep = 4};
  ClusterState together = slow_host(1, 1.1), apart = slow_host(1, 1.1);
  together.slow.push_back({2, kWholeHost, slow_in(Segment::all, 1.2)});
  apart.slow.push_back({6, kWholeHost, slow_in(Segment::all, 1.2)});
  EXPECT_NE(canonical(together, layout, 8), canonical(apart, layout, 8));
}

TEST(StepDeathTest, NothingIsFasterThanHealthy) {
  const StepModel model(megascale(192));
  EXPECT_DEATH(model.evaluate(slow_nics(1, 1, 0.5)), "no faster than healthy");
  EXPECT_DEATH(model.evaluate(slow_host(1, 0.5)), "no faster than healthy");
}

}  // namespace
}  // namespace gauntlet
