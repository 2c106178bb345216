#include "core/contract.hpp"
#include "models/bytes.hpp"
#include "models/step/step_private.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

PassTimes operator*(double times, const PassTimes& of) {
  return {times * of.compute, times * of.tensor, times * of.context, times * of.expert, times * of.latency};
}
PassTimes operator+(const PassTimes& a, const PassTimes& b) {
  return {a.compute + b.compute, a.tensor + b.tensor, a.context + b.context, a.expert + b.expert,
          a.latency + b.latency};
}

ChunkWork work_of(double dense, double sparse, const LayerTimes& dense_layer,
                  const LayerTimes& sparse_layer) {
  ChunkWork out;
  out.forward = dense * dense_layer.forward + sparse * sparse_layer.forward;
  out.backward = dense * dense_layer.backward + sparse * sparse_layer.backward;
  out.recomputed = dense * dense_layer.recomputed + sparse * sparse_layer.recomputed;
  return out;
}

std::vector<ChunkWork> all_chunks(const World& world, const PipelineShape& shape,
                                  const Bandwidths& bandwidths) {
  const JobModel& job = world.job;
  const Wires wires = {.tensor = ring_bandwidth(bandwidths[static_cast<std::size_t>(Dimension::tensor)]),
                       .context = ring_bandwidth(bandwidths[static_cast<std::size_t>(Dimension::context)]),
                       .expert = bandwidths[static_cast<std::size_t>(Dimension::expert)].healthy};
  const auto layer = [&](bool with_experts) {
    return layer_times(job.model, job.training, job.layout, job.micro_batch, world.hardware, job.calibration,
                       wires, with_experts);
  };
  const LayerTimes dense = layer(false), sparse = job.model.experts > 0 ? layer(true) : dense;
  const double dense_layers = job.model.experts > 0 ? job.model.dense_layers : job.model.layers;
  std::vector<ChunkWork> out;
  double before = 0;
  for (const double count :
       layers_of_chunks(job.model.layers, shape.stages, shape.stages * shape.virtual_stages)) {
    const double of_dense = std::clamp(dense_layers - before, 0.0, count);
    out.push_back(work_of(of_dense, count - of_dense, dense, sparse));
    before += count;
  }
  const LayerTimes logits =
      logits_times(job.model, job.layout, job.micro_batch, world.hardware, job.calibration);
  out.back().forward = out.back().forward + logits.forward;
  out.back().backward = out.back().backward + logits.backward;
  if (shape.stages > 1) {  // forward and backward; a tensor-parallel rank sends its share
    const double tokens = static_cast<double>(job.model.sequence) / job.layout.cp * job.micro_batch;
    const double bytes = kHalfBytes * tokens * job.model.hidden / job.layout.tp;
    const double wire = bandwidths[static_cast<std::size_t>(Dimension::pipeline)].healthy.value;
    for (ChunkWork& chunk : out) chunk.transfer = bytes / wire;
  }
  return out;
}

/// What one GPU sends of so many weights in a group: a sharded optimizer reduces and scatters gradients and gathers weights,
/// another reduces gradients everywhere.
double bytes_of_data(const Training& training, double weights, double members) {
  const double gradient = gradient_bytes(training.precision);
  const double sent = training.distributed_optimizer ? gradient + kHalfBytes : 2 * gradient;
  return (members - 1) / members * weights * sent;
}

}  // namespace

StepModel::Parts::Parts(const World& world, Network of_fabric)
    : network(std::move(of_fabric)),
      layout(world.job.layout),
      hardware(world.hardware),
      bandwidths(network({})),
      model_flops(model_flops_per_token(world.job.model) *
                  (static_cast<double>(world.job.global_batch) * world.job.model.sequence)),
      peak(hardware.peak * layout.ranks()),
      measured(to_seconds(world.job.step_time)),
      factor(world.job.step_time_factor) {
  const JobModel& job = world.job;
  const std::uint32_t each = layout.dp * job.micro_batch;
  shape = {.stages = layout.pp,
           .virtual_stages = layout.virtual_stages,
           .micro_batches = std::max(1u, (job.global_batch + each - 1) / each)};
  if (shape.micro_batches % shape.stages != 0)
    shape.virtual_stages = 1;  // interleaved schedules take whole groups
  repeats = shape.micro_batches + (shape.stages - 1.0) / shape.virtual_stages;
  if (hardware.peak.value > 0)
    derive(world);
  else
    all_compute();
  double tau = 0;
  for (std::uint32_t s = 0; s < shape.stages; ++s) {
    double stage = 0;
    for (std::size_t c = s; c < chunks.size(); c += shape.stages) stage += chunks[c].total();
    tau = std::max(tau, stage);
  }
  closed_form = repeats * tau + data.when(1) + optimizer;
  equal_chunks = std::ranges::all_of(chunks, [&](const ChunkWork& chunk) {
    const auto alike = [](double a, double b) { return std::max(a, b) - std::min(a, b) <= 1e-9 * a; };
    return alike(chunks[0].forward.total(), chunk.forward.total()) && alike(chunks[0].total(), chunk.total());
  });
}

void StepModel::Parts::derive(const World& world) {
  const JobModel& job = world.job;
  chunks = all_chunks(world, shape, bandwidths);
  const WeightsOfGpu weights = weights_of_gpu(job.model, layout);
  const double members = layout.size(Dimension::data);
  const double of_experts = std::max(1.0, members / layout.ep);  // replicas of one expert
  const Training& training = job.training;
  if (members > 1) {
    const double bytes = bytes_of_data(training, weights.shared, members) +
                         bytes_of_data(training, weights.experts, of_experts);
    data.wire = bytes / ring_bandwidth(bandwidths[static_cast<std::size_t>(Dimension::data)]).value;
    data.exposed = data.wire * job.calibration.data_exposed;
  }
  const double own = training.distributed_optimizer ? weights.shared / members + weights.experts / of_experts
                                                    : weights.total();
  optimizer =
      own * kOptimizerTrafficBytes / (hardware.memory_bandwidth.value * job.calibration.memory_efficiency);
}

void StepModel::Parts::all_compute() {
  expect(measured > 0, "GPUs without a rate have a measured step time");
  const double of_chunk = measured / repeats / shape.virtual_stages;
  ChunkWork chunk;
  chunk.forward.compute = of_chunk / 3;  // two matrix products backward for each one forward
  chunk.backward.compute = 2 * of_chunk / 3;
  chunks.assign(static_cast<std::size_t>(shape.stages) * shape.virtual_stages, chunk);
}

const std::vector<double>& StepModel::Parts::healthy_finish() const {
  std::call_once(scheduled_, [this] {
    healthy_finish_ = pipeline_finish(shape, chunk_times(*this, unperturbed(*this, 0), 0), {});
  });
  return healthy_finish_;
}

std::vector<double> StepModel::Parts::finish(const Perturbed& replica) const {
  if (replica.like(unperturbed(*this, 0))) return healthy_finish();
  const auto schedule = [&] {
    return pipeline_finish(shape, chunk_times(*this, replica, 0), replica.stalls);
  };
  if (!replica.stalls.empty()) return schedule();
  {
    const std::lock_guard lock(finishes_guard_);
    if (const auto known = finishes_.find(replica.stages); known != finishes_.end()) return known->second;
  }
  std::vector<double> ends = schedule();
  const std::lock_guard lock(finishes_guard_);
  constexpr std::size_t kMost = 4096;  // of some hundred bytes each
  if (finishes_.size() < kMost) finishes_.emplace(replica.stages, ends);
  return ends;
}

double StepModel::Parts::healthy_total() const {
  return equal_chunks ? closed_form : std::ranges::max(healthy_finish()) + data.when(1) + optimizer;
}

double StepModel::Parts::healthy_at_least() const {
  if (equal_chunks) return closed_form;
  constexpr double kRounding = 1e-9;  // of the sums of a schedule
  const double passes = pipeline_at_least(shape, chunk_times(*this, unperturbed(*this, 0), 0));
  return (1 - kRounding) * passes + data.when(1) + optimizer;
}

const StepTimes& StepModel::Parts::healthy_times() const {
  std::call_once(charged_,
                 [this] { healthy_times_ = charge(*this, run_schedule(*this, {}, bandwidths), 0); });
  return healthy_times_;
}

}  // namespace gauntlet
