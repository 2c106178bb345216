#include "cli/launchers.hpp"

#include "cli/host_file.hpp"
#include "core/contract.hpp"
#include "real/driver/drill.hpp"
#include "real/launch/given_launcher.hpp"
#include "real/launch/lab_launcher.hpp"
#include "real/launch/local_launcher.hpp"
#include "real/launch/slurm_launcher.hpp"
#include "real/watchdog/all_injectors.hpp"
#include "shell/interrupt.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

namespace gauntlet {
namespace {

std::vector<Problem> make_local(const LaunchRequest& request, std::unique_ptr<Launcher>& out) {
  DrillCertificates certificates;
  if (!request.certificates.empty()) {
    if (auto problem = load_drill_certificates(request.certificates, certificates)) return {*problem};
  }
  out = std::make_unique<LocalLauncher>(
      AgentCommand{.gauntlet = request.gauntlet, .trainer = request.trainer, .run_as = request.run_as},
      std::move(certificates));
  return {};
}

std::vector<Problem> make_slurm(const LaunchRequest& request, std::unique_ptr<Launcher>& out) {
  std::string why;
  std::optional<Slurm> slurm = Slurm::of_environment(why);
  if (!slurm)
    return {
        {.what = "--launch slurm",
         .why = "cannot be used: " + why,
         .suggestion =
             "run it in an allocation: salloc --no-kill --kill-command=TERM --nodes=N gauntlet drill ..."}};
  const std::uint32_t hosts = request.world->inventory.hosts();
  if (slurm->nodes().size() < hosts)
    return {{.what = "--launch slurm",
             .why = "needs a node for each of the " + std::to_string(hosts) + " hosts, and job " +
                    slurm->job() + " has " + std::to_string(slurm->nodes().size()),
             .suggestion = "allocate as many nodes: salloc --no-kill --nodes=" + std::to_string(hosts)}};
  out = std::make_unique<SlurmLauncher>(
      std::move(*slurm),
      SlurmLauncher::Wanted{
          .command = {.gauntlet = request.gauntlet, .trainer = request.trainer, .run_as = request.run_as},
          .authority = request.certificates,
          .hosts = hosts,
          .own_job = request.world->drill.command.given(),
          .name = request.world->name,
          .stop = request.stop});
  return {};
}

std::vector<Problem> make_lab(const LaunchRequest& request, std::unique_ptr<Launcher>& out) {
  QuotaSystem quotas;
  if (auto problem = problem_of_lab(*request.world, quotas)) return {*problem};
  out = std::make_unique<LabLauncher>(
      *request.world,
      LabLauncher::Setup{
          .command = {.gauntlet = request.gauntlet, .trainer = request.trainer, .run_as = request.run_as},
          .certificates = request.certificates,
          .quotas = quotas,
          .cores = std::max(std::thread::hardware_concurrency(), 1U),
          .stop = &stop_on_interrupt()});
  return {};
}

std::vector<Problem> make_given(const LaunchRequest& request, std::unique_ptr<Launcher>& out) {
  GivenLauncher::Wanted wanted = {.file = {},
                                  .trust = nullptr,
                                  .hosts = request.world->inventory.hosts(),
                                  .name = request.world->name,
                                  .stop = request.stop};
  if (request.host_file.empty())
    return {{.what = "--launch given", .why = "needs a host file", .suggestion = "write --host-file FILE"}};
  if (request.certificates.empty())
    return {
        {.what = "--launch given",
         .why = "needs the driver's certificate",
         .suggestion = "write --certs DIR, where DIR/driver-localhost is what `gauntlet certs issue` made"}};
  if (auto problem = load_driver_trust(request.certificates, wanted.trust)) return {*problem};
  auto problems = read_host_file(request.host_file, wanted.hosts, wanted.file);
  if (problems.empty()) out = std::make_unique<GivenLauncher>(std::move(wanted));
  return problems;
}

struct KnownLauncher {
  const char* name;
  SignalSources sources;
  const InjectionKinds* injections;
  std::vector<Problem> (*make)(const LaunchRequest& request, std::unique_ptr<Launcher>& out);
};

constexpr auto kLaunchers =
    std::to_array<KnownLauncher>({{"local", {.interfaces = false}, &kInjectionsOfOwnAgents, make_local},
                                  {"lab", {.interfaces = true}, &kAllInjections, make_lab},
                                  {"slurm", {.interfaces = true}, &kInjectionsOfOwnAgents, make_slurm},
                                  {"given", {.interfaces = true}, &kInjectionsAnywhere, make_given}});

const KnownLauncher& known(const std::string& name) {
  const auto found = std::find_if(kLaunchers.begin(), kLaunchers.end(),
                                  [&](const KnownLauncher& each) { return each.name == name; });
  expect(found != kLaunchers.end(), "the command line knows the names");
  return *found;
}

}  // namespace

void add_launch_options(Command& drill, LaunchRequest& into) {
  drill
      .value("--launch", into.launcher,
             "Where the agents run: `local`, as processes of this machine; `lab`, each on a host of its own "
             "within this machine, with a network, a clock and a share of the processors; `slurm`, each on a "
             "node of the allocation; `given`, where somebody started them")
      .one_of(launcher_names())
      .shows_default();
  drill
      .value("--run-as", into.run_as,
             "Ranks run as this user. Root must name a user; --run-as root allows root. Agents that "
             "somebody started have an option of their own, which must name the same user")
      .type_name("USER");
  drill
      .value(
          "--certs", into.certificates,
          "Let agents listen on TCP with mutual TLS, with certificates of `localhost` that the authority in "
          "DIR issued; in a lab agents need those of `host-0`, `host-1` and so on; under Slurm DIR must be "
          "on "
          "a file system of all nodes, and what certificates of nodes are missing are issued; with `given` "
          "DIR has the driver's alone (default: on Unix sockets; a lab and Slurm make an authority for the "
          "drill)")
      .type_name("DIR");
  drill
      .value("--host-file", into.host_file,
             "With --launch given: the hosts with their agents' addresses, and the commands that take a host "
             "out, bring another, and take one back (TOML)")
      .type_name("FILE");
}

std::vector<std::string> launcher_names() {
  std::vector<std::string> names;
  for (const KnownLauncher& each : kLaunchers) names.emplace_back(each.name);
  return names;
}

SignalSources sources_of_launcher(const std::string& launcher) { return known(launcher).sources; }

/// Injectors of a lab depend on the kernel; this machine has all hosts of it.
std::vector<Problem> check_injections_of(const World& world, const std::string& launcher) {
  std::vector<Problem> problems = check_injections(world, *known(launcher).injections);
  for (const FaultKind& kind : world.faults) {
    const std::optional<InjectionKind> what = injection_of(kind);
    const auto injector = what ? host_injectors().find(*what) : host_injectors().end();
    if (injector == host_injectors().end() || injector->second.unfit == nullptr || !problems.empty() ||
        has_cause(*what))
      continue;
    if (const std::string why = injector->second.unfit(); !why.empty())
      problems.push_back({.what = "faults." + kind.name,
                          .why = "cannot be injected on this machine: " + why,
                          .suggestion = "leave the fault out, or write --no-faults"});
  }
  return problems;
}

std::vector<Problem> make_launcher(const LaunchRequest& request, std::unique_ptr<Launcher>& out) {
  if (!request.host_file.empty() && request.launcher != "given")
    return {{.what = "--host-file " + request.host_file,
             .why = "names hosts that --launch " + request.launcher + " does not use",
             .suggestion = "write --launch given, or leave it out"}};
  return known(request.launcher).make(request, out);
}

}  // namespace gauntlet
