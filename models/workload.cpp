#include "models/workload.hpp"

#include "models/bytes.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

constexpr double kBackwardToo = 3;  // two matrix products backward for each one forward

/// How many layers have a dense MLP, and how many have experts.
struct LayerKinds {
  explicit LayerKinds(const Transformer& model)
      : dense(model.experts > 0 ? model.dense_layers : model.layers), sparse(model.layers - dense) {}
  double dense, sparse;
};

/// Bytes of activations that one GPU keeps of a token in one layer, by operator as Korthikanti et al. count them, sec. 4.1
/// (34 h and 5 a s of a GPT layer). Linear layers keep their input in 8 bits under fp8; gated models have no dropout.
double kept_by_layer(const Transformer& model, const Training& training, const Layout& layout,
                     bool with_experts) {
  const double tp = layout.tp, hidden = model.hidden, head = model.head_size();
  const double norms = training.sequence_parallel ? tp : 1;
  if (training.recompute == Recompute::full) return kHalfBytes * hidden / norms;
  const double linear = training.precision == Precision::fp8 ? 1 : kHalfBytes;
  const double mask = model.gated_mlp ? 0 : 1;
  const double visits =
      with_experts ? static_cast<double>(model.experts_per_token) + model.shared_experts : 1;
  const double width = visits * (with_experts ? model.expert_ffn_hidden : model.ffn_hidden) / tp;
  const double gates = model.gated_mlp ? 2 : 1;
  const bool cheap_ones_again = training.recompute == Recompute::selective && training.flash_attention;
  double kept = 2 * hidden * (kHalfBytes + mask) / norms;  // inputs of norms, dropout masks
  kept +=
      kHalfBytes * head * (2.0 * model.heads / tp + 2 * kv_heads_of_rank(model, layout));  // q, k, v, output
  kept += kHalfBytes * gates * width;  // into the activation function
  if (!cheap_ones_again)
    kept += hidden * linear * (1 + visits) / norms + linear * width;  // into linear layers
  if (training.recompute == Recompute::none && !training.flash_attention)
    kept += 5.0 * model.heads * model.sequence / layout.cp / tp;
  return kept;
}

}  // namespace

ParameterCount count_parameters(const Transformer& model) {
  ParameterCount out;
  const double hidden = model.hidden, head = model.head_size();
  const double matrices = model.gated_mlp ? 3 : 2;
  out.layer_attention = hidden * head * (2.0 * model.heads + 2.0 * model.kv_heads);
  out.layer_mlp = matrices * hidden * model.ffn_hidden;
  const double expert = matrices * hidden * model.expert_ffn_hidden;
  const double router = hidden * model.experts;
  if (model.experts > 0) out.layer_experts = expert * model.experts;
  out.layer_shared = expert * model.shared_experts + router;
  out.embedding = static_cast<double>(model.vocabulary) * hidden;
  out.output = model.tied_embeddings ? 0 : out.embedding;
  const LayerKinds layers(model);
  const double visited = expert * model.experts_per_token + out.layer_shared;
  const double both = model.layers * out.layer_attention + layers.dense * out.layer_mlp;
  out.multiplied = both + layers.sparse * visited + out.embedding;
  out.total = both + layers.sparse * (out.layer_experts + out.layer_shared) + out.embedding + out.output;
  out.active = both + layers.sparse * visited + out.embedding + out.output;
  return out;
}

Flops model_flops_per_token(const Transformer& model, FlopCount count) {
  const ParameterCount parameters = count_parameters(model);
  const double scores = 4.0 * model.heads * model.head_size() * model.sequence * model.layers;
  const double forward = 2 * parameters.multiplied + scores;
  const double whole = kBackwardToo * forward;
  switch (count) {
    case FlopCount::whole:
      return {whole};
    case FlopCount::causal:
      return {whole - kBackwardToo * scores / 2};
    case FlopCount::hardware:
      return {whole + forward - 2 * parameters.embedding};
  }
  return {whole};
}

std::vector<double> layers_of_chunks(std::uint32_t layers, std::uint32_t stages, std::uint32_t chunks) {
  if ((layers + 2) % chunks == 0 && layers % chunks != 0 && chunks > 1) {
    std::vector<double> out(chunks, (layers + 2) / chunks);
    --out.front();
    --out.back();
    return out;
  }
  if (layers % stages == 0) return std::vector<double>(chunks, static_cast<double>(layers) / chunks);
  const std::uint32_t most = (layers + chunks - 1) / chunks;
  std::vector<double> out;
  for (std::uint32_t left = layers; out.size() < chunks; left -= std::min(most, left))
    out.push_back(std::min(most, left));
  return out;
}

double kv_heads_of_rank(const Transformer& model, const Layout& layout) {
  return std::max(1.0, static_cast<double>(model.kv_heads) / layout.tp);
}

namespace {

/// The layers of each stage by kind. The dense ones come first.
struct StageLayers {
  double dense = 0, sparse = 0;
};

std::vector<StageLayers> layers_of_stages(const Transformer& model, const Layout& layout) {
  const LayerKinds kinds(model);
  std::vector<StageLayers> out(layout.pp);
  double before = 0;
  std::size_t chunk = 0;
  for (const double layers : layers_of_chunks(model.layers, layout.pp, layout.pp * layout.virtual_stages)) {
    const double dense = std::clamp(kinds.dense - before, 0.0, layers);
    StageLayers& stage = out[chunk++ % layout.pp];
    stage.dense += dense;
    stage.sparse += layers - dense;
    before += layers;
  }
  return out;
}

std::vector<WeightsOfGpu> weights_of(const Transformer& model, const Layout& layout,
                                     const std::vector<StageLayers>& stages) {
  const ParameterCount count = count_parameters(model);
  const double tp = layout.tp, hidden = model.hidden;
  const double attention =
      hidden * model.head_size() * (2.0 * model.heads / tp + 2 * kv_heads_of_rank(model, layout));
  const double router = hidden * model.experts;  // every tensor-parallel rank has it whole
  const double dense = attention + count.layer_mlp / tp;
  const double sparse = attention + (count.layer_shared - router) / tp + router;
  std::vector<WeightsOfGpu> out;
  for (const StageLayers& stage : stages)
    out.push_back({.shared = stage.dense * dense + stage.sparse * sparse,
                   .experts = stage.sparse * count.layer_experts / layout.ep / tp});
  out.front().shared += count.embedding / tp;
  // A tied output matrix is a copy of the embedding, unless one stage has both.
  out.back().shared += (out.size() > 1 ? count.embedding : count.output) / tp;
  return out;
}

/// Of one stage: what it does of each sort with `tokens` of a micro-batch.
class StageMemory {
 public:
  StageMemory(const Transformer& model, const Training& training, const Layout& layout,
              std::uint32_t micro_batch)
      : training_(training),
        layout_(layout),
        tokens_(static_cast<double>(model.sequence) / layout.cp * micro_batch),
        logits_(tokens_ * model.vocabulary / layout.tp * kLogitBytes),
        kept_(both(model, training)) {
    Training open = training;
    open.recompute = Recompute::none;
    if (training.recompute == Recompute::full) open_ = both(model, open);
    const double replicas = static_cast<double>(layout.dp) * layout.cp;
    if (!training.distributed_optimizer) return;
    shards_ = replicas;
    expert_shards_ = std::max(1.0, replicas / layout.ep);
  }

  MemoryUse of(std::uint32_t stage, const StageLayers& layers, const WeightsOfGpu& held) const {
    double activations =
        tokens_ * in_flight(stage) * (layers.dense * kept_.dense + layers.sparse * kept_.sparse);
    activations +=
        tokens_ * std::max(layers.dense > 0 ? open_.dense : 0, layers.sparse > 0 ? open_.sparse : 0);
    if (stage + 1 == layout_.pp) activations += logits_;
    return {.weights = {held.total() * (kHalfBytes + gradient_bytes(training_.precision))},
            .optimizer = {(held.shared / shards_ + held.experts / expert_shards_) * kOptimizerStateBytes},
            .activations = {activations}};
  }

 private:
  static constexpr double kLogitBytes = 6;  // in 16 bits, and as fp32 for the loss

  StageLayers both(const Transformer& model, const Training& training) const {
    return {kept_by_layer(model, training, layout_, false), kept_by_layer(model, training, layout_, true)};
  }

  /// So many forward passes of a chunk come before a stage's first backward one (models/step/schedule.hpp), as shares of the stage.
  double in_flight(std::uint32_t stage) const {
    const double after = layout_.pp - stage - 1.0, v = layout_.virtual_stages;
    return v > 1 ? (2 * after + (v - 1) * layout_.pp + 1) / v : after + 1;
  }

  const Training& training_;
  const Layout& layout_;
  double tokens_, logits_;
  StageLayers kept_, open_;  // bytes of a token in one layer of each kind
  double shards_ = 1, expert_shards_ = 1;
};

}  // namespace

std::vector<WeightsOfGpu> weights_of_stages(const Transformer& model, const Layout& layout) {
  return weights_of(model, layout, layers_of_stages(model, layout));
}

WeightsOfGpu weights_of_gpu(const Transformer& model, const Layout& layout) {
  return std::ranges::max(weights_of_stages(model, layout), {}, &WeightsOfGpu::total);
}

MemoryUse memory_use(const Transformer& model, const Training& training, const Layout& layout,
                     std::uint32_t micro_batch) {
  const std::vector<StageLayers> layers = layers_of_stages(model, layout);
  const std::vector<WeightsOfGpu> weights = weights_of(model, layout, layers);
  const StageMemory memory(model, training, layout, micro_batch);
  MemoryUse most;
  for (std::uint32_t stage = 0; stage < layout.pp; ++stage) {
    const MemoryUse use = memory.of(stage, layers[stage], weights[stage]);
    if (stage == 0 || use.total() > most.total()) most = use;
  }
  return most;
}

}  // namespace gauntlet
