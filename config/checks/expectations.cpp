#include "config/checks/expectations.hpp"

#include "models/world/blast_radius.hpp"
#include "policies/controller/registry.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

double components_in_job(const World& world, ComponentKind kind) {
  const double hosts = world.inventory.job_hosts;
  if (kind == ComponentKind::gpu) return hosts * world.hardware.gpus_per_host;
  if (kind == ComponentKind::nic) return hosts * world.hardware.nics_per_host;
  if (kind == ComponentKind::host) return hosts;
  return component_count(world, kind);
}

/// How much weight `count` components have together, each of the weight of its batch.
double weight_of_batches(const std::vector<Batch>& batches, double count) {
  double weight = count;
  for (const Batch& batch : batches) {
    const double first = batch.first, end = std::min(batch.last + 1.0, count);
    if (first < end) weight += (end - first) * (batch.factor - 1);
  }
  return weight;
}

/// The mean of a curve over so many seconds.
double mean_of_curve(const std::vector<std::pair<Time, double>>& curve, double seconds) {
  if (!(seconds > 0)) return 1;
  double from = 0, height = 1, area = 0;
  for (const auto& [at, factor] : curve) {
    const double until = std::min(to_seconds(at - kStart), seconds);
    area += (until - from) * height;
    from = until;
    height = factor;
  }
  return (area + (seconds - from) * height) / seconds;
}

/// Per second: the onsets in the window; without a window, all of them over the time up to the last.
double rate_of_trace(const std::vector<std::pair<Time, std::uint32_t>>& trace, Duration window) {
  Duration watched = window;
  if (watched == Duration::zero())
    for (const auto& [onset, component] : trace) watched = std::max(watched, onset - kStart);
  const auto met =
      std::ranges::count_if(trace, [&](const auto& each) { return each.first - kStart <= watched; });
  return watched > Duration::zero() ? static_cast<double>(met) / to_seconds(watched) : 0;
}

}  // namespace

double expected_rate(const World& world, const FaultKind& fault) {
  const double seconds = to_seconds(world.job.window);
  if (fault.trace.empty()) {
    const RateProfile& profile = fault.profile;
    const double lemons = 1 + profile.lemons.share * (profile.lemons.factor - 1);
    return weight_of_batches(profile.batches, components_in_job(world, fault.component)) * lemons *
           mean_of_curve(profile.curve, seconds) / fault.life.mean();
  }
  return rate_of_trace(fault.trace, world.job.window);
}

Duration expected_mtbf(const World& world) {
  double failures_per_second = 0;
  for (const FaultKind& fault : world.faults)
    if (stops_job(fault.effect)) failures_per_second += expected_rate(world, fault);
  if (failures_per_second <= 0) return kForever;
  return std::max(from_seconds(1 / failures_per_second), Duration(1));
}

bool layout_stands(const World& world) {
  const Layout& layout = world.job.layout;
  const double ranks = 1.0 * layout.tp * layout.cp * layout.pp * layout.dp;
  return ranks == 1.0 * world.inventory.job_hosts * world.hardware.gpus_per_host &&
         layout.dp % layout.ep == 0;
}

CheckpointCosts expected_costs(const World& world) {
  return layout_stands(world) ? checkpoint_costs(world) : CheckpointCosts{};
}

std::vector<std::string> detectors_for(const Telemetry& telemetry) {
  std::vector<std::string> fit;
  for (const std::string_view name : usual_detectors()) {
    const auto signals = signals_of_detector(name);
    const bool carried = std::all_of(signals.begin(), signals.end(), [&](Signal signal) {
      return telemetry.carries[static_cast<std::size_t>(signal)];
    });
    if (carried) fit.emplace_back(name);
  }
  return fit;
}

}  // namespace gauntlet
