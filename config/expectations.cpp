#include "config/expectations.hpp"

#include "models/fault/blast_radius.hpp"
#include "models/storage.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

double components_in_job(const World& world, ComponentKind kind) {
  const double hosts = world.inventory.job_hosts;
  if (kind == ComponentKind::gpu) return hosts * world.hardware.gpus_per_host;
  if (kind == ComponentKind::nic) return hosts * world.hardware.nics_per_host;
  if (kind == ComponentKind::host) return hosts;
  return component_count(world, kind);
}

/// Failures per second.
double rate(const World& world, const FaultKind& fault) {
  if (fault.trace.empty()) return components_in_job(world, fault.component) / fault.life.mean();
  const double seconds = to_seconds(world.job.window);
  return seconds > 0 ? static_cast<double>(fault.trace.size()) / seconds : 0;
}

}  // namespace

Duration expected_mtbf(const World& world) {
  double failures_per_second = 0;
  for (const FaultKind& fault : world.faults)
    if (stops_job(fault.effect)) failures_per_second += rate(world, fault);
  if (failures_per_second <= 0) return kForever;
  return std::max(from_seconds(1 / failures_per_second), Duration(1));
}

Duration expected_checkpoint_cost(const World& world) { return checkpoint_costs(world)[Tier::storage].stall; }

}  // namespace gauntlet
