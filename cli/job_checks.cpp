#include "cli/job_checks.hpp"

#include "config/host_suite.hpp"
#include "policies/controller/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>

namespace gauntlet {

std::vector<Problem> check_lines(const Scenario& scenario) {
  const JobCommand& command = scenario.world.drill.command;
  const std::string& checkpoint = scenario.policies.names.checkpoint;
  if (!command.lines.any() || checkpoint == "fixed") return {};
  return {{.what = fmt::format("policies.checkpoint = \"{}\"", checkpoint),
           .why = "cannot be drilled with drill.command.lines: a job that only prints lines cannot be told a "
                  "new interval",
           .suggestion = "write \"fixed\""}};
}

std::vector<Problem> check_sizes(const Scenario& scenario) {
  const World& world = scenario.world;
  const JobModel& job = world.job;
  const RecoveryConstants& recovery = scenario.policies.recovery;
  const std::uint32_t unit = replicas_in_whole_hosts(job.layout, world.hardware.gpus_per_host);
  if (world.drill.command.given() || unit == 0) return {};
  const bool shrinks = recovery.wait_for_spare != kForever;
  std::uint32_t multiple = job.micro_batch;
  std::optional<std::uint32_t> uneven;
  for (std::uint32_t replicas = job.layout.dp; replicas > 0; replicas -= unit) {
    if (replicas < job.layout.dp && (!shrinks || replicas < recovery.least_replicas)) break;
    multiple = std::lcm(multiple, replicas * job.micro_batch);
    if (!uneven && job.global_batch % (replicas * job.micro_batch) != 0) uneven = replicas;
  }
  if (!uneven) return {};
  return {
      {.what = fmt::format("job.global_batch = {}", job.global_batch),
       .why = fmt::format(
           "cannot be drilled with {} data-parallel replicas, which the trainer gives equal shares of "
           "micro-batches",
           *uneven),
       .suggestion = fmt::format("write a multiple of {}, or a higher recovery.least_replicas", multiple)}};
}

std::vector<Problem> check_signals(const Scenario& scenario, const SignalSources& sources) {
  const PolicyNames& policies = scenario.policies.names;
  std::vector<Problem> problems;
  const auto check = [&](const std::string& what, const std::string& who, std::span<const Signal> signals,
                         const std::string& key) {
    for (const Signal signal : signals) {
      const std::string why = why_not_reported(scenario.world, signal, sources);
      if (why.empty()) continue;
      problems.push_back(
          {.what = fmt::format("{} = \"{}\"", what, who),
           .why = fmt::format("needs the signal \"{}\", which no agent of this drill reports: {}",
                              kSignalNames[static_cast<std::size_t>(signal)], why),
           .suggestion = fmt::format("leave {} out of {}", who, key)});
    }
  };
  for (const std::string& name : policies.detect) {
    const auto known = detector_names();
    if (std::find(known.begin(), known.end(), name) == known.end()) continue;  // of a study: it knows itself
    check("policies.detect", name, signals_of_detector(name), "policies.detect");
  }
  check("policies.diagnose", policies.diagnose, signals_of_diagnoser(policies.diagnose), "policies.diagnose");
  return problems;
}

ProbeMeasures probes_of(const LoadedScenario& loaded) {
  const LoadedSuite suite = host_suite_of(loaded.resolved);
  ProbeMeasures measures;
  for (const auto* probes : {&suite.probes, &suite.others})
    for (const SuiteEntry& each : *probes) measures.emplace(each.name, each.measure);
  return measures;
}

}  // namespace gauntlet
