// What is trained, and how the software stack trains it: dimensions, precision, what is recomputed, what is sharded.
#pragma once

#include "core/layout.hpp"
#include "core/quantity.hpp"
#include "models/precision.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// A decoder transformer, dense or with a mixture of experts.
struct Transformer {
  std::string name;
  double parameters = 0;  // all, embeddings included, as its authors state it
  std::uint32_t layers = 1;
  std::uint32_t hidden = 1;
  std::uint32_t heads = 1;
  std::uint32_t kv_heads = 1;
  std::uint32_t head_dim = 0;  // 0: hidden / heads
  std::uint32_t ffn_hidden = 1;
  bool gated_mlp = false;
  bool tied_embeddings = false;  // the output matrix is the embedding's transpose
  std::uint32_t vocabulary = 1;
  std::uint32_t sequence = 1;           // tokens
  std::uint32_t experts = 0;            // routed ones in each layer that has experts; 0: dense
  std::uint32_t experts_per_token = 0;  // routed ones that a token visits
  std::uint32_t shared_experts = 0;     // that every token visits
  std::uint32_t expert_ffn_hidden = 0;
  std::uint32_t dense_layers = 0;  // the first layers, which have no experts

  std::uint32_t head_size() const { return head_dim > 0 ? head_dim : hidden / heads; }
};

enum class Recompute : std::uint8_t {
  none,
  selective,  // the attention core: Korthikanti et al., https://arxiv.org/abs/2205.05198; with flash attention, which never
  // keeps it, norms and activation functions: https://arxiv.org/abs/2412.19437, sec. 3.2.3
  full,  // every layer's forward pass
};

/// How the job is trained, beside its layout.
struct Training {
  Precision precision = Precision::bf16;
  Recompute recompute = Recompute::selective;
  bool sequence_parallel = true;      // layer norms and dropouts are split over the tensor-parallel ranks
  bool distributed_optimizer = true;  // optimizer state is sharded over data-parallel ranks (ZeRO-1)
  bool flash_attention = true;        // scores stay on chip
  bool overlap_tensor = false;        // tensor-parallel collectives run beside the matrix products
  friend bool operator==(const Training&, const Training&) = default;
};

/// Parameters counted from the dimensions: all of them, and those that one token uses.
struct ParameterCount {
  double layer_attention = 0;  // of one layer
  double layer_mlp = 0;        // of one dense layer
  double layer_experts = 0;    // of one layer with experts: all routed ones
  double layer_shared = 0;  // ... its shared experts and its router, which expert parallelism does not divide
  double embedding = 0;     // the output matrix has as many
  double output = 0;        // of the output matrix; zero where tied to the embedding
  double multiplied = 0;    // those that one token is multiplied with, the output matrix included
  double total = 0;
  double active = 0;  // those that one token uses
};
ParameterCount count_parameters(const Transformer& model);

/// Which operations a rate counts.
enum class FlopCount : std::uint8_t {
  whole,     // forward and backward, the whole attention matrix: eq. 7 of https://arxiv.org/abs/2205.05198
  causal,    // the same with half of the attention matrix, which is all that a causal mask leaves
  hardware,  // `whole` and every layer's forward pass once more: eq. 3 of https://arxiv.org/abs/2104.04473
};

/// Forward and backward of `model` on one token, extended to grouped queries, gates and experts. What published MFU
/// figures count, unless they say otherwise, is `whole`.
Flops model_flops_per_token(const Transformer& model, FlopCount count = FlopCount::whole);

/// Layers of each chunk along the model; `chunks` of them on `stages` stages. Where the layers and two more (the embedding
/// and the output matrix) divide, the first and the last chunk have one layer less, as in Llama 3 (sec. 3.3.2,
/// https://arxiv.org/abs/2407.21783) and BLOOM; where they divide into stages alone, chunks have parts of a layer.
std::vector<double> layers_of_chunks(std::uint32_t layers, std::uint32_t stages, std::uint32_t chunks);

/// Key and value heads that one tensor-parallel rank works on. Where there are fewer of them than ranks, each rank has a whole
/// one, a copy: Shazeer, https://arxiv.org/abs/1911.02150; Megatron-LM's num_query_groups.
double kv_heads_of_rank(const Transformer& model, const Layout& layout);

/// Parameters whose weights one GPU holds. Experts have their own data-parallel group, which is ep times smaller.
struct WeightsOfGpu {
  double shared = 0;   // attention, dense MLPs, shared experts, routers, embedding and output matrix
  double experts = 0;  // routed ones
  double total() const { return shared + experts; }
};
/// Of each pipeline stage, first to last.
std::vector<WeightsOfGpu> weights_of_stages(const Transformer& model, const Layout& layout);
/// Of the stage that holds the most.
WeightsOfGpu weights_of_gpu(const Transformer& model, const Layout& layout);

/// Of one GPU of the fullest pipeline stage: the one where the sum of these is largest.
struct MemoryUse {
  Bytes weights;      // with their gradients
  Bytes optimizer;    // master weights and moments
  Bytes activations;  // of the micro-batches in flight, of one layer while it is recomputed, and the logits
  Bytes total() const { return weights + optimizer + activations; }
};
MemoryUse memory_use(const Transformer& model, const Training& training, const Layout& layout,
                     std::uint32_t micro_batch);

/// Why a layout cannot train a model, with the number that would work; nothing where it can. `memory`: of one GPU.
struct Misfit {
  std::string what;        // the field: "job.layout.tp"
  std::string why;         // "does not divide 96 heads"
  std::string suggestion;  // "8 or 6 would"
};
std::optional<Misfit> misfit(const Transformer& model, const Training& training, const Layout& layout,
                             std::uint32_t global_batch, std::uint32_t micro_batch, Bytes memory);

}  // namespace gauntlet
