#include "real/launch/slurm_launcher.hpp"

#include "real/agent/place.hpp"
#include "real/launch/free_port.hpp"

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

void check(const std::optional<Problem>& problem) {
  if (problem) throw std::runtime_error(problem->text());
}

std::string directory_of(const std::string& authority, PeerRole role, const std::string& host) {
  return authority + "/" + std::string(name_of(role)) + "-" + host;
}

/// Unlike any other drill's: directories of drills have names of their own.
std::string step_name(const AgentName& agent) {
  return std::filesystem::path(agent.directory).filename().string() + "-" + std::to_string(agent.host);
}

/// The srun of that step, among the processes of this user.
Descriptor srun_of(const std::string& step) {
  const std::string wanted = "--job-name=" + step;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr != name.data() + name.size())
      continue;
    struct stat owner {};
    const auto names_step = [&] {
      if (::stat(entry.path().c_str(), &owner) != 0 || owner.st_uid != ::geteuid()) return false;
      std::ifstream file(entry.path() / "cmdline", std::ios::binary);
      for (std::string word; std::getline(file, word, '\0');)
        if (word == wanted) return true;
      return false;
    };
    if (!names_step()) continue;
    Descriptor process = pidfd_of(pid);
    if (process && names_step()) return process;
  }
  return {};
}

}  // namespace

SlurmLauncher::SlurmLauncher(Slurm slurm, Wanted wanted)
    : wanted_(std::move(wanted)),
      hosts_(std::move(slurm), wanted_.hosts, "gauntlet: evicted from drill " + wanted_.name, wanted_.stop) {}

void SlurmLauncher::prepare(const std::string& directory) {
  namespace fs = std::filesystem;
  authority_ =
      wanted_.authority.empty() ? directory + "/authority" : fs::absolute(wanted_.authority).string();
  const std::string host(kHostOfDrill);
  if (wanted_.authority.empty()) check(make_drill_authority(authority_, "job-" + hosts_.slurm().job()));
  issue(PeerRole::driver, host);
  HostCertificates own;
  check(load_host_certificates(directory_of(authority_, PeerRole::driver, host), PeerRole::driver,
                               time_of_day(), own));
  trust_ = std::make_shared<PeerTrust>(
      std::move(own), [](const std::string& line) { std::fprintf(stderr, "gauntlet: %s\n", line.c_str()); });
  hosts_.begin(directory);
}

std::string SlurmLauncher::certificates_of(const std::string& node) {
  std::string directory = directory_of(authority_, PeerRole::agent, node);
  issue(PeerRole::agent, node);
  return directory;
}

void SlurmLauncher::issue(PeerRole role, const std::string& host) const {
  check(issue_missing(authority_, role, host,
                      wanted_.authority.empty() ? AuthorityIs::of_drill : AuthorityIs::of_others));
}

/// Its name if Slurm does not say.
std::string SlurmLauncher::address_of(const std::string& node) {
  const auto known = addresses_.find(node);
  if (known != addresses_.end()) return known->second;
  const std::optional<std::string> address = hosts_.slurm().address(node);
  if (address) addresses_.emplace(node, *address);
  return address.value_or(node);
}

std::unique_ptr<AgentHandle> SlurmLauncher::start(const AgentName& agent, bool allow_injection,
                                                  const std::atomic<bool>* stop) {
  const SlurmNode node = hosts_.node_of(agent.host);
  const Slurm& slurm = hosts_.slurm();
  if (const auto older = find(agent)) older->wait_or_end(Duration::zero(), stop);
  if (!started_.insert(agent.host).second) {
    // Its srun may have been killed, and the agent with its ranks lives on.
    if (const std::string why = slurm.cancel_steps(node.job, step_name(agent)); !why.empty())
      throw std::runtime_error("an older step of host " + std::to_string(agent.host) +
                               " cannot be ended: " + why);
  }
  std::error_code ignored;
  std::filesystem::remove(agent_address_file(agent.directory, agent.host), ignored);
  std::vector<std::string> arguments = slurm.step_on(node, step_name(agent));
  const std::vector<std::string> own = agent_arguments(wanted_.command, agent, allow_injection);
  arguments.insert(arguments.end(), own.begin(), own.end());
  arguments.insert(arguments.end(),
                   {"--listen", address_of(node.name) + ":0", "--certs", certificates_of(node.name)});
  // What ranks of the trainer count is their traffic, wherever it passes: nodes may be parts of one machine.
  if (!wanted_.own_job) arguments.emplace_back(kSharesMachine);
  return handle_of(AgentProcess(arguments, log_of(agent)));
}

std::unique_ptr<AgentHandle> SlurmLauncher::find(const AgentName& agent) {
  AgentProcess process(srun_of(step_name(agent)));
  return process.running() ? handle_of(std::move(process)) : nullptr;
}

AgentEndpoint SlurmLauncher::endpoint(const AgentName& agent) const {
  return {.path = agent_address_file(agent.directory, agent.host),
          .host = hosts_.node_of(agent.host).name,
          .trust = trust_};
}

/// On another machine nobody can say which port is free: one that is free here is as good as any.
MeetingPlace SlurmLauncher::meeting_place(const AgentName& agent) {
  last_port_ = free_port(last_port_);
  return {.address = address_of(hosts_.node_of(agent.host).name), .port = last_port_};
}

std::vector<LaunchTable> SlurmLauncher::plan() const {
  LaunchTable table = {
      .title = "Steps of job " + hosts_.slurm().job(), .header = {"host", "node"}, .rows = {}};
  for (std::uint32_t host = 0; host < wanted_.hosts; ++host)
    table.rows.push_back({std::to_string(host), hosts_.node_of(host).name});
  return {table};
}

}  // namespace gauntlet
