#include "config/checks/checks.hpp"

#include "config/checks/checkpoint_checks.hpp"
#include "config/checks/detection_checks.hpp"
#include "config/checks/expectations.hpp"
#include "config/checks/operator_checks.hpp"
#include "config/checks/rate_checks.hpp"
#include "config/checks/shared_checks.hpp"
#include "config/checks/uncertain.hpp"
#include "config/checks/unused_checks.hpp"
#include "config/toml/nearest.hpp"
#include "core/most_fault_kinds.hpp"
#include "models/network/fabric_network.hpp"
#include "models/step/job_size.hpp"
#include "models/topology/topology.hpp"
#include "models/world/blast_radius.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

/// One number that would make tp x cp x pp x dp the number of GPUs.
std::string fitting_layout(std::uint64_t gpus, std::uint64_t gpus_per_host, const Layout& layout) {
  const std::uint64_t group = std::uint64_t{layout.tp} * layout.cp, pp = layout.pp, dp = layout.dp;
  if (gpus % (group * pp) == 0) return "dp = " + std::to_string(gpus / (group * pp)) + " would fit";
  const std::uint64_t ranks = group * pp * dp;
  if (ranks % gpus_per_host == 0)
    return "cluster.hosts = " + std::to_string(ranks / gpus_per_host) + " would fit";
  if (gpus % (group * dp) == 0) return "pp = " + std::to_string(gpus / (group * dp)) + " would fit";
  return "dp = " + std::to_string(gpus) + " with tp = 1, cp = 1 and pp = 1 would fit";
}

/// The ranks that hold one replica of the model, or nothing where they are more than `most`.
std::optional<std::uint64_t> ranks_of_replica(const Layout& layout, std::uint64_t most) {
  std::uint64_t ranks = 1;  // each factor is at most a billion, so a product of two of them fits
  for (const std::uint64_t factor : {layout.tp, layout.cp, layout.pp}) {
    ranks *= factor;
    if (ranks > most) return std::nullopt;
  }
  return ranks;
}

/// Whether the layout has a rank for each GPU.
bool check_layout(const Place& root, const World& world) {
  if (!root.all_sound("cluster.hosts", "cluster.hardware", "job.layout")) return true;
  const Layout& layout = world.job.layout;
  const std::uint64_t per_host = world.hardware.gpus_per_host;
  const std::uint64_t gpus = per_host * world.inventory.job_hosts;
  const std::optional<std::uint64_t> replica = ranks_of_replica(layout, gpus);
  if (replica && gpus % *replica == 0 && gpus / *replica == layout.dp) return true;
  const bool contexts = layout.cp > 1;
  const std::string ranks = replica ? std::to_string(*replica * layout.dp) : "more";
  root.mistake_at(
      "job.layout",
      std::string("has tp x ") + (contexts ? "cp x " : "") + "pp x dp = " + std::to_string(layout.tp) +
          " x " + (contexts ? std::to_string(layout.cp) + " x " : "") + std::to_string(layout.pp) + " x " +
          std::to_string(layout.dp) + ", " + ranks + " ranks, where " +
          std::to_string(world.inventory.job_hosts) + " hosts of " + std::to_string(per_host) + " have " +
          std::to_string(gpus) + " GPUs",
      replica ? fitting_layout(gpus, per_host, layout)
              : std::string("tp x ") + (contexts ? "cp x " : "") + "pp must divide " + std::to_string(gpus));
  return false;
}

void check_size(const Place& root, const World& world) {
  if (!root.all_sound("cluster.hosts", "cluster.hardware", "spares.count")) return;
  const std::uint64_t widest = std::max(world.hardware.gpus_per_host, world.hardware.nics_per_host);
  const std::uint64_t components =
      widest * (std::uint64_t{world.inventory.job_hosts} + world.inventory.spares);
  if (components > std::numeric_limits<std::int32_t>::max())
    root.mistake_at(
        "cluster.hosts", "has " + std::to_string(components) + " GPUs or NICs with the spares",
        "at most " + std::to_string(std::numeric_limits<std::int32_t>::max()) + " can be told apart");
}

void check_kinds(const Place& root, const World& world) {
  if (world.faults.size() <= kMostFaultKinds) return;
  root.mistake_at("faults", "has " + std::to_string(world.faults.size()) + " kinds",
                  "results have room for " + std::to_string(kMostFaultKinds) +
                      "; merge kinds with the same effect into one");
}

/// Whether the model can be trained in this layout on this hardware. A job with a measured step time did run. What divides
/// nothing is said before ranks are counted: more hosts would not mend it.
void check_job(const Place& root, const World& world) {
  const bool sound = root.all_sound("job.global_batch", "job.micro_batch", "job.layout", "job.model",
                                    "job.training", "cluster.hardware");
  const JobModel& job = world.job;
  const Bytes memory = job.step_time > Duration::zero() ? Bytes{} : world.hardware.memory;
  const auto found =
      sound ? misfit(job.model, job.training, job.layout, job.global_batch, job.micro_batch, memory)
            : std::nullopt;
  const bool divides = !found || !found->what.starts_with("job.layout.");
  if (divides && !check_layout(root, world)) return;
  if (found) root.mistake_at(found->what, found->why, found->suggestion);
}

/// Whether every host can reach every other.
void check_fabric(const Place& root, const World& world) {
  if (!root.all_sound("cluster.hosts", "cluster.hardware", "cluster.hosts_per_tor", "cluster.network",
                      "spares.count"))
    return;
  const auto found =
      fabric_misfit(world.inventory.hosts(), world.inventory.hosts_per_tor, world.hardware, world.fabric);
  const auto too_large = found ? found : network_misfit(world);
  if (too_large) root.mistake_at(too_large->what, too_large->why, too_large->suggestion);
}

/// What a cluster lacks for the traces of faults of that kind: all of them, so that one mend is enough.
std::string remedy_of_traces(const World& world, ComponentKind kind, std::uint32_t count) {
  if (count == 0) return "this cluster has none";
  const std::string last = "the last one is " + std::to_string(count - 1);
  std::uint64_t needed = count;
  for (const FaultKind& fault : world.faults)
    for (const auto& [at, component] : fault.trace)
      if (fault.component == kind) needed = std::max(needed, std::uint64_t{component} + 1);
  const std::uint32_t per_host = kind == ComponentKind::host  ? 1
                                 : kind == ComponentKind::gpu ? world.hardware.gpus_per_host
                                 : kind == ComponentKind::nic ? world.hardware.nics_per_host
                                                              : 0;
  if (per_host == 0) return last;
  const std::uint64_t hosts = (needed + per_host - 1) / per_host;
  return last + "; the traces of this scenario need " + std::to_string(hosts) +
         " hosts: write spares.count = " + std::to_string(hosts - world.inventory.job_hosts) +
         ", or more cluster.hosts";
}

/// Records number the hosts that failed from zero on. Where they are of a much smaller cluster, most hosts of this one never
/// fail. The traces of all faults are taken together, because each host may fail in another way.
void warn_of_small_records(const Place& root, const World& world) {
  constexpr std::size_t kFewest = 10;  // so many hosts in a row are no chance, and not written by hand
  std::vector<bool> named;
  const FaultKind* first = nullptr;
  for (const FaultKind& fault : world.faults) {
    if (fault.trace.empty() || fault.component != ComponentKind::host) continue;
    if (first == nullptr) first = &fault;
    for (const auto& [at, host] : fault.trace) {
      if (host >= named.size()) named.resize(host + 1);
      named[host] = true;
    }
  }
  const std::uint32_t hosts = world.inventory.hosts();
  const bool in_a_row = std::ranges::all_of(named, [](bool each) { return each; });
  if (named.size() < kFewest || !in_a_row || hosts <= 2 * named.size()) return;
  root.warning_at(
      "faults." + first->name + ".trace",
      "and the other traces name the first " + std::to_string(named.size()) + " of " + std::to_string(hosts) +
          " hosts: the other hosts never fail in these ways",
      "take records of a cluster of this size, or the rates of `gauntlet trace fit --nodes N --out FILE`");
}

void check_trace(const Place& root, const World& world) {
  if (!root.all_sound("cluster", "spares")) return;
  for (const FaultKind& fault : world.faults) {
    const std::string path = "faults." + fault.name + ".trace";
    if (!root.all_sound("faults." + fault.name + ".component", path)) continue;
    const std::uint32_t count = component_count(world, fault.component);
    const auto beyond = std::find_if(fault.trace.begin(), fault.trace.end(),
                                     [&](const auto& onset) { return onset.second >= count; });
    if (beyond == fault.trace.end()) continue;
    root.mistake_at(path, "names component " + std::to_string(beyond->second),
                    remedy_of_traces(world, fault.component, count));
  }
  if (root.sound("faults")) warn_of_small_records(root, world);
}

/// A job that goes on with fewer data-parallel replicas.
void check_smaller(const Place& root, const Scenario& scenario) {
  const World& world = scenario.world;
  const RecoveryConstants& recovery = scenario.policies.recovery;
  if (recovery.wait_for_spare == kForever && recovery.least_replicas > 1 &&
      root.sound("recovery.least_replicas"))
    root.mistake_at("recovery.least_replicas", "is given, and the job waits for a host forever",
                    "write wait_for_spare = \"10min\" there, or leave it out");
  if (recovery.wait_for_spare == kForever || !root.all_sound("job.layout", "cluster.hardware", "job.model",
                                                             "job.training", "recovery.least_replicas"))
    return;
  const SparesModel& spares = world.spares;
  double coming = 0;  // seconds, on average, for a host that does not stand by ready
  if (spares.cold > 0) coming = std::max(coming, spares.selection.mean() + spares.cold_time.mean());
  if (spares.pool > 0) coming = std::max(coming, spares.selection.mean() + spares.preemption.mean());
  if (root.sound("spares") && recovery.wait_for_spare < from_seconds(coming))
    root.warning_at(
        "recovery.wait_for_spare",
        "is shorter than cold or pooled spares take, " + to_text(from_seconds(coming)) + " on average",
        "the job continues with fewer replicas before they come, and stops again for them: write that or "
        "more");
  const std::uint32_t fewest = fewest_replicas(world), all = world.job.layout.dp;
  const std::uint32_t most = all - replicas_in_whole_hosts(world.job.layout, world.hardware.gpus_per_host);
  if (fewest == 0)
    root.mistake_at(
        "recovery.wait_for_spare",
        "lets the job go on with fewer data-parallel replicas, and those of job.layout share hosts of " +
            std::to_string(world.hardware.gpus_per_host) +
            " GPUs with others than could be left out with them",
        "leave it out, or choose job.layout.dp so that dp x tp x cp of every " +
            std::string("pipeline stage fills whole hosts"));
  else if (fewest > most)
    root.mistake_at("recovery.wait_for_spare",
                    "lets the job go on with fewer data-parallel replicas, and the " + std::to_string(all) +
                        " of job.layout.dp are as few as fit their memory and whole hosts",
                    "leave it out");
  else if (recovery.least_replicas < fewest && root.given("recovery.least_replicas"))
    root.mistake_at(
        "recovery.least_replicas",
        "is too few: the state of the job does not fit into their memory, or they do not fill whole hosts",
        "write " + std::to_string(fewest) + " or more");
  else if (recovery.least_replicas > most && root.given("recovery.least_replicas"))
    root.mistake_at(
        "recovery.least_replicas",
        "is more than " + std::to_string(most) +
            ", the most in whole hosts that are fewer than job.layout.dp = " + std::to_string(all),
        "write " + std::to_string(fewest) + " to " + std::to_string(most));
}

/// A job that is given up before it runs, as a rule.
void check_start_deadline(const Place& root, const Scenario& scenario) {
  const Duration deadline = scenario.policies.recovery.start_deadline;
  if (deadline == kForever || !root.all_sound("recovery.start_deadline", "job.start")) return;
  const StartChain& start = scenario.world.job.start;
  double seconds = 0;  // growth aside
  for (const Law* each : {&start.provisioning, &start.scheduling, &start.process_start,
                          &start.communicator_init, &start.data_loader, &start.warm_up})
    seconds += each->mean();
  if (deadline <= from_seconds(seconds))
    root.mistake_at("recovery.start_deadline",
                    (root.given("job.restart_time")
                         ? std::string("is over before a restart is (job.restart_time), which takes ")
                         : std::string("is over before the phases of job.start are, which take ")) +
                        to_text(from_seconds(seconds)) + " on average",
                    "write more than that");
}

void check_planned_stops(const Place& root, const JobModel& job) {
  if (!root.all_sound("job.planned", "job.window") || job.window == Duration::zero()) return;
  const bool late = std::any_of(job.planned_stops.begin(), job.planned_stops.end(),
                                [&](const PlannedStop& stop) { return stop.at >= kStart + job.window; });
  if (late)
    root.mistake_at("job.planned.times", "has a stop after the window of " + to_text(job.window),
                    "leave it out");
}

/// Free repairs are not the default: they would make every spare enough.
void check_repair(const Place& root, const World& world) {
  if (root.given("repair.time") || !root.sound("repair.time")) return;
  const auto repaired = std::find_if(world.faults.begin(), world.faults.end(), [&](const FaultKind& fault) {
    const std::string path = "faults." + fault.name;
    return fault.remedy == Remedy::repair &&
           root.all_sound(path + ".component", path + ".effect", path + ".remedy");
  });
  if (repaired != world.faults.end())
    root.mistake_at("repair.time", "is missing, and the remedy of faults." + repaired->name + " is a repair",
                    "write [repair] time = \"8h\", or remedy = \"restart\" where that cures the fault");
}

}  // namespace

void connect_repairs(const Place& root, World& world) {
  const auto by_cause = root.find("repair.by_cause");
  if (!by_cause || by_cause->value().table() == nullptr) return;
  std::vector<std::string> faults;
  for (const FaultKind& fault : world.faults) faults.push_back(fault.name);
  std::size_t number = 0;  // entries are described in the order of their names
  for (const auto& [name, value] : *by_cause->value().table()) {
    const auto found = std::find(faults.begin(), faults.end(), name);
    if (found == faults.end()) {
      by_cause->mistake_of_key(name, "is not a fault of this scenario", suggest_names(name, faults));
    } else if (number < world.repair.by_cause.size()) {
      const auto fault = static_cast<std::uint32_t>(found - faults.begin());
      world.repair.by_cause[number].first.value = fault;
      const std::string remedy = "faults." + name + ".remedy";
      if (root.sound(remedy) && world.faults[fault].remedy != Remedy::repair)
        by_cause->warning_at(name, "has no effect: " + remedy + " is not a repair",
                             "write remedy = \"repair\" there, or leave it out");
    }
    ++number;
  }
}

void check_scenario(const Place& root, const Scenario& scenario) {
  check_size(root, scenario.world);
  check_kinds(root, scenario.world);
  check_job(root, scenario.world);
  check_fabric(root, scenario.world);
  check_shared(root, scenario.world);
  check_checkpoints(root, scenario);
  check_smaller(root, scenario);
  check_start_deadline(root, scenario);
  check_detection(root, scenario);
  check_trace(root, scenario.world);
  check_planned_stops(root, scenario.world.job);
  check_operators(root, scenario.world);
  check_rates(root, scenario);
  check_repair(root, scenario.world);
  check_uncertain(root, scenario.study.uncertain);
  warn_of_unused(root, scenario);
}

}  // namespace gauntlet
