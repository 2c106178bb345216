#include "real/launch/lab_launcher.hpp"

#include "core/quantity.hpp"
#include "real/agent/place.hpp"
#include "real/driver/real_cluster.hpp"
#include "real/injectors/injector.hpp"
#include "real/launch/drill_certificates.hpp"
#include "real/launch/free_port.hpp"
#include "real/system/launch.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>

namespace gauntlet {
namespace {

constexpr Duration kBegins =
    std::chrono::seconds(5);  // a program that the driver runs itself, so it is in memory

void hold(const std::optional<Problem>& problem) {
  if (problem) throw std::runtime_error(problem->text());
}

/// The program that serves a disk which can fail lies beside Gauntlet's.
std::string fault_disk_program(const std::string& gauntlet) {
  return (std::filesystem::path(gauntlet).parent_path() / "gauntlet-fault-disk").string();
}

/// Nothing where it can be mounted.
std::string why_no_fault_disk(const std::string& gauntlet) {
  if (access("/dev/fuse", R_OK | W_OK) != 0) return "this machine has no /dev/fuse";
  if (access(fault_disk_program(gauntlet).c_str(), X_OK) != 0)
    return "gauntlet-fault-disk was not built (package libfuse3-dev)";
  return "";
}

}  // namespace

std::optional<Problem> problem_of_lab(const World& world, QuotaSystem& quotas) {
  const auto problem = [](const std::string& why, const std::string& suggestion) {
    return Problem{.what = "--launch lab", .why = why, .suggestion = suggestion};
  };
  if (geteuid() != 0)
    return problem("needs root, which alone makes namespaces with networks",
                   "start it as root, or write --launch local");
  for (const char* kind : {"net", "time"}) {
    if (access((std::string("/proc/self/ns/") + kind).c_str(), F_OK) != 0)
      return problem(std::string("finds no ") + kind + " namespaces in this kernel", "write --launch local");
  }
  LabPlan plan;
  if (auto wrong = plan_lab(world, "", 1, plan)) return wrong;
  return find_quota_system(quotas);
}

std::string LabLauncher::authority(const std::string& directory) const {
  return setup_.certificates.empty() ? lab_authority(directory) : setup_.certificates;
}

/// By an authority of this drill alone, which its keeper removes. What an earlier driver issued stays: its agents have it.
void LabLauncher::issue_certificates(const std::string& directory) const {
  const std::string place = lab_authority(directory);
  hold(make_drill_authority(place, "gauntlet-lab"));
  hold(issue_missing(place, PeerRole::driver, std::string(kHostOfDrill), AuthorityIs::of_drill));
  for (const LabHost& host : plan_.hosts)
    hold(issue_missing(place, PeerRole::agent, host.name, AuthorityIs::of_drill));
}

void LabLauncher::prepare(const std::string& directory) {
  hold(plan_lab(world_, directory, setup_.cores, plan_));
  try {
    lab_ = std::make_unique<Lab>(plan_, setup_.quotas, directory, setup_.stop);
  } catch (const std::runtime_error& error) {
    if (setup_.stop != nullptr && *setup_.stop) throw Interrupted(error.what());
    throw;
  }
  if (setup_.certificates.empty()) issue_certificates(directory);
  hold(load_driver_trust(authority(directory), trust_));
}

std::unique_ptr<AgentHandle> LabLauncher::start(const AgentName& agent, bool allow_injection,
                                                const std::atomic<bool>* stop) {
  const LabHost& host = plan_.hosts.at(agent.host);
  const HostEntrance& entrance = lab_->entrance(agent.host);
  std::vector<std::string> arguments = agent_arguments(setup_.command, agent, allow_injection);
  arguments.insert(arguments.end(),
                   {"--listen", host.management.address + ":0", "--certs",
                    authority(agent.directory) + "/agent-" + host.name, kSharesMachine, "--lab-group",
                    host_group(setup_.quotas, plan_, agent.host), "--lab-management", host.management.name});
  for (const LabInterface& each : host.data)
    arguments.insert(arguments.end(), {"--lab-link", each.name, "--interface", each.name});
  const bool has_disk = disks_fail(world_) && why_no_fault_disk(setup_.command.gauntlet).empty();
  const std::string state = agent.directory + "/disk-" + std::to_string(agent.host);
  if (has_disk) {
    arguments.insert(arguments.end(), {"--lab-disk", state});
    arguments.insert(arguments.begin(), {fault_disk_program(setup_.command.gauntlet),
                                         agent.directory + "/checkpoints", state, "--"});
  }
  std::vector<std::string> environment = agent_environment();
  const std::string all_interfaces = host.data[0].name + "," + host.data[1].name;
  environment.insert(environment.end(),
                     {"GLOO_SOCKET_IFNAME=" + host.data[0].name, "NCCL_SOCKET_IFNAME=" + all_interfaces,
                      "GAUNTLET_DATA_ADDRESSES=" + host.data[0].address + "," + host.data[1].address});
  clear_place(agent, stop);
  const Descriptor log(open(log_of(agent).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log) throw std::runtime_error(log_of(agent) + ": " + std::generic_category().message(errno));
  const Launch what = {.program = arguments.front(),
                       .arguments = arguments,
                       .environment = environment,
                       .directory = {},
                       .output = log.get(),
                       .errors = log.get(),
                       .user = {},
                       .namespaces = {entrance.network.get(), entrance.time.get()},
                       .group = entrance.group.get(),
                       .parent = OnParentsDeath::stay};
  Launched launched = launch(what);
  std::string why = launched.why;
  if (why.empty())
    why = problem_of_start(what, launched.report, kBegins).value_or(what.program + ": does not begin to run");
  AgentProcess process(std::move(launched.handle), launched.pid);
  if (!why.empty()) throw std::runtime_error("the agent of host " + std::to_string(agent.host) + ": " + why);
  return handle_of(std::move(process));
}

AgentEndpoint LabLauncher::endpoint(const AgentName& agent) const {
  return {.path = agent_address_file(agent.directory, agent.host),
          .host = plan_.hosts.at(agent.host).name,
          .trust = trust_};
}

/// In a network of its own nobody else takes a port.
MeetingPlace LabLauncher::meeting_place(const AgentName& agent) {
  last_port_ = next_meeting_port(last_port_);
  return {.address = plan_.hosts.at(agent.host).data[0].address, .port = last_port_};
}

std::vector<LaunchTable> LabLauncher::plan() const {
  LabPlan plan;
  hold(plan_lab(world_, "gauntlet-drill-XXXXXX", setup_.cores, plan));
  LaunchTable bridges = {.title = "Bridges of the lab, in a network namespace with the driver",
                         .header = {"bridge", "connects", "address"},
                         .rows = {{kManagementBridge, "driver, mgmt0 of each host", plan.driver_address},
                                  {kSpineBridge, "each ToR", "-"}}};
  for (const std::string& tor : plan.tors) {
    std::string ports;
    for (const LabHost& host : plan.hosts)
      for (const LabInterface& each : host.data)
        if (each.bridge == tor) ports += (ports.empty() ? "" : " ") + each.port;
    bridges.rows.push_back({tor, ports, "-"});
  }
  LaunchTable hosts = {
      .title = "Hosts of the lab, each with a network namespace, a time namespace and a control group",
      .header = {"host", "name", "mgmt0", "data0", "ToR", "data1", "ToR", "clock ahead", "CPU"},
      .rows = {}};
  for (const LabHost& host : plan.hosts) {
    const auto permille = (host.quota_us * 1000 + kQuotaPeriodUs / 2) / kQuotaPeriodUs;
    hosts.rows.push_back({std::to_string(host.number), host.name, host.management.address,
                          host.data[0].address, host.data[0].bridge, host.data[1].address,
                          host.data[1].bridge, to_text(host.clock_offset),
                          std::to_string(permille / 10) + "." + std::to_string(permille % 10) + "%"});
  }
  return {bridges, hosts};
}

std::string LabLauncher::shortfall() const {
  const std::string why = disks_fail(world_) ? why_no_fault_disk(setup_.command.gauntlet) : "";
  return why.empty() ? ""
                     : "disks of this lab cannot fail: " + why + "; such a fault kills the ranks instead";
}

}  // namespace gauntlet
