#include "commands/step/step.hpp"

#include "commands/step/critical.hpp"
#include "commands/step/length.hpp"
#include "commands/step/pictures.hpp"
#include "models/step/step.hpp"
#include "models/workload.hpp"

#include <stdexcept>

namespace gauntlet {
namespace {

StepBreakdown breakdown_of(const StepTimes& times) {
  return {.total = times.total,
          .compute = times.compute,
          .recompute = times.recompute,
          .bubble = times.bubble,
          .tensor_bandwidth = times.tensor,
          .context = times.context,
          .expert = times.expert,
          .latency = times.latency,
          .pipeline = times.pipeline,
          .data = times.data,
          .optimizer = times.optimizer};
}

StepMemory memory_of(const World& world) {
  const JobModel& job = world.job;
  const MemoryUse use = memory_use(job.model, job.training, job.layout, job.micro_batch);
  return {.weights = use.weights,
          .optimizer = use.optimizer,
          .activations = use.activations,
          .capacity = world.hardware.memory};
}

std::vector<StepBandwidth> bandwidths_of(const Layout& layout, const Bandwidths& all) {
  std::vector<StepBandwidth> out;
  for (std::size_t i = 0; i < kDimensions; ++i) {
    const auto dimension = static_cast<Dimension>(i);
    if (layout.size(dimension) == 1) continue;
    out.push_back({.dimension = dimension,
                   .members = layout.size(dimension),
                   .healthy = all[i].healthy,
                   .slowest = all[i].slowest(),
                   .over_nics = all[i].over_nics});
  }
  return out;
}

StepReport facts_of(const World& world) {
  const JobModel& job = world.job;
  StepReport report;
  report.scenario = world.name;
  report.version = GAUNTLET_VERSION;
  report.model = job.model.name;
  report.hardware = world.hardware.name;
  report.stack = job.calibration.stack;
  report.layout = job.layout;
  report.hosts = world.inventory.job_hosts;
  report.gpus_per_host = world.hardware.gpus_per_host;
  report.global_batch = job.global_batch;
  report.micro_batch = job.micro_batch;
  report.micro_batches = job.global_batch / (job.layout.dp * job.micro_batch);
  report.tokens = static_cast<double>(job.global_batch) * job.model.sequence;
  report.given = job.step_time > Duration::zero();
  if (!report.given) report.factor = job.step_time_factor;
  report.memory = memory_of(world);
  return report;
}

}  // namespace

StepAnswer examine(const World& world, const Degraded& degraded, const StepNetwork& network,
                   Pictures pictures) {
  const StepModel model = network.model ? StepModel(world, network.model) : StepModel(world);
  const ClusterState& state = degraded.state;
  const StepTimes times = model.evaluate(state);
  StepAnswer answer{.report = facts_of(world), .pictures = std::nullopt};
  StepReport& report = answer.report;
  report.network = network.name;
  report.model_flops = times.model_flops;
  report.mfu = times.mfu;
  report.healthy = model.healthy();
  report.formula = model.formula();
  report.time = breakdown_of(times);
  report.bandwidths = bandwidths_of(report.layout, model.bandwidths(state.network));
  report.degraded = degraded.parts;
  if (const std::optional<std::string> why = too_long(report)) throw std::runtime_error(*why);
  report.critical = critical_of(model, state, times.total);
  if (pictures == Pictures::all) answer.pictures = pictures_of(model, world, state, report);
  return answer;
}

}  // namespace gauntlet
