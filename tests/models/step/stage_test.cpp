#include "models/step/stage.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace gauntlet {
namespace {

const Calibration kIdeal = {
    .stack = "ideal", .gemm_efficiency = 1, .memory_efficiency = 1, .tensor_exposed = 1, .source = {}};

/// Four multiprocessors that do one step in depth of a 128 x 256 tile in a second, and memory without end.
Hardware tiles_a_second() {
  return {.name = "tiles",
          .peak = {4 * 128 * 256 * 2.0},
          .peak_fp8 = {2 * 4 * 128 * 256 * 2.0},
          .multiprocessors = 4,
          .memory = {1e12},
          .memory_bandwidth = {1e15},
          .nvlink = {1e15},
          .nic = {1e15},
          .pcie = {1e15}};
}

double product(double m, double n, double k, Precision precision = Precision::bf16, bool aligned = true) {
  return matrix_product_seconds(m, n, k, 1, precision, aligned, tiles_a_second(), kIdeal);
}

TEST(MatrixProduct, PaysForWholeWavesAndForFillingTheDepth) {
  // Four tiles of 128 x 256 are one wave; a depth of 36 costs as one of 100.
  EXPECT_DOUBLE_EQ(product(128, 1024, 36), 100);
  EXPECT_DOUBLE_EQ(product(128, 1024, 136), 200);  // 100 deeper is 100 s more
  // A column more is a second wave; nine tiles of 128 x 128 are three waves of half the work at 93% of the rate.
  EXPECT_DOUBLE_EQ(product(128, 1025, 36), 150 / 0.93);
  EXPECT_DOUBLE_EQ(product(128, 2048, 36), 200);
  EXPECT_EQ(product(128, 0, 36), 0);
  EXPECT_DOUBLE_EQ(product(1, 1, 36), 50 / 0.93);  // one tile alone still takes a wave
}

TEST(MatrixProduct, EightBitsAreTwiceAsFastAndMisalignedHeadsSlower) {
  EXPECT_DOUBLE_EQ(product(128, 1024, 36, Precision::fp8), 50);
  Hardware without = tiles_a_second();
  without.peak_fp8 = {};
  EXPECT_DOUBLE_EQ(matrix_product_seconds(128, 1024, 36, 1, Precision::fp8, true, without, kIdeal), 100);
  Calibration stack = kIdeal;
  stack.misaligned = 3;
  EXPECT_DOUBLE_EQ(matrix_product_seconds(128, 1024, 36, 1, Precision::bf16, false, tiles_a_second(), stack),
                   300);
}

TEST(MatrixProduct, IsNeverFasterThanItsMemoryTraffic) {
  Hardware slow = tiles_a_second();
  slow.memory_bandwidth = {1000};
  // 2 bytes x (128 x 36 + 36 x 1,024 + 128 x 1,024) = 345,088 bytes
  EXPECT_DOUBLE_EQ(matrix_product_seconds(128, 1024, 36, 1, Precision::bf16, true, slow, kIdeal), 345.088);
}

// --- a layer -----------------------------------------------------------------------------------------------------------

Transformer gpt() {
  return {.name = "gpt",
          .layers = 8,
          .hidden = 1024,
          .heads = 16,
          .kv_heads = 16,
          .ffn_hidden = 4096,
          .vocabulary = 32768,
          .sequence = 2048};
}

LayerTimes layer(const Transformer& model, const Training& training, const Layout& layout,
                 bool with_experts = false, const Wires& wires = {{1e9}, {1e9}, {1e9}}) {
  return layer_times(model, training, layout, 1, tiles_a_second(), kIdeal, wires, with_experts);
}

TEST(Layer, TensorParallelSendsTwoAllReducesEachWay) {
  // 2 x 2 x (4-1)/4 x 2,048 x 1,024 x 2 bytes at 1 GB/s
  const double wanted = 2 * 2 * 0.75 * 2048 * 1024 * 2 / 1e9;
  Training training{.recompute = Recompute::none};
  const LayerTimes times = layer(gpt(), training, {.tp = 4});
  EXPECT_DOUBLE_EQ(times.forward.tensor.when(1), wanted);
  EXPECT_DOUBLE_EQ(times.backward.tensor.when(1), wanted);
  EXPECT_EQ(times.recomputed.total(), 0);
  EXPECT_NEAR(times.forward.latency, 4 * (8.4e-6 + 3 * 3.4e-6), 1e-12);
  training.overlap_tensor = true;
  EXPECT_DOUBLE_EQ(layer(gpt(), training, {.tp = 4}).forward.tensor.when(1), wanted / 2);
  EXPECT_EQ(layer(gpt(), training, {}).forward.tensor.when(1), 0);
}

TEST(Layer, FullRecomputationRepeatsTheForwardPassAndSelectiveThePartThatIsSaved) {
  Training training{.recompute = Recompute::full, .flash_attention = false};
  const LayerTimes full = layer(gpt(), training, {.tp = 4});
  EXPECT_EQ(full.recomputed.total(), full.forward.total());
  training.recompute = Recompute::selective;
  const LayerTimes selective = layer(gpt(), training, {.tp = 4});
  EXPECT_GT(selective.recomputed.compute, 0);
  EXPECT_LT(selective.recomputed.compute, full.recomputed.compute / 2);
  EXPECT_EQ(selective.recomputed.tensor.when(1), 0);
}

TEST(Layer, ContextParallelWaitsForWhatAttentionDoesNotHide) {
  const Training training{};
  // Keys and values of the three others, 2 x 512 x 1,024 x 2 bytes each: 6.3 MB.
  EXPECT_EQ(layer(gpt(), training, {.cp = 4}, false, {{1e9}, {1e9}, {1e9}}).forward.context.when(1), 0);
  const double slow = 1e-6;  // bytes a second: nothing hides that
  const LayerTimes exposed = layer(gpt(), training, {.cp = 4}, false, {{1e9}, {slow}, {1e9}});
  EXPECT_NEAR(exposed.forward.context.when(1) / (3 * 2 * 512 * 1024 * 2 / slow), 1, 1e-8);
  EXPECT_NEAR(exposed.backward.context.when(1) / exposed.forward.context.when(1), 2,
              1e-8);  // their gradients come with them
  // Wires that are half as wide cost all that they take longer, once nothing is left to hide it.
  EXPECT_DOUBLE_EQ(exposed.forward.context.when(2),
                   exposed.forward.context.when(1) + exposed.forward.context.wire);
}

TEST(Layer, TokensGoToTheirExpertsAndBack) {
  Transformer model = gpt();
  model.experts = 8;
  model.experts_per_token = 2;
  model.expert_ffn_hidden = 4096;
  const Training training{};
  const LayerTimes alone = layer(model, training, {.dp = 8}, true);
  const LayerTimes spread = layer(model, training, {.dp = 8, .ep = 8}, true);
  EXPECT_EQ(alone.forward.expert.when(1), 0);
  // 2 x 2,048 tokens x 2 copies x 1,024 x 2 bytes, 7/8 of them to others, at 1 GB/s
  EXPECT_DOUBLE_EQ(spread.forward.expert.when(1), 2 * 2048 * 2 * 1024 * 2 * 7 / 8 / 1e9);
  // Two experts of the dense layer's width make twice its MLP and nothing else.
  EXPECT_GT(spread.forward.compute, layer(gpt(), training, {}).forward.compute);
  EXPECT_LT(spread.forward.compute, 2 * layer(gpt(), training, {}).forward.compute);
}

TEST(Layer, TwiceTheBandwidthHalvesTheBandwidthTermAndNothingElse) {
  const Training training{};
  const LayerTimes slow = layer(gpt(), training, {.tp = 4}, false, {{1e9}, {}, {}});
  const LayerTimes fast = layer(gpt(), training, {.tp = 4}, false, {{2e9}, {}, {}});
  EXPECT_DOUBLE_EQ(slow.forward.tensor.when(1), 2 * fast.forward.tensor.when(1));
  EXPECT_EQ(slow.forward.compute, fast.forward.compute);
  EXPECT_EQ(slow.forward.latency, fast.forward.latency);
}

// --- published ---------------------------------------------------------------------------------------------------------

TEST(PublishedLayer, KorthikantiTable4) {
  // One layer of the 22B model with micro-batch 4 on 8 A100, in ms: https://arxiv.org/abs/2205.05198, table 4. No constant was
  // fitted on these.
  const Transformer model = {.name = "22b",
                             .layers = 48,
                             .hidden = 6144,
                             .heads = 64,
                             .kv_heads = 64,
                             .ffn_hidden = 24576,
                             .vocabulary = 51200,
                             .sequence = 2048};
  const Hardware a100 = {.name = "A100-80G",
                         .peak = {312e12},
                         .peak_fp8 = {},
                         .multiprocessors = 108,
                         .memory = {80e9},
                         .memory_bandwidth = {2039e9},
                         .nvlink = {600e9},
                         .nic = {25e9},
                         .pcie = {32e9}};
  for (const auto& [recompute, sequence_parallel, published] : {std::tuple{Recompute::none, false, 19.6},
                                                                {Recompute::none, true, 19.0},
                                                                {Recompute::full, false, 27.2},
                                                                {Recompute::selective, false, 20.9},
                                                                {Recompute::selective, true, 20.3}}) {
    const Training training{.precision = Precision::fp16,
                            .recompute = recompute,
                            .sequence_parallel = sequence_parallel,
                            .flash_attention = false};
    const LayerTimes times =
        layer_times(model, training, {.tp = 8}, 4, a100, *find_calibration("megatron-2022"),
                    {{300e9}, {300e9}, {300e9}}, false);
    const double seconds = times.forward.total() + times.backward.total() + times.recomputed.total();
    EXPECT_NEAR(1e3 * seconds / published, 1, 0.08)
        << static_cast<int>(recompute) << ' ' << sequence_parallel;
  }
}

TEST(Calibration, EveryStackNamesItsRowsAndIsFoundByName) {
  ASSERT_FALSE(calibrations().empty());
  for (const Calibration& stack : calibrations()) {
    EXPECT_EQ(find_calibration(stack.stack), &stack);
    EXPECT_NE(stack.source.find("https://"), std::string::npos) << stack.stack;
  }
  EXPECT_NE(find_calibration(Calibration{}.stack), nullptr);  // the default is one that was fitted
  EXPECT_EQ(find_calibration("megascail"), nullptr);
}

}  // namespace
}  // namespace gauntlet
