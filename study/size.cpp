#include "study/size.hpp"

#include "config/fields/scenario_parts.hpp"
#include "models/step/job_size.hpp"
#include "models/step/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace gauntlet {
namespace {

/// As config/ has it for cluster.hosts and job.global_batch.
constexpr std::uint64_t kMostSequences = 1'000'000'000;

/// Whether so many replicas share the batch evenly, in whole groups of micro-batches where stages are interleaved, and
/// expert-parallel groups are whole (models/workload.hpp, misfit).
bool works(const JobModel& job, std::uint64_t dp, BatchScaling batch) {
  if (dp % job.layout.ep != 0) return false;
  if (batch == BatchScaling::scaled) return true;
  const std::uint64_t at_once = dp * job.micro_batch;
  return job.global_batch % at_once == 0 &&
         (job.layout.virtual_stages == 1 || job.global_batch / at_once % job.layout.pp == 0);
}

/// The least GPUs that are whole replicas in whole hosts.
std::uint64_t whole_replicas(const Scenario& base) {
  return std::lcm(replica_gpus(base.world.job.layout), std::uint64_t{base.world.hardware.gpus_per_host});
}

/// The sizes next to `gpus`, at or below it and above it, that work; 0 where there is none.
struct Neighbours {
  std::uint64_t below = 0, above = 0;
};

Neighbours neighbours(const Scenario& base, std::uint64_t gpus, BatchScaling batch) {
  const World& world = base.world;
  const std::uint64_t unit = size_unit(base), replica = replica_gpus(world.job.layout);
  const std::uint64_t most = std::uint64_t{kMostHosts} * world.hardware.gpus_per_host / unit;
  const std::uint64_t units = std::min(gpus / unit, most);
  // More replicas than sequences divide nothing, and every ep-th number of replicas has whole groups: both searches end.
  const std::uint64_t last =
      batch == BatchScaling::scaled ? most : std::min(most, world.job.global_batch * replica / unit);
  Neighbours found;
  for (std::uint64_t n = std::min(units, last); n > 0 && found.below == 0; --n)
    if (works(world.job, n * unit / replica, batch)) found.below = n * unit;
  for (std::uint64_t n = units + 1; n <= last && found.above == 0; ++n)
    if (works(world.job, n * unit / replica, batch)) found.above = n * unit;
  return found;
}

/// Of this many replicas, by the step model alone.
Duration modelled_step(const World& world, std::uint64_t dp, std::uint64_t batch) {
  return StepModel(with_replicas(world, static_cast<std::uint32_t>(dp), static_cast<std::uint32_t>(batch)))
      .healthy();
}

Problem no_such_size(const Scenario& base, std::uint64_t gpus, BatchScaling batch) {
  const Layout& layout = base.world.job.layout;
  Problem problem;
  problem.what = fmt::format("{} GPUs", gpus);
  if (gpus % whole_replicas(base) != 0) {
    problem.why = fmt::format("are not whole pipeline replicas of {} in whole hosts of {}",
                              replica_text(layout), base.world.hardware.gpus_per_host);
  } else if (gpus > 0 && gpus / replica_gpus(layout) % layout.ep != 0) {
    problem.why = fmt::format("have dp = {}, which expert-parallel groups of {} do not divide",
                              gpus / replica_gpus(layout), layout.ep);
  } else if (batch == BatchScaling::kept && gpus > 0 && layout.virtual_stages > 1) {
    problem.why = fmt::format(
        "have dp = {}, which with micro_batch = {} does not divide the global batch of {} that is to be kept "
        "into groups "
        "of pp = {} micro-batches, as virtual stages need them",
        gpus / replica_gpus(layout), base.world.job.micro_batch, base.world.job.global_batch, layout.pp);
  } else if (batch == BatchScaling::kept && gpus > 0) {
    problem.why = fmt::format(
        "have dp = {}, which with micro_batch = {} does not divide the global batch of {} that is to be kept",
        gpus / replica_gpus(layout), base.world.job.micro_batch, base.world.job.global_batch);
  } else {
    problem.why = "are not a size that a job can have";
  }
  const auto [below, above] = neighbours(base, gpus, batch);
  if (below > 0 && above > 0) {
    problem.suggestion = fmt::format("{} or {} would work", below, above);
  } else if (below + above > 0) {
    problem.suggestion = fmt::format("{} would work", below + above);
  }
  return problem;
}

}  // namespace

std::uint64_t replica_gpus(const Layout& layout) { return std::uint64_t{layout.tp} * layout.cp * layout.pp; }

std::string replica_text(const Layout& layout) {
  return layout.cp == 1 ? fmt::format("tp x pp = {} x {}", layout.tp, layout.pp)
                        : fmt::format("tp x cp x pp = {} x {} x {}", layout.tp, layout.cp, layout.pp);
}

std::uint64_t size_unit(const Scenario& base) {
  return std::lcm(whole_replicas(base), replica_gpus(base.world.job.layout) * base.world.job.layout.ep);
}

std::uint64_t growth_unit(const Scenario& base) {
  const Layout& layout = base.world.job.layout;
  const std::uint64_t unit = size_unit(base), per_host = base.world.hardware.gpus_per_host;
  const std::uint64_t of_stage = std::uint64_t{layout.tp} * layout.cp;  // GPUs of each replica
  if (of_stage * layout.dp % per_host != 0) return unit;
  return std::lcm(unit, replica_gpus(layout) * (per_host / std::gcd(per_host, of_stage)));
}

std::uint32_t warm_spares(const World& world) {
  return world.inventory.spares - world.spares.cold - world.spares.pool;
}

std::uint64_t size_of(const Scenario& base) {
  return std::uint64_t{base.world.inventory.job_hosts} * base.world.hardware.gpus_per_host;
}

std::uint64_t nearest_size(const Scenario& base, std::uint64_t gpus, BatchScaling batch) {
  const auto [below, above] = neighbours(base, gpus, batch);
  if (below == 0) return above > 0 ? above : size_of(base);
  return above == 0 || gpus - std::min(gpus, below) <= above - gpus ? below : above;
}

Resized resized(const Scenario& base, std::uint64_t gpus, BatchScaling batch) {
  const World& world = base.world;
  const JobModel& job = world.job;
  if (gpus == size_of(base)) return {};
  const std::uint64_t dp = gpus / replica_gpus(job.layout), hosts = gpus / world.hardware.gpus_per_host;
  const std::uint64_t sequences =
      batch == BatchScaling::kept ? job.global_batch : std::uint64_t{job.global_batch} / job.layout.dp * dp;
  const bool fits = gpus > 0 && gpus % size_unit(base) == 0 && hosts <= kMostHosts &&
                    sequences <= kMostSequences && works(job, dp, batch);
  if (!fits) return {{}, no_such_size(base, gpus, batch)};

  Resized out;
  out.settings = {{"cluster.hosts", std::to_string(hosts)}, {"job.layout.dp", std::to_string(dp)}};
  if (sequences != job.global_batch) out.settings.push_back({"job.global_batch", std::to_string(sequences)});
  if (job.step_time > Duration::zero()) {
    const double ratio = to_seconds(modelled_step(world, dp, sequences)) /
                         to_seconds(modelled_step(world, job.layout.dp, job.global_batch));
    out.settings.push_back({"job.step_time", to_text(from_seconds(to_seconds(job.step_time) * ratio))});
  }
  return out;
}

}  // namespace gauntlet
