#include "cli/launchers.hpp"

#include "core/contract.hpp"
#include "real/driver/lab_launcher.hpp"
#include "real/driver/local_launcher.hpp"
#include "real/launch/slurm_launcher.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

namespace gauntlet {
namespace {

std::optional<Problem> make_local(const LaunchRequest& request, std::unique_ptr<Launcher>& out) {
  DrillCertificates certificates;
  if (!request.certificates.empty()) {
    if (auto problem = load_drill_certificates(request.certificates, certificates)) return problem;
  }
  out = std::make_unique<LocalLauncher>(
      AgentCommand{.gauntlet = request.gauntlet, .trainer = request.trainer, .run_as = request.run_as},
      std::move(certificates));
  return std::nullopt;
}

std::optional<Problem> make_slurm(const LaunchRequest& request, std::unique_ptr<Launcher>& out) {
  std::string why;
  std::optional<Slurm> slurm = Slurm::of_environment(why);
  if (!slurm)
    return Problem{
        .what = "--launch slurm",
        .why = "cannot be used: " + why,
        .suggestion =
            "run it in an allocation: salloc --no-kill --kill-command=TERM --nodes=N gauntlet drill ..."};
  const std::uint32_t hosts = request.world->inventory.hosts();
  if (slurm->nodes().size() < hosts)
    return Problem{.what = "--launch slurm",
                   .why = "needs a node for each of the " + std::to_string(hosts) + " hosts, and job " +
                          slurm->job() + " has " + std::to_string(slurm->nodes().size()),
                   .suggestion = "allocate as many nodes: salloc --no-kill --nodes=" + std::to_string(hosts)};
  out = std::make_unique<SlurmLauncher>(
      std::move(*slurm),
      SlurmLauncher::Wanted{
          .command = {.gauntlet = request.gauntlet, .trainer = request.trainer, .run_as = request.run_as},
          .authority = request.certificates,
          .hosts = hosts,
          .own_job = request.world->drill.command.given(),
          .name = request.world->name});
  return std::nullopt;
}

std::optional<Problem> make_lab(const LaunchRequest& request, std::unique_ptr<Launcher>& out) {
  QuotaSystem quotas;
  if (auto problem = problem_of_lab(*request.world, quotas)) return problem;
  out = std::make_unique<LabLauncher>(
      *request.world,
      LabLauncher::Setup{
          .command = {.gauntlet = request.gauntlet, .trainer = request.trainer, .run_as = request.run_as},
          .certificates = request.certificates,
          .quotas = quotas,
          .cores = std::max(std::thread::hardware_concurrency(), 1U)});
  return std::nullopt;
}

struct KnownLauncher {
  const char* name;
  SignalSources sources;
  const InjectionKinds* injections;
  std::optional<Problem> (*make)(const LaunchRequest& request, std::unique_ptr<Launcher>& out);
};

constexpr auto kLaunchers =
    std::to_array<KnownLauncher>({{"local", {.interfaces = false}, &kSignalsToRanks, make_local},
                                  {"lab", {.interfaces = true}, &kAllInjections, make_lab},
                                  {"slurm", {.interfaces = true}, &kSignalsToRanks, make_slurm}});

const KnownLauncher& known(const std::string& name) {
  const auto found = std::find_if(kLaunchers.begin(), kLaunchers.end(),
                                  [&](const KnownLauncher& each) { return each.name == name; });
  expect(found != kLaunchers.end(), "the command line knows the names");
  return *found;
}

}  // namespace

std::vector<std::string> launcher_names() {
  std::vector<std::string> names;
  for (const KnownLauncher& each : kLaunchers) names.emplace_back(each.name);
  return names;
}

SignalSources sources_of_launcher(const std::string& launcher) { return known(launcher).sources; }

const InjectionKinds& injections_of_launcher(const std::string& launcher) {
  return *known(launcher).injections;
}

std::optional<Problem> make_launcher(const LaunchRequest& request, std::unique_ptr<Launcher>& out) {
  return known(request.launcher).make(request, out);
}

}  // namespace gauntlet
