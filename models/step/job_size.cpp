#include "models/step/job_size.hpp"

#include "models/step/step.hpp"

namespace gauntlet {

World with_replicas(const World& world, std::uint32_t replicas, std::uint32_t sequences) {
  World sized = world;
  sized.inventory.layout = world.job.layout;
  sized.inventory.gpus_per_host = world.hardware.gpus_per_host;
  sized.inventory = with_replicas(sized.inventory, replicas);
  sized.job.layout = sized.inventory.layout;
  sized.job.global_batch = sequences;
  sized.job.step_time = Duration::zero();
  return sized;
}

World with_replicas(const World& world, std::uint32_t replicas) {
  const JobModel& job = world.job;
  World sized = with_replicas(world, replicas, job.global_batch / job.layout.dp * replicas);
  if (job.step_time == Duration::zero()) return sized;
  double ratio = 1;
  if (world.hardware.peak.value > 0) {
    const World whole = with_replicas(world, job.layout.dp, job.global_batch);
    ratio = to_seconds(StepModel(sized).healthy()) / to_seconds(StepModel(whole).healthy());
  }
  sized.job.step_time = from_seconds(to_seconds(job.step_time) * ratio);
  return sized;
}

Duration whole_step(const World& world, std::uint32_t replicas) {
  const std::uint32_t all = world.job.layout.dp;
  if (replicas == all) return world.job.step_time;
  const double share = 1.0 * replicas / all;
  return from_seconds(to_seconds(with_replicas(world, replicas).job.step_time) / share);
}

std::uint32_t fewest_replicas(const World& world) {
  const JobModel& job = world.job;
  const std::uint32_t unit = replicas_in_whole_hosts(job.layout, world.hardware.gpus_per_host);
  if (unit == 0 || job.step_time > Duration::zero()) return unit;
  Layout layout = job.layout;
  const auto has_room = [&](std::uint32_t units) {
    layout.dp = units * unit;
    return memory_use(job.model, job.training, layout, job.micro_batch).total() <= world.hardware.memory;
  };
  std::uint32_t too_few = 0,
                enough = job.layout.dp / unit;  // the more there are, the smaller the share of each
  while (enough - too_few > 1) {
    const std::uint32_t middle = too_few + (enough - too_few) / 2;
    (has_room(middle) ? enough : too_few) = middle;
  }
  return enough * unit;
}

}  // namespace gauntlet
