#include "models/step.hpp"

#include "core/contract.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

constexpr double kActivationBytes = 2;  // bf16
constexpr double kWeightBytes = 2;      // bf16, gathered once a step
// Gradients are reduced in fp32: Llama 3, section 3.3.2, https://arxiv.org/abs/2407.21783
constexpr double kGradientBytes = 4;

// Adam on a shard, per parameter: reads gradient, master weight and two moments, writes the last three in
// fp32 and the weight in bf16 (sizes: Rajbhandari et al., section 3.1, https://arxiv.org/abs/1910.02054).
constexpr double kOptimizerBytes = 4 * 4 + 3 * 4 + 2;

// The backward pass has two matrix products for each one of the forward pass.
constexpr double kForwardAndBackward = 3;

/// Forward, one token, one layer: two FLOPs for each weight, and attention over the whole sequence.
double layer_flops(const Transformer& model) {
  const double hidden = model.hidden;
  const double kv_width = hidden * model.kv_heads / model.heads;
  const double projections = 2 * hidden * hidden + 2 * hidden * kv_width;
  const double mlp = (model.gated_mlp ? 3 : 2) * hidden * static_cast<double>(model.ffn_hidden);
  const double attention = 4 * hidden * model.sequence;  // query x key, and the result x value
  return 2 * (projections + mlp) + attention;
}

/// Forward, one token: the product with the vocabulary, on the last stage.
double logits_flops(const Transformer& model) { return 2.0 * model.hidden * model.vocabulary; }

std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; }

/// Forward, one token. Where stages cannot have equally many layers, the last one, which has the vocabulary
/// to multiply with, is the first to get one less, as in Llama 3 (section 3.3.2,
/// https://arxiv.org/abs/2407.21783).
double slowest_stage_flops(const Transformer& model, std::uint32_t stages) {
  const std::uint32_t most = ceil_div(model.layers, stages);
  const std::uint32_t last = model.layers % stages == 0 ? most : most - 1;
  return std::max(most * layer_flops(model), last * layer_flops(model) + logits_flops(model));
}

/// Bandwidth of one GPU, each direction.
Bandwidth nvlink_of_gpu(const Hardware& hardware) { return hardware.nvlink / 2; }
Bandwidth nics_of_gpu(const Hardware& hardware) {
  return hardware.nic * (static_cast<double>(hardware.nics_per_host) / hardware.gpus_per_host);
}

double seconds(double bytes, Bandwidth bandwidth) {
  expect(bandwidth.value > 0, "what a layout needs has a bandwidth");
  return bytes / bandwidth.value;
}

/// What each member of a ring of `n` sends, as a share of the data, in a reduce-scatter or an all-gather.
double ring_share(std::uint32_t n) { return (n - 1.0) / n; }

}  // namespace

Flops model_flops_per_token(const Transformer& model) {
  return {kForwardAndBackward * (model.layers * layer_flops(model) + logits_flops(model))};
}

StepModel::StepModel(const World& world) {
  const JobModel& job = world.job;
  model_flops_ =
      model_flops_per_token(job.model) * (static_cast<double>(job.global_batch) * job.model.sequence);
  peak_ = world.hardware.peak * job.layout.ranks();
  if (job.step_time != Duration::zero()) {
    compute_ = to_seconds(job.step_time);
  } else {
    derive(world);
  }
  healthy_ = evaluate({}).total;
}

void StepModel::derive(const World& world) {
  const JobModel& job = world.job;
  const Hardware& hardware = world.hardware;
  const Layout& layout = job.layout;
  const Calibration& stack = job.calibration;
  expect(hardware.peak.value > 0 && stack.gemm_efficiency > 0, "compute has a rate");

  const double tokens = static_cast<double>(job.micro_batch) * job.model.sequence;
  const double activations = tokens * job.model.hidden * kActivationBytes;
  const double weights_of_gpu = job.model.parameters / (static_cast<double>(layout.tp) * layout.pp);

  micro_batches_ = ceil_div(job.global_batch, layout.dp * job.micro_batch);
  fill_and_drain_ = (layout.pp - 1.0) / layout.virtual_stages;
  compute_ = kForwardAndBackward * slowest_stage_flops(job.model, layout.pp) * tokens / layout.tp /
             (hardware.peak.value * stack.gemm_efficiency);

  // each layer reduces twice forward and twice backward: Megatron-LM, arXiv:1909.08053, figure 4
  if (layout.tp > 1) {
    tensor_.over_nics = layout.tp > hardware.gpus_per_host;
    const Bandwidth wires = tensor_.over_nics ? nics_of_gpu(hardware) : nvlink_of_gpu(hardware);
    const double reduces = 4.0 * ceil_div(job.model.layers, layout.pp);
    const double sent =
        2 * ring_share(layout.tp) * activations;  // all-reduce is a reduce-scatter and an all-gather
    tensor_.seconds = stack.tensor_exposed * reduces * seconds(sent, wires);
  }
  // each virtual stage sends forward and backward; a tensor-parallel rank sends its share
  if (layout.pp > 1) {
    pipeline_.over_nics = layout.ranks() > hardware.gpus_per_host;
    const Bandwidth wires = pipeline_.over_nics ? nics_of_gpu(hardware) : nvlink_of_gpu(hardware);
    const double sent = 2.0 * layout.virtual_stages * activations / layout.tp;
    pipeline_.seconds = stack.pipeline_exposed * seconds(sent, wires);
  }
  if (layout.dp > 1) {  // a ring enters and leaves each host once, over the NICs of all its members there
    data_.over_nics = layout.tp * layout.dp > hardware.gpus_per_host;
    const std::uint32_t members = std::min(layout.dp, std::max(1u, hardware.gpus_per_host / layout.tp));
    const Bandwidth wires = data_.over_nics ? nics_of_gpu(hardware) * members : nvlink_of_gpu(hardware);
    const double sent = ring_share(layout.dp) * weights_of_gpu * (kGradientBytes + kWeightBytes);
    data_.seconds = stack.data_exposed * seconds(sent, wires);
  }
  optimizer_ = seconds(weights_of_gpu / layout.dp * kOptimizerBytes, hardware.memory_bandwidth);
}

StepTimes StepModel::evaluate(const Degradation& degraded) const {
  expect(degraded.compute_factor >= 1 && degraded.network_factor >= 1, "degraded is no faster than healthy");
  const double repeats = micro_batches_ + fill_and_drain_;
  const double compute = compute_ * degraded.compute_factor;
  StepTimes times{.compute = from_seconds(micro_batches_ * compute),
                  .bubble = from_seconds(fill_and_drain_ * compute),
                  .tensor = from_seconds(repeats * tensor_.slowed(degraded.network_factor)),
                  .pipeline = from_seconds(repeats * pipeline_.slowed(degraded.network_factor)),
                  .data = from_seconds(data_.slowed(degraded.network_factor)),
                  .optimizer = from_seconds(optimizer_),
                  .model_flops = model_flops_};
  times.total = times.compute + times.bubble + times.tensor + times.pipeline + times.data + times.optimizer;
  if (peak_.value > 0) times.mfu = model_flops_.value / (to_seconds(times.total) * peak_.value);
  return times;
}

}  // namespace gauntlet
