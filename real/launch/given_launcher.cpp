#include "real/launch/given_launcher.hpp"

#include "real/launch/agent_process.hpp"
#include "real/launch/free_port.hpp"
#include "real/stream/listening.hpp"
#include "real/system/program.hpp"
#include "real/system/shown.hpp"

#include <cstdio>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <utility>

namespace gauntlet {
namespace {

void complain_of_agents(const std::string& line) { std::fprintf(stderr, "gauntlet: %s\n", line.c_str()); }

void expect_program(const char* what, const std::vector<std::string>& command) {
  if (command.empty()) return;
  const char* path = std::getenv("PATH");
  const FoundProgram found = find_program(command.front(), ".", path == nullptr ? "" : path);
  if (found.path.empty())
    throw std::runtime_error(std::string("commands.") + what +
                             " of the host file cannot be run: " + found.why);
}

}  // namespace

/// An agent that is not ours to end: it ends a drill when it is told to quit, or when the driver's lease has lapsed. So it has ended
/// once its stream has.
class GivenLauncher::Handle final : public AgentHandle {
 public:
  Handle(GivenLauncher& launcher, std::uint32_t host) : launcher_(launcher), host_(host) {}

  bool exits_within(Duration patience) override { return launcher_.parted_within(host_, patience, nullptr); }
  bool wait_or_end(Duration patience, const std::atomic<bool>* stop) override {
    if (patience > Duration::zero() && !launcher_.parted_within(host_, patience, stop))
      complain_of_agents("the agent of " + launcher_.hosts_.host(host_).name +
                         " has not said that the drill is over; it ends its ranks when its lease lapses");
    return true;
  }
  void kill() override {}
  void let_go() override {}

 private:
  GivenLauncher& launcher_;
  const std::uint32_t host_;
};

GivenLauncher::GivenLauncher(Wanted wanted)
    : wanted_(std::move(wanted)),
      hosts_(wanted_.file, wanted_.hosts, "gauntlet: evicted from drill " + wanted_.name, wanted_.stop) {}

void GivenLauncher::prepare(const std::string& directory) {
  expect_program("evict", wanted_.file.commands.evict);
  expect_program("acquire", wanted_.file.commands.acquire);
  expect_program("readmit", wanted_.file.commands.readmit);
  hosts_.begin(directory);
}

std::unique_ptr<AgentHandle> GivenLauncher::start(const AgentName& agent, bool, const std::atomic<bool>*) {
  const std::lock_guard lock(mutex_);
  attending_.erase(agent.host);  // an earlier link was closed, or its end was heard
  return std::make_unique<Handle>(*this, agent.host);
}

std::unique_ptr<AgentHandle> GivenLauncher::find(const AgentName& agent) {
  return std::make_unique<Handle>(*this, agent.host);
}

bool GivenLauncher::parted_within(std::uint32_t host, Duration patience, const std::atomic<bool>* stop) {
  AgentPatience left(patience, stop);
  std::unique_lock lock(mutex_);
  while (attending_.contains(host)) {
    const Duration slice = left.slice();
    if (slice == Duration::zero()) return false;
    changed_.wait_for(lock, slice);
  }
  return true;
}

void GivenLauncher::wait_or_end(std::span<AgentHandle* const> all, Duration patience,
                                const std::atomic<bool>* stop) {
  AgentPatience left(patience, stop);
  for (AgentHandle* each : all) {
    Duration slice = left.slice();
    while (slice > Duration::zero() && !each->exits_within(slice)) slice = left.slice();
    each->wait_or_end(Duration(1), stop);
  }
}

/// Its log is on its host.
std::string GivenLauncher::last_words(const AgentName& agent) const {
  return "see its log on " + hosts_.host(agent.host).name;
}

AgentEndpoint GivenLauncher::endpoint(const AgentName& agent) const {
  const GivenHost host = hosts_.host(agent.host);
  return {.path = "", .address = host.address, .host = host.name, .trust = wanted_.trust};
}

LinkListener GivenLauncher::listener(const AgentName& agent, const LinkListener& drivers) {
  return {.receive =
              [this, host = agent.host, drivers](const AgentMessage& message) {
                if (std::holds_alternative<AgentAttending>(message)) {
                  const std::lock_guard lock(mutex_);
                  attending_.insert(host);
                }
                drivers.receive(message);
              },
          .lost =
              [this, host = agent.host, drivers](const std::string& why) {
                {
                  const std::lock_guard lock(mutex_);
                  attending_.erase(host);
                  changed_.notify_all();
                }
                drivers.lost(why);
              }};
}

/// On another machine nobody can say which port is free: one that is free here is as good as any.
MeetingPlace GivenLauncher::meeting_place(const AgentName& agent) {
  last_port_ = free_port(last_port_);
  return {.address = host_port_of(hosts_.host(agent.host).address)->host, .port = last_port_};
}

std::vector<LaunchTable> GivenLauncher::plan() const {
  LaunchTable hosts = {.title = "Hosts of the host file, with agents that run already",
                       .header = {"host", "name", "address"},
                       .rows = {}};
  for (std::size_t h = 0; h < wanted_.file.hosts.size(); ++h)
    hosts.rows.push_back({h < wanted_.hosts ? std::to_string(h) : "replacement", wanted_.file.hosts[h].name,
                          wanted_.file.hosts[h].address});
  const GivenCommands& commands = wanted_.file.commands;
  const auto row = [this](const std::string& when, const std::vector<std::string>& command) {
    return std::vector<std::string>{
        when, command.empty() ? "-" : shown_command(filled_in(command, "HOST", hosts_.reason()))};
  };
  LaunchTable run = {
      .title = "Commands that would be run here, without a shell",
      .header = {"when", "command"},
      .rows = {row("a host is evicted", commands.evict), row("no host of the file is left", commands.acquire),
               row("a host comes back", commands.readmit)}};
  return {hosts, run};
}

}  // namespace gauntlet
