// The explicit schedule of a degraded step.
#include "models/step/step_private.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

/// Exposed seconds of the data-parallel collectives of each stage: its slowest group counts.
std::vector<double> data_of_stages(const StepModel::Parts& parts, const Bandwidths& bandwidths) {
  std::vector<double> out(parts.layout.pp, parts.data.when(1));
  for (const DimensionBandwidth::SlowGroup& group :
       bandwidths[static_cast<std::size_t>(Dimension::data)].slow) {
    const std::uint32_t first = parts.layout.ranks_of_group(Dimension::data, group.group).front();
    double& seconds = out[parts.layout.coordinates(first).pp];
    seconds = std::max(seconds, parts.data.when(parts.times_longer(Dimension::data, group.bandwidth)));
  }
  return out;
}

}  // namespace

Scheduled run_schedule(const StepModel::Parts& parts, const ClusterState& state,
                       const Bandwidths& bandwidths) {
  std::vector<Perturbed> replicas = perturbed_replicas(parts, state, bandwidths);
  // One that nothing perturbs stands for all of those; where there are none, none is on time.
  if (replicas.size() * parts.layout.ep < parts.layout.dp || replicas.empty())
    replicas.insert(replicas.begin(),
                    unperturbed(parts, replicas.empty() || replicas[0].replica > 0 ? 0 : parts.layout.dp));
  std::vector<double> finish(parts.layout.pp, 0), optimizer(parts.layout.pp, 0);
  std::vector<const Perturbed*> last(parts.layout.pp, &replicas.front());
  std::vector<std::pair<const Perturbed*, std::vector<double>>> known;
  for (const Perturbed& replica : replicas) {
    const auto alike = std::ranges::find_if(known, [&](const auto& one) { return one.first->like(replica); });
    if (alike != known.end() && state.jitter == 0) continue;  // no later than the other
    known.emplace_back(&replica, state.jitter == 0
                                     ? parts.finish(replica)
                                     : pipeline_finish(parts.shape, chunk_times(parts, replica, state.jitter),
                                                       replica.stalls));
    const std::vector<double>& theirs = known.back().second;
    for (std::size_t s = 0; s < finish.size(); ++s) {
      if (theirs[s] > finish[s]) {
        finish[s] = theirs[s];
        last[s] = &replica;
      }
      optimizer[s] = std::max(optimizer[s], parts.optimizer * replica.stages[s].slow.optimizer);
    }
  }
  const std::vector<double> data = data_of_stages(parts, bandwidths);
  Scheduled out;
  for (std::uint32_t s = 0; s < finish.size(); ++s) {
    out.pipeline_end = std::max(out.pipeline_end, finish[s]);
    const double total = finish[s] + data[s] + optimizer[s];
    if (total <= out.total) continue;
    out.total = total;
    out.data = data[s];
    out.optimizer = optimizer[s];
    out.stage = s;
    out.replica = *last[s];
  }
  return out;
}

namespace {

/// What the slowest stage of a replica does in a step.
PassParts slowest_stage(const StepModel::Parts& parts, const Perturbed& replica) {
  PassParts slowest;
  for (std::uint32_t s = 0; s < parts.shape.stages; ++s) {
    PassParts each;
    for (std::uint32_t c = s; c < parts.chunks.size(); c += parts.shape.stages)
      for (const bool backward : {false, true}) each += pass_parts(parts, replica, c, backward);
    if (each.total() > slowest.total()) slowest = each;
  }
  return slowest;
}

/// What the critical path is made of; jitter counts as compute.
PassParts along_critical_path(const StepModel::Parts& parts, const Scheduled& outcome, double jitter) {
  const Perturbed& replica = outcome.replica;
  PassParts sum;
  for (const ScheduledPass& pass :
       critical_path(parts.shape, chunk_times(parts, replica, jitter), replica.stalls, outcome.stage)) {
    PassParts of = pass_parts(parts, replica, pass.chunk * parts.shape.stages + pass.stage, pass.backward);
    of.compute += pass.end - pass.begin - of.total();
    sum += of;
  }
  return sum;
}

}  // namespace

StepTimes charge(const StepModel::Parts& parts, const Scheduled& outcome, double jitter) {
  const PassParts path = along_critical_path(parts, outcome, jitter);
  const PassParts one = slowest_stage(parts, outcome.replica);
  constexpr double kLongest = 5e8;  // seconds: parts of 16 years add up without overflow, in proportion
  const double m = parts.shape.micro_batches, scale = std::min(parts.scale(), kLongest / outcome.total);
  const auto time = [&](double seconds) { return from_seconds(std::max(0.0, seconds) * scale); };
  StepTimes times;
  times.total = from_seconds(outcome.total * scale);
  times.compute = time(std::min(m * one.compute, path.compute));
  times.recompute = time(std::min(m * one.recompute, path.recompute));
  times.tensor = time(path.tensor);
  times.context = time(path.context);
  times.expert = time(path.expert);
  times.latency = time(path.latency);
  times.pipeline = time(std::min(m * one.transfer, path.transfer));
  times.data = time(outcome.data);
  times.optimizer = time(outcome.optimizer);
  const Duration charged = times.compute + times.recompute + times.tensor + times.context + times.expert +
                           times.latency + times.pipeline + times.data + times.optimizer;
  times.bubble = times.total - charged;
  if (times.bubble < Duration::zero()) {  // nanoseconds of rounding
    times.compute += times.bubble;
    times.bubble = Duration::zero();
  }
  times.model_flops = parts.model_flops;
  if (parts.peak.value > 0) times.mfu = parts.model_flops.value / (outcome.total * scale * parts.peak.value);
  return times;
}

}  // namespace gauntlet
