#include "commands/new/mix.hpp"

#include "config/checks/expectations.hpp"
#include "config/scenario.hpp"
#include "study/option_problem.hpp"

#include <fmt/format.h>

#include <utility>

namespace gauntlet {
namespace {

/// One host of that hardware, and what goes wrong with it.
std::string scenario_with(const std::string& profile, const std::string& hardware, std::uint32_t gpus) {
  return fmt::format(
      "extends = \"catalog/faults/{}.toml\"\n"
      "[cluster]\nhosts = 1\nhardware = \"{}\"\n"
      "[job]\nmodel = \"llama3-8b\"\nglobal_batch = {}\nstep_time = \"1s\"\nwindow = \"30d\"\n"
      "[job.layout]\ndp = {}\n[storage]\nfree = true\n[repair]\ntime = \"1h\"\n",
      profile, hardware, gpus, gpus);
}

/// Whether the rate of the fault is proportional to the number of hosts.
bool grows_with_hosts(const FaultKind& fault) {
  const ComponentKind kind = fault.component;
  return fault.trace.empty() && fault.clock == FaultClock::always && fault.prevalence.value == 0 &&
         (kind == ComponentKind::host || kind == ComponentKind::gpu || kind == ComponentKind::nic);
}

}  // namespace

FaultMixRead read_mix(const std::string& profile, const std::string& hardware, std::uint32_t gpus_per_host) {
  FaultMixRead out;
  const LoadedScenario loaded = load_scenario_text(scenario_with(profile, hardware, gpus_per_host), "--mix");
  if (!loaded.scenario) {
    out.problems = loaded.problems;
    return out;
  }
  FaultMix mix;
  for (const FaultKind& fault : loaded.scenario->world.faults) {
    if (!stops_job(fault.effect) || !grows_with_hosts(fault)) {
      out.problems.push_back(option_problem(
          "--mix", '"' + profile + '"',
          fmt::format(
              "has the fault {}, which {}: a count of failures cannot be split by it", fault.name,
              grows_with_hosts(fault) ? "does not stop the job" : "has no rate of hosts, GPUs or NICs"),
          "choose a profile of failures that stop a job, such as llama3"));
      return out;
    }
    const double rate = expected_rate(loaded.scenario->world, fault);
    mix.faults.push_back(fault.name);
    mix.per_host_second += rate;
    if (fault.remedy == Remedy::repair) mix.share_repaired += rate;
  }
  mix.share_repaired /= mix.per_host_second;
  out.mix = std::move(mix);
  return out;
}

}  // namespace gauntlet
