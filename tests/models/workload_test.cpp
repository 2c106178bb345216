#include "models/workload.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace gauntlet {
namespace {

/// Round numbers: 2 layers of width 100 with 10 heads, an MLP of width 400, 1,000 tokens known, sequences of 10.
///   attention 4 x 100^2 = 40,000; MLP 2 x 100 x 400 = 80,000; embedding 100,000.
Transformer small() {
  return {.name = "small",
          .parameters = 440'000,
          .layers = 2,
          .hidden = 100,
          .heads = 10,
          .kv_heads = 10,
          .ffn_hidden = 400,
          .vocabulary = 1000,
          .sequence = 10};
}

TEST(ParameterCount, OfADenseModel) {
  const ParameterCount count = count_parameters(small());
  EXPECT_EQ(count.layer_attention, 40'000);
  EXPECT_EQ(count.layer_mlp, 80'000);
  EXPECT_EQ(count.total, 440'000);
  EXPECT_EQ(count.multiplied, 340'000);  // looking up an embedding multiplies nothing
  Transformer tied = small();
  tied.tied_embeddings = true;
  EXPECT_EQ(count_parameters(tied).total, 340'000);
  EXPECT_EQ(count_parameters(tied).multiplied, 340'000);
}

TEST(ParameterCount, OfAModelWithExperts) {
  Transformer model = small();
  model.experts = 8;
  model.experts_per_token = 2;
  model.shared_experts = 1;
  model.expert_ffn_hidden = 50;  // 2 x 100 x 50 = 10,000 each; the router has 100 x 8
  model.dense_layers = 1;
  const ParameterCount count = count_parameters(model);
  EXPECT_EQ(count.layer_experts, 8 * 10'000);
  EXPECT_EQ(count.layer_shared, 10'000 + 800);
  EXPECT_EQ(count.total, 2 * 40'000 + 80'000 + 90'800 + 200'000);
  EXPECT_EQ(count.active, 2 * 40'000 + 80'000 + 30'800 + 200'000);
}

TEST(ModelFlops, CountsWeightsAttentionAndLogits) {
  // A token forward: 2 x 340,000 for weights and, in each layer, 4 x 100 x 10 for scores.
  EXPECT_EQ(model_flops_per_token(small()).value, 3 * (680'000 + 8'000));
  EXPECT_EQ(model_flops_per_token(small(), FlopCount::causal).value, 3 * (680'000 + 4'000));
  // Every layer's forward pass once more, the logits not.
  EXPECT_EQ(model_flops_per_token(small(), FlopCount::hardware).value, 3 * 688'000 + 2 * 240'000 + 8'000);
}

TEST(ModelFlops, FewerKeysAndValuesAndAGate) {
  Transformer model = small();
  model.kv_heads = 1;      // keys and values of width 10: 2 x 100 x 90 weights fewer
  model.gated_mlp = true;  // a third matrix: 100 x 400 weights more
  EXPECT_EQ(model_flops_per_token(model).value, 3 * 688'000 + 3 * 2 * 2 * (40'000 - 18'000));
}

TEST(ModelFlops, AgreeWithThePublishedFormulaForGpt) {
  // 72 B s l h^2 (1 + s/(6h) + V/(12hl)): eq. 7 of https://arxiv.org/abs/2205.05198
  const double s = 2048, l = 96, h = 12288, v = 51200;
  const Transformer gpt = {.name = "gpt",
                           .layers = 96,
                           .hidden = 12288,
                           .heads = 96,
                           .kv_heads = 96,
                           .ffn_hidden = 49152,
                           .vocabulary = 51200,
                           .sequence = 2048};
  const double published = 72 * l * h * h * (1 + s / (6 * h) + v / (12 * h * l));
  EXPECT_NEAR(model_flops_per_token(gpt).value / published, 1, 1e-12);
}

// --- what one GPU holds -------------------------------------------------------------------------------------------------

/// 8 experts of 10,000, a shared one and a router of 800 in each layer.
Transformer with_experts(std::uint32_t layers) {
  Transformer model = small();
  model.layers = layers;
  model.experts = 8;
  model.experts_per_token = 2;
  model.shared_experts = 1;
  model.expert_ffn_hidden = 50;
  return model;
}

TEST(Weights, ExpertParallelismDividesRoutedExpertsAlone) {
  const Transformer model = with_experts(1);
  const double rest = 40'000 + 200'000;  // attention, embedding, output
  const WeightsOfGpu whole = weights_of_gpu(model, {});
  EXPECT_EQ(whole.total(), count_parameters(model).total);
  const WeightsOfGpu held = weights_of_gpu(model, {.dp = 4, .ep = 4});
  EXPECT_EQ(held.experts, 2 * 10'000);
  EXPECT_EQ(held.shared, rest + 10'000 + 800);
  const WeightsOfGpu split = weights_of_gpu(model, {.tp = 2, .dp = 4, .ep = 4});
  EXPECT_EQ(split.experts, 10'000);
  EXPECT_EQ(split.shared, rest / 2 + 5'000 + 800);  // a router is whole everywhere
}

TEST(Weights, OfTheFullestStageNotOfAnAverageOne) {
  Transformer model = small();
  const auto of = [&](std::uint32_t layers, const Layout& layout) {
    model.layers = layers;
    return weights_of_gpu(model, layout).total();
  };
  EXPECT_EQ(of(16, {.pp = 4}), 4 * 120'000 + 100'000);
  EXPECT_EQ(of(13, {.pp = 4}), of(16, {.pp = 4}));  // 4, 4, 4 and 1
  EXPECT_EQ(of(14, {.pp = 4, .virtual_stages = 2}),
            4 * 120'000);  // 1, 2, ... 2, 1: the outer stages have 3 and a matrix
  EXPECT_EQ(of(14, {.pp = 4}), 4 * 120'000);
}

TEST(Weights, DenseLayersAreInTheFirstStageAndExpertsInTheOthers) {
  Transformer model = with_experts(4);
  model.dense_layers = 1;
  const std::vector<WeightsOfGpu> stages = weights_of_stages(model, {.pp = 2});
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].experts, 80'000);
  EXPECT_EQ(stages[0].shared, 2 * 40'000 + 80'000 + 10'800 + 100'000);
  EXPECT_EQ(stages[1].experts, 160'000);
  EXPECT_EQ(stages[1].shared, 2 * 40'000 + 2 * 10'800 + 100'000);
  EXPECT_EQ(weights_of_gpu(model, {.pp = 2}).experts, 160'000);
}

TEST(Weights, TiedMatricesAreCopiedWhereStagesAreApart) {
  Transformer model = small();
  model.tied_embeddings = true;
  EXPECT_EQ(weights_of_gpu(model, {}).total(), 340'000);
  EXPECT_EQ(weights_of_stages(model, {.pp = 2})[1].total(), 120'000 + 100'000);
}

TEST(Weights, KeysAndValuesAreCopiedWhereTheyAreFewerThanRanks) {
  Transformer model = small();
  model.heads = 20;  // of width 5
  model.kv_heads = 2;
  const auto attention = [&](std::uint32_t tp) {
    return weights_of_gpu(model, {.tp = tp}).total() - (2 * 80'000.0 + 200'000) / tp;
  };
  EXPECT_EQ(attention(2), 2 * 100 * 5 * (2 * 10 + 2 * 1));
  EXPECT_EQ(attention(10), 2 * 100 * 5 * (2 * 2 + 2 * 1));
  EXPECT_EQ(kv_heads_of_rank(model, {.tp = 1}), 2);
}

// --- memory ----------------------------------------------------------------------------------------------------------

/// The 22B model of Korthikanti et al., table 3.
Transformer gpt22b() {
  return {.name = "22b",
          .layers = 48,
          .hidden = 6144,
          .heads = 64,
          .kv_heads = 64,
          .ffn_hidden = 24576,
          .tied_embeddings = true,
          .vocabulary = 51200,
          .sequence = 2048};
}
constexpr double kSbh = 2048.0 * 4 * 6144;  // sequence x micro-batch x width
constexpr double kLogits = 2048.0 * 4 * 51200 / 8 * 6;

double activations(const Training& training, Layout layout) {
  return memory_use(gpt22b(), training, layout, 4).activations.value;
}

TEST(Memory, ActivationsAreThoseOfKorthikantisTable2) {
  const Layout tp8 = {.tp = 8};
  Training how{.precision = Precision::fp16,
               .recompute = Recompute::none,
               .sequence_parallel = false,
               .flash_attention = false};
  const double scores = 5.0 * 64 * 2048 / 6144;  // 5 a s / h
  EXPECT_NEAR(activations(how, tp8), 48 * kSbh * (10 + 24.0 / 8 + scores / 8) + kLogits, 1);
  how.sequence_parallel = true;
  EXPECT_NEAR(activations(how, tp8), 48 * kSbh * (34 + scores) / 8 + kLogits, 1);
  how.recompute = Recompute::selective;
  EXPECT_NEAR(activations(how, tp8), 48 * kSbh * 34 / 8 + kLogits, 1);
  how.recompute = Recompute::full;  // the layers' inputs, and one layer in the open
  EXPECT_NEAR(activations(how, tp8), 48 * kSbh * 2 / 8 + kSbh * (34 + scores) / 8 + kLogits, 1);
}

TEST(Memory, AsManyMicroBatchesAreInFlightAsThereAreStages) {
  const Training how{.recompute = Recompute::none};
  const double one = 12 * kSbh * 34 / 8;  // 12 of 48 layers
  EXPECT_NEAR(activations(how, {.tp = 8, .pp = 4}), 4 * one, 1);
  // Interleaved: 2 (p-1) + (v-1) p + 1 = 11 passes of half a stage
  EXPECT_NEAR(activations(how, {.tp = 8, .pp = 4, .virtual_stages = 2}), 5.5 * one, 1);
}

TEST(Memory, WeightsGradientsAndOptimizer) {
  const double weights = (48 * 12 * 6144.0 * 6144 + 51200.0 * 6144) / 8;
  Training how{.precision = Precision::fp16, .distributed_optimizer = false};
  MemoryUse use = memory_use(gpt22b(), how, {.tp = 8, .dp = 4}, 1);
  EXPECT_NEAR(use.weights.value, 4 * weights, 1);
  EXPECT_NEAR(use.optimizer.value, 12 * weights, 1);
  how = {.precision = Precision::bf16,
         .distributed_optimizer = true};  // gradients in fp32, a quarter of the optimizer
  use = memory_use(gpt22b(), how, {.tp = 8, .dp = 4}, 1);
  EXPECT_NEAR(use.weights.value, 6 * weights, 1);
  EXPECT_NEAR(use.optimizer.value, 3 * weights, 1);
}

// --- what cannot be ----------------------------------------------------------------------------------------------------

struct Job {
  Transformer model = gpt22b();
  Training training{};
  Layout layout{.tp = 8, .pp = 4, .dp = 2};
  std::uint32_t global_batch = 64, micro_batch = 1;
  Bytes memory{80e9};
};

std::string complaint(const Job& job) {
  const auto found =
      misfit(job.model, job.training, job.layout, job.global_batch, job.micro_batch, job.memory);
  return found ? found->what + " " + found->why + "; " + found->suggestion : "";
}

/// `wrong` must be refused in these words, and `right`, which is what they suggest, must be taken.
void expect_refused(const std::string& words, const std::function<void(Job&)>& wrong,
                    const std::function<void(Job&)>& right) {
  Job job;
  ASSERT_EQ(complaint(job), "");
  wrong(job);
  EXPECT_EQ(complaint(job), words);
  right(job);
  EXPECT_EQ(complaint(job), "") << "after what \"" << words << "\" suggests";
}

TEST(Misfit, SaysWhichNumberWouldWork) {
  expect_refused(
      "job.layout.tp does not divide the 64 attention heads; 2 or 4 would",
      [](Job& job) { job.layout.tp = 3; }, [](Job& job) { job.layout.tp = 4; });
  expect_refused(
      "job.layout.tp neither divides the 8 key and value heads nor is a multiple; 8 would",
      [](Job& job) {
        job.model.heads = 48;
        job.model.kv_heads = 8;
        job.layout.tp = 12;
      },
      [](Job& job) { job.layout.tp = 8; });
  expect_refused(
      "job.layout.pp is more than the 48 layers; at most 48", [](Job& job) { job.layout.pp = 49; },
      [](Job& job) { job.layout.pp = 48; });
  expect_refused(
      "job.layout.pp leaves stages without any of the 48 layers; 24 or 48 would divide them, 24 would do",
      [](Job& job) { job.layout.pp = 36; }, [](Job& job) { job.layout.pp = 24; });
  expect_refused(
      "job.layout.virtual_stages x pp = 20 model chunks have unequal shares of 48 layers; 4 would have equal "
      "ones",
      [](Job& job) { job.layout.virtual_stages = 5; }, [](Job& job) { job.layout.virtual_stages = 4; });
  expect_refused(
      "job.layout.cp does not divide the sequence of 2048 tokens; 2 or 4 would",
      [](Job& job) { job.layout.cp = 3; }, [](Job& job) { job.layout.cp = 2; });
  expect_refused(
      "job.layout.ep does not divide the 2 data-parallel replicas; 2 would",
      [](Job& job) { job.layout.ep = 4; },
      [](Job& job) {
        job.layout.ep = 2;
        job.model.experts = 4;
        job.model.experts_per_token = 1;
        job.model.expert_ffn_hidden = 6144;
      });
  expect_refused(
      "job.layout.ep is more than 1, and the model has no experts; 1 would do",
      [](Job& job) { job.layout.ep = 2; }, [](Job& job) { job.layout.ep = 1; });
  expect_refused(
      "job.global_batch is not a multiple of dp x micro_batch = 2 x 3; 66 would fit",
      [](Job& job) { job.micro_batch = 3; }, [](Job& job) { job.global_batch = 66; });
  expect_refused(
      "job.layout.virtual_stages needs micro-batches in groups of 4, and a replica has 33; 1 would do, or a "
      "global_batch of 72",
      [](Job& job) {
        job.layout.virtual_stages = 2;
        job.global_batch = 66;
      },
      [](Job& job) { job.global_batch = 72; });
}

TEST(Misfit, SaysWhatWouldFitInMemory) {
  expect_refused(
      "job.layout needs 11 GB of a GPU's 9 GB: 5 GB for weights and gradients, 5 GB for the "
      "optimizer, 2 GB for activations; training.recompute = \"full\" would fit",
      [](Job& job) { job.memory = {9e9}; }, [](Job& job) { job.training.recompute = Recompute::full; });
  Job job;
  job.memory = {11e9};
  job.training.recompute = Recompute::full;
  job.micro_batch = 16;
  EXPECT_TRUE(complaint(job).ends_with("; micro_batch = 8 would fit")) << complaint(job);
  job.micro_batch = 8;
  EXPECT_EQ(complaint(job), "");
  job.micro_batch = 1;
  job.memory = {8e9};
  EXPECT_TRUE(complaint(job).ends_with("; pp = 8 and dp = 1 with recompute = \"full\" would fit"))
      << complaint(job);
  job.layout.pp = 8;
  job.layout.dp = 1;
  EXPECT_EQ(complaint(job), "");
}

TEST(Misfit, AbsurdSizesAreRefusedAndNothingOverflows) {
  Job job;
  job.model.layers = job.model.hidden = job.model.heads = 999'999'937;  // a prime
  job.model.kv_heads = 1;
  job.layout = {
      .tp = 1'000'000'000, .pp = 1'000'000'000, .dp = 1'000'000'000, .virtual_stages = 1'000'000'000};
  EXPECT_NE(complaint(job), "");
  job.layout = {.pp = 2, .dp = 1'000'000'000};
  job.micro_batch = 1'000'000'000;
  EXPECT_NE(complaint(job), "");
  job.layout = {};
  job.global_batch = job.micro_batch;
  EXPECT_NE(complaint(job).find("more tp or pp would help"), std::string::npos);
}

}  // namespace
}  // namespace gauntlet
