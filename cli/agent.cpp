// gauntlet agent: one host's end of a drill.
#include "real/agent/agent.hpp"

#include "cli/commands.hpp"
#include "core/quantity.hpp"
#include "real/watchdog/watchdog.hpp"
#include "shell/exit_code.hpp"
#include "shell/terminal.hpp"

namespace gauntlet {
namespace {

struct AgentRequest {
  std::optional<std::uint32_t> host;
  std::string directory;
  std::string listen;
  std::string certificates;
  std::string run_as;
  std::string trainer;
  std::string abandoned_after = "30s";
  bool allow_injection = false;
  std::vector<std::string> injection_kinds;
  std::string longest_injection;
  bool stays = false;
  bool shares_machine = false;
  std::vector<std::string> interfaces;
  std::string nvml;  // empty: nvml::kLibrary, or none with --shares-machine
  std::string lab_group;
  std::string lab_management;
  std::vector<std::string> lab_links;
  std::string lab_disk;
};

static_assert(kAgentEnded == kSuccess && kAgentAbandoned == kFailed && kAgentRefused == kWrongInput);

/// Also where no fault may be injected: ranks must not outlive the agent.
std::function<std::unique_ptr<HostFaults>()> watchdog_of(const AgentRequest& request) {
  return [&request] {
    return std::make_unique<Watchdog>(request.directory + "/undo-" + std::to_string(request.host.value_or(0)),
                                      InjectionSite{.group = request.lab_group,
                                                    .interfaces = request.lab_links,
                                                    .management = request.lab_management,
                                                    .disk = request.lab_disk});
  };
}

/// What the watchdog can make.
std::set<InjectionKind> causes_of(const AgentRequest& request) {
  std::set<InjectionKind> causes;
  if (!request.lab_disk.empty()) causes.insert({InjectionKind::disk_full, InjectionKind::disk_failing});
  const bool lab = !request.lab_group.empty();
  if (lab && host_injectors().at(InjectionKind::memory).unfit().empty()) causes.insert(InjectionKind::memory);
  return causes;
}

/// What is wrong with a time of the command line, or nothing.
std::optional<Problem> read_time(const std::string& option, const std::string& text, Duration& out) {
  const Parsed<Duration> read = parse_duration(text);
  if (!read.value)
    return Problem{
        .file = "", .what = option + " = \"" + text + "\"", .why = read.why, .suggestion = read.suggestion};
  out = *read.value;
  return std::nullopt;
}

std::vector<std::string> injection_names() {
  std::vector<std::string> names;
  for (const InjectionTraits& each : kInjectionTraits) names.emplace_back(each.name);
  return names;
}

int agent_command(const AgentRequest& request) {
  Duration patience{}, longest = kForever;
  if (auto problem = read_time("--abandoned-after", request.abandoned_after, patience))
    return wrong_input(*problem);
  if (!request.longest_injection.empty()) {
    if (auto problem = read_time("--longest-injection", request.longest_injection, longest))
      return wrong_input(*problem);
  }
  if (!request.host && !request.stays) {
    return wrong_input(Problem{.what = "--host",
                               .why = "is missing: an agent is one host of a drill",
                               .suggestion = "write --host N, or --stay for an agent that drivers number"});
  }
  return run_agent({.host = request.host.value_or(0),
                    .directory = request.directory,
                    .listen = request.listen,
                    .certificates = request.certificates,
                    .run_as = request.run_as,
                    .trainer = request.trainer,
                    .program = "/proc/self/exe",
                    .abandoned_after = patience,
                    .allow_injection = request.allow_injection,
                    .injection_kinds = request.injection_kinds,
                    .longest_injection = longest,
                    .stays = request.stays,
                    .host_faults = watchdog_of(request),
                    .causes = causes_of(request),
                    .shares_machine = request.shares_machine,
                    .lab_management = request.lab_management,
                    .lab_links = request.lab_links,
                    .interfaces = request.interfaces,
                    .nvml = request.nvml});
}

void add_agent_options(Command& agent) {
  const auto request = std::make_shared<AgentRequest>();
  Option host = agent.value("--host", request->host, "The host's number in the scenario").type_name("N");
  agent
      .value("--directory", request->directory,
             "Directory of its socket and of the logs of its ranks; mode 700")
      .type_name("DIR")
      .required();
  Option listen =
      agent
          .value("--listen", request->listen,
                 "Listen on TCP for drivers with a certificate (default: on a Unix socket in --directory)")
          .type_name("HOST:PORT");
  Option certificates = agent
                            .value("--certs", request->certificates,
                                   "The agent's certificate: a directory that `gauntlet certs issue` wrote")
                            .type_name("DIR");
  listen.needs(certificates);
  certificates.needs(listen);
  agent
      .value("--run-as", request->run_as,
             "Ranks run as this user. Root must name a user; --run-as root allows root")
      .type_name("USER");
  agent.value("--trainer", request->trainer, "The program that a rank runs").type_name("PATH").required();
  agent
      .value("--abandoned-after", request->abandoned_after,
             "End after this time without a driver; with --stay: end the drill")
      .type_name("TIME")
      .shows_default();
  Option stay = agent.flag(
      "--stay", request->stays,
      "Serve one drill after another until it is stopped, for `gauntlet drill --launch given`. The driver "
      "numbers the host");
  stay.needs(listen);
  stay.excludes(host);
  Option allows = agent.flag("--allow-injection", request->allow_injection,
                             "Obey a driver that injects faults (docs/inject-faults.md)");
  agent
      .value("--injection-kind", request->injection_kinds,
             "Inject faults of this kind alone; may be given several times (default: all)")
      .type_name("KIND")
      .one_of(injection_names())
      .needs(allows);
  agent
      .value("--longest-injection", request->longest_injection,
             "Refuse faults that would last longer, or without end (default: none is refused)")
      .type_name("TIME")
      .needs(allows);
  agent
      .value("--interface", request->interfaces,
             "A network interface that carries the traffic of its ranks; may be given several times "
             "(default: all "
             "but the loopback)")
      .type_name("NAME");
  agent
      .value(
          "--nvml", request->nvml,
          "NVIDIA's management library, which reports on the GPUs (default: libnvidia-ml.so.1 of the system; "
          "with --shares-machine none)")
      .type_name("FILE");
  agent
      .value("--lab-group", request->lab_group,
             "The control group of this host of a lab: faults may limit the processor time of ranks below it")
      .type_name("DIR");
  agent
      .value("--lab-management", request->lab_management,
             "The interface of this host of a lab to its driver: faults may set it down")
      .type_name("NAME");
  agent
      .value("--lab-link", request->lab_links,
             "A data interface of this host of a lab: faults may set it down; may be given several times")
      .type_name("NAME");
  agent
      .value("--lab-disk", request->lab_disk,
             "The state of the disk of this host of a lab: faults may fill it, or let it fail")
      .type_name("FILE");
  agent.flag(
      "--shares-machine", request->shares_machine,
      "Other agents run on this machine: use only the network interfaces and the NVIDIA library that are "
      "given, and do not read the kernel's log");
  agent.runs([request] { return agent_command(*request); });
}

}  // namespace

void add_agent(Program& program) {
  program.command("agent", "Supervise the ranks of one host for a drill (a drill starts its own agents)",
                  "  mkdir -m 700 lab\n"
                  "  gauntlet agent --host 0 --directory lab --trainer ./gauntlet-trainer\n"
                  "  gauntlet agent --host 0 --directory lab --trainer ./gauntlet-trainer "
                  "--listen localhost:7400 --certs lab-ca/agent-localhost\n"
                  "  gauntlet agent --stay --directory lab --trainer ./gauntlet-trainer "
                  "--listen localhost:7400 --certs lab-ca/agent-localhost",
                  add_agent_options);
}

}  // namespace gauntlet
