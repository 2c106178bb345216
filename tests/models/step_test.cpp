#include "models/step.hpp"

#include "tests/models/published_jobs.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

double tflops_per_gpu(const World& world) {
  const StepTimes step = StepModel(world).evaluate({});
  return step.model_flops.value / to_seconds(step.total) / world.job.layout.ranks() / 1e12;
}

/// Round numbers, so that every part can be worked out by hand. Two layers of width 100 on two stages:
///   projections 4 x 100^2, MLP 2 x 100 x 400: 120,000 weights, 240,000 FLOPs a token forward;
///   attention 4 x 100 x 10: 4,000; logits 2 x 100 x 1,000 = 200,000;
///   so 244,000 a layer and 444,000 on the last stage.
/// The peak of 1.332 MFLOP/s makes one token of the last stage, forward and backward,
/// take 3 x 444,000 / 1.332e6 = 1 s.
World by_hand() {
  World world;
  world.hardware = {.name = "slow",
                    .gpus_per_host = 2,
                    .nics_per_host = 1,
                    .peak = {1.332e6},
                    .memory = {1e6},
                    .memory_bandwidth = {1000},
                    .nvlink = {8000},
                    .nic = {500},
                    .pcie = {500}};
  world.job.model = {.name = "small",
                     .parameters = 2400,
                     .layers = 2,
                     .hidden = 100,
                     .heads = 10,
                     .kv_heads = 10,
                     .ffn_hidden = 400,
                     .vocabulary = 1000,
                     .sequence = 10};
  world.job.layout = {.pp = 2, .virtual_stages = 1};
  world.job.global_batch = 4;
  world.job.calibration = {.stack = "ideal",
                           .gemm_efficiency = 1,
                           .tensor_exposed = 1,
                           .pipeline_exposed = 1,
                           .data_exposed = 1,
                           .source = "none: everything at its peak, nothing overlapped"};
  return world;
}

TEST(ModelFlops, CountsWeightsAttentionAndLogits) {
  // 3 x (2 layers x 244,000 + 200,000)
  EXPECT_DOUBLE_EQ(model_flops_per_token(by_hand().job.model).value, 2'064'000);
}

TEST(ModelFlops, FewerKeysAndValuesAndAGate) {
  Transformer model = by_hand().job.model;
  model.kv_heads = 1;      // keys and values of width 10: 2 x 100 x 90 weights fewer
  model.gated_mlp = true;  // a third matrix: 100 x 400 weights more
  // Of each layer: 2 x (40,000 - 18,000) more
  EXPECT_DOUBLE_EQ(model_flops_per_token(model).value, 2'064'000 + 3 * 2 * 2 * (40'000 - 18'000));
}

TEST(ModelFlops, AgreesWithThePublishedFormulaForGpt) {
  // 72 B s l h^2 (1 + s/(6h) + V/(12hl)): Korthikanti et al., eq. 7, https://arxiv.org/abs/2205.05198
  const double s = 2048, l = 96, h = 12288, v = 64000;
  const double published = 72 * l * h * h * (1 + s / (6 * h) + v / (12 * h * l));
  EXPECT_NEAR(model_flops_per_token(megascale(192).job.model).value / published, 1, 1e-12);
}

TEST(Step, OneStageIsComputeAndOptimizer) {
  World world = by_hand();
  world.job.layout = {};
  const StepTimes step = StepModel(world).evaluate({});
  // 4 sequences x 10 tokens x 2,064,000 FLOPs / 1.332 MFLOP/s = 61.981982 s
  EXPECT_NEAR(to_seconds(step.compute), 61.981982, 1e-6);
  EXPECT_EQ(step.optimizer, 72s);  // 2,400 parameters x 30 bytes / 1,000 B/s
  EXPECT_EQ(step.total, step.compute + step.optimizer);
  EXPECT_NEAR(step.mfu, 61.981982 / (61.981982 + 72), 1e-7);
}

TEST(Step, PipelineFillsAndDrains) {
  World world = by_hand();
  world.hardware.gpus_per_host = 1;
  const StepTimes step = StepModel(world).evaluate({});
  EXPECT_EQ(step.compute, 40s);    // 4 micro-batches x 10 tokens x 1 s on the last stage
  EXPECT_EQ(step.bubble, 10s);     // (p-1)/v = 1 micro-batch more
  EXPECT_EQ(step.pipeline, 40s);   // 5 x (there and back) x 10 x 100 x 2 bytes / 500 B/s
  EXPECT_EQ(step.optimizer, 36s);  // 1,200 parameters x 30 bytes / 1,000 B/s
  EXPECT_EQ(step.tensor, 0s);
  EXPECT_EQ(step.data, 0s);
  EXPECT_EQ(step.total, 126s);
}

TEST(Step, VirtualStagesHalveTheBubbleAndDoubleTheTransfers) {
  World world = by_hand();
  world.hardware.gpus_per_host = 1;
  world.job.layout.virtual_stages = 2;
  const StepTimes step = StepModel(world).evaluate({});
  EXPECT_EQ(step.bubble, 5s);
  EXPECT_EQ(step.pipeline, 72s);  // 4.5 x 2 x 2 x 2,000 bytes / 500 B/s
}

TEST(Step, TensorParallelReducesOverNvlinkInsideAHost) {
  World world = by_hand();
  world.job.layout = {.tp = 2};
  const StepTimes step = StepModel(world).evaluate({});
  // 4 micro-batches x 2 layers x 4 all-reduces x 2 x 1/2 x 2,000 bytes / (8,000 / 2) B/s
  EXPECT_EQ(step.tensor, 16s);
  EXPECT_EQ(StepModel(world).evaluate({.network_factor = 3}).tensor, 16s);
}

TEST(Step, TensorParallelAcrossHostsUsesNics) {
  World world = by_hand();
  world.hardware.gpus_per_host = 1;
  world.job.layout = {.tp = 2};
  EXPECT_EQ(StepModel(world).evaluate({}).tensor, 128s);  // 64,000 bytes / 500 B/s
  EXPECT_EQ(StepModel(world).evaluate({.network_factor = 3}).tensor, 384s);
}

TEST(Step, DataParallelRingUsesTheNicsOfAllItsMembersInAHost) {
  World world = by_hand();
  world.job.layout = {.dp = 4};  // two hosts of two GPUs that share a NIC
  // 3/4 x 2,400 parameters x (4 + 2) bytes / 500 B/s
  EXPECT_EQ(StepModel(world).evaluate({}).data, 21600ms);
  EXPECT_EQ(StepModel(world).evaluate({.network_factor = 2}).data, 43200ms);
}

TEST(Step, DataParallelInsideAHostDoesNotDependOnNics) {
  World world = by_hand();
  world.job.layout = {.dp = 2};
  // 1/2 x 2,400 parameters x 6 bytes / 4,000 B/s
  EXPECT_EQ(StepModel(world).evaluate({.network_factor = 9}).data, 1800ms);
}

TEST(Step, LastMicroBatchMayBeShort) {
  World world = by_hand();
  world.job.micro_batch = 3;  // 4 sequences make two micro-batches, each charged in full: 2 x 30 tokens x 1 s
  EXPECT_EQ(StepModel(world).evaluate({}).compute, 60s);
}

TEST(Step, VocabularyCountsAsPartOfAStageThatHasALayerLess) {
  World world = by_hand();
  world.job.model.layers = 3;  // stages of 2 layers (488,000) and 1 layer with the vocabulary (444,000)
  // 4 micro-batches x 10 tokens x 3 x 488,000 / 1.332e6 = 43.963964 s
  EXPECT_NEAR(to_seconds(StepModel(world).evaluate({}).compute), 43.963964, 1e-6);
}

TEST(Step, GivenStepTimeIsExactAndAllCompute) {
  World world = by_hand();
  world.hardware = {};  // nothing of it is needed
  world.job.step_time = 6340ms + 2ns;
  const StepModel model(world);
  EXPECT_EQ(model.healthy(), 6340ms + 2ns);
  EXPECT_EQ(model.evaluate({.compute_factor = 1.5}).total, 9510ms + 3ns);
  EXPECT_EQ(model.evaluate({.network_factor = 10}).total, model.healthy());
  EXPECT_EQ(model.evaluate({}).mfu, 0);  // a GPU without a peak
}

TEST(Step, PartsAddUpAndSlowPartsOnlyLengthenTheirOwn) {
  for (const World& world : {llama3(128), megascale(192)}) {
    const StepModel model(world);
    const StepTimes healthy = model.evaluate({});
    EXPECT_EQ(healthy.total, model.healthy());
    for (const Degradation& degraded : {Degradation{}, Degradation{.compute_factor = 1.1},
                                        Degradation{.network_factor = 4}, Degradation{2, 2}}) {
      const StepTimes step = model.evaluate(degraded);
      EXPECT_EQ(step.total,
                step.compute + step.bubble + step.tensor + step.pipeline + step.data + step.optimizer);
      const auto times = [](Duration part, double factor) { return to_seconds(part) * factor; };
      EXPECT_NEAR(to_seconds(step.compute), times(healthy.compute, degraded.compute_factor), 1e-8);
      EXPECT_NEAR(to_seconds(step.bubble), times(healthy.bubble, degraded.compute_factor), 1e-8);
      EXPECT_NEAR(to_seconds(step.pipeline), times(healthy.pipeline, degraded.network_factor), 1e-8);
      EXPECT_NEAR(to_seconds(step.data), times(healthy.data, degraded.network_factor), 1e-8);
      EXPECT_EQ(step.tensor, healthy.tensor);  // NVLink
      EXPECT_EQ(step.optimizer, healthy.optimizer);
      EXPECT_LE(step.mfu, healthy.mfu);
    }
  }
}

TEST(Step, H800DiffersFromH100InTheTensorTermAlone) {
  // 900 and 400 GB/s of NVLink: DeepSeek-V3, https://arxiv.org/abs/2505.09343
  World world = llama3(128);
  const StepTimes h100_step = StepModel(world).evaluate({});
  world.hardware.nvlink = {400e9};
  const StepTimes h800_step = StepModel(world).evaluate({});
  EXPECT_NEAR(to_seconds(h800_step.tensor) / to_seconds(h100_step.tensor), 2.25, 1e-8);
  EXPECT_EQ(h800_step.compute, h100_step.compute);
  EXPECT_EQ(h800_step.bubble, h100_step.bubble);
  EXPECT_EQ(h800_step.pipeline, h100_step.pipeline);
  EXPECT_EQ(h800_step.data, h100_step.data);
  EXPECT_EQ(h800_step.optimizer, h100_step.optimizer);
}

TEST(StepDeathTest, RefusesWhatCannotBe) {
  World world = by_hand();
  const StepModel model(world);
  EXPECT_DEATH(model.evaluate({.compute_factor = 0.9}), "no faster than healthy");
  world.hardware.peak = {};
  EXPECT_DEATH(StepModel{world}, "compute has a rate");
}

// --- published steps ---------------------------------------------------------------------------------------

TEST(PublishedStep, Llama3) {
  // Table 4 of https://arxiv.org/abs/2407.21783: 430 TFLOP/s per GPU (MFU 43%) on 8,192 and 400 (41%) on
  // 16,384. The constants were fitted on these two rows.
  EXPECT_NEAR(StepModel(llama3(128)).evaluate({}).mfu, 0.41, 0.03);
  EXPECT_NEAR(StepModel(llama3(64)).evaluate({}).mfu, 0.43, 0.03);
  EXPECT_NEAR(tflops_per_gpu(llama3(128)), 400, 0.03 * 400);
  EXPECT_NEAR(tflops_per_gpu(llama3(64)), 430, 0.03 * 430);
}

TEST(PublishedStep, MegaScale) {
  // Table 2 of https://arxiv.org/abs/2402.15627, batch 6,144. The constants were fitted on the first and the
  // last row.
  for (const auto& [gpus, seconds, mfu] : {std::tuple{3072u, 23.66, 0.591},
                                           {6144u, 12.21, 0.573},
                                           {8192u, 9.56, 0.549},
                                           {12288u, 6.34, 0.552}}) {
    const StepTimes step = StepModel(megascale(gpus / 64)).evaluate({});
    EXPECT_NEAR(to_seconds(step.total) / seconds, 1, 0.04) << gpus << " GPUs";
    EXPECT_NEAR(step.mfu, mfu, 0.03) << gpus << " GPUs";
  }
}

TEST(PublishedStep, MegaScaleWithASmallBatch) {
  // Batch 768 in the same table, fitted on none of these rows, and in part at odds with the ones above (64
  // micro-batches take 11.5 s on 768 GPUs and 12.21 s on 6,144).
  for (const auto& [gpus, seconds] : {std::pair{256u, 32.0}, {512u, 16.5}, {768u, 11.5}, {1024u, 8.9}}) {
    World world = megascale(gpus / 64);
    world.job.global_batch = 768;
    EXPECT_NEAR(to_seconds(StepModel(world).healthy()) / seconds, 1, 0.11) << gpus << " GPUs";
  }
}

TEST(PublishedStep, SlowHostCostsLessThanItsShare) {
  // One host 10% slow slows the step, but not its collectives.
  const StepModel model(megascale(192));
  const double slower =
      to_seconds(model.evaluate({.compute_factor = 1.1}).total) / to_seconds(model.healthy());
  EXPECT_GT(slower, 1.05);
  EXPECT_LT(slower, 1.1);
}

TEST(Calibration, EveryStackNamesItsRowsAndIsFoundByName) {
  ASSERT_FALSE(calibrations().empty());
  for (const Calibration& stack : calibrations()) {
    EXPECT_EQ(find_calibration(stack.stack), &stack);
    EXPECT_NE(stack.source.find("https://"), std::string::npos) << stack.stack;
  }
  EXPECT_EQ(find_calibration("megascail"), nullptr);
}

TEST(Calibration, DefaultsAreLlama3s) {
  const Calibration& fitted = *find_calibration(Calibration{}.stack);
  EXPECT_EQ(fitted.gemm_efficiency, Calibration{}.gemm_efficiency);
  EXPECT_EQ(fitted.tensor_exposed, Calibration{}.tensor_exposed);
  EXPECT_EQ(fitted.pipeline_exposed, Calibration{}.pipeline_exposed);
  EXPECT_EQ(fitted.data_exposed, Calibration{}.data_exposed);
}

}  // namespace
}  // namespace gauntlet
