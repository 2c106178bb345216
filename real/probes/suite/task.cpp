#include "real/probes/suite/task.hpp"

#include "real/probes/command_probe.hpp"
#include "real/probes/host/probe.hpp"
#include "real/probes/isolated.hpp"
#include "real/probes/link/link_server.hpp"
#include "real/probes/sample_json.hpp"
#include "real/system/clock.hpp"
#include "real/system/command_run.hpp"
#include "real/system/rank_user.hpp"

#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>

namespace gauntlet {
namespace {

using Json = nlohmann::ordered_json;

// The process of a probe ends it at its deadline; whoever asked waits so much longer.
constexpr Duration kEndsAfterDeadline = std::chrono::seconds(5);
// Of a host that has its memory taken: what says so comes first.
constexpr const char* kSaidNothing = "the process of the probe said nothing";

// Longer than a neighbour tries to connect, and than its process may need to begin.
constexpr Duration kNobodyCame = std::chrono::seconds(12);
// Of a probe of two hosts: others can read the arguments of a process, and not its variables.
constexpr const char* kSecretVariable = "GAUNTLET_PROBE_SECRET";

Json json_of(const std::optional<ProbeLink>& link) {
  if (!link) return nullptr;
  Json addresses = Json::array();
  for (const Neighbour& each : link->addresses)
    addresses.push_back({{"host", each.host}, {"port", each.port}});
  return {{"listens", link->listens}, {"addresses", std::move(addresses)}};
}

std::optional<ProbeLink> link_of(const Json& json) {
  if (json.is_null()) return std::nullopt;
  ProbeLink link{.listens = json.at("listens").get<bool>(), .addresses = {}, .secret = {}};
  for (const Json& each : json.at("addresses"))
    link.addresses.push_back(
        {.host = each.at("host").get<std::string>(), .port = each.at("port").get<std::uint16_t>()});
  if (const char* secret = std::getenv(kSecretVariable)) link.secret = secret;
  ::unsetenv(kSecretVariable);
  if (link.secret.empty()) throw std::runtime_error("a probe of two hosts has no secret");
  return link;
}

/// Until one host has measured its link to this one.
ProbeSample listen_once(const ProbeLink& link) {
  LinkServer server(link.addresses, link.secret);
  if (!server.problem().empty()) return unsupported_sample("cannot listen at " + server.problem());
  std::size_t served = 0;
  std::int64_t last = monotonic_ns();
  server.serve([&] { return served < link.addresses.size() && monotonic_ns() < last + kNobodyCame.count(); },
               [&] {
                 ++served;
                 last = monotonic_ns();
               });
  return {};
}

std::string json_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// With whoever asked.
void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) throw std::runtime_error("whoever asked is gone");
}

void carry_tag(const std::string& tag) {
  const std::size_t equals = tag.find('=');
  if (equals != std::string::npos) ::setenv(tag.substr(0, equals).c_str(), tag.substr(equals + 1).c_str(), 1);
}

/// For good, and without the rights of setuid programs, as ranks have it.
void become(const std::string& name) {
  std::optional<RankUser> user;
  if (const auto problem = find_rank_user(name, ::geteuid(), user)) throw std::runtime_error(problem->text());
  if (user && !become_user(*user))
    throw std::runtime_error("this process cannot become " + name + ": " + std::strerror(errno));
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    throw std::runtime_error(std::string("new rights cannot be ruled out: ") + std::strerror(errno));
}

}  // namespace

std::string problem_of(const ProbeTask& task) {
  if (!task.arguments.empty() || own_probe(task.probe) != nullptr) return {};
  std::string known;
  for (const OwnProbe& probe : own_probes()) known += (known.empty() ? "" : ", ") + std::string(probe.name);
  return "there is no probe \"" + task.probe + "\" here; known: " + known;
}

ProbeSample carry_out(const ProbeTask& task, const ProbeSurroundings& where) {
  const Json said = {{"probe", task.probe},
                     {"arguments", task.arguments},
                     {"metric", task.metric},
                     {"deadline_ns", task.deadline.count()},
                     {"directory", where.directory},
                     {"run_as", where.run_as},
                     {"tag", where.tag},
                     {"link", json_of(task.link)},
                     {"parent", ::getpid()}};
  std::vector<std::string> variables;
  if (task.link) variables.push_back(std::string(kSecretVariable) + "=" + task.link->secret);
  const CommandResult result = run_command({where.program, "agent-probe", json_text(said)},
                                           task.deadline + kEndsAfterDeadline, nullptr, variables);
  if (!result.started) return unsupported_sample("the process of the probe cannot be started: " + result.why);
  ProbeSample sample;
  if (!result.ok) {
    sample.errors.push_back(result.why.empty() ? kSaidNothing : result.why);
    return sample;
  }
  // One line; a library may have printed others.
  const std::size_t begin = result.output.rfind("\n{");
  const Json json = Json::parse(begin == std::string::npos ? result.output : result.output.substr(begin + 1),
                                nullptr, false);
  if (!json.is_discarded()) return json.get<ProbeSample>();
  sample.errors.emplace_back(kSaidNothing);
  return sample;
}

std::string carry_out_here(const std::string& task) {
  const Json said = Json::parse(task, nullptr, false);
  if (said.is_discarded()) throw std::runtime_error("the task is not JSON");
  try {
    const pid_t parent = said.at("parent").get<pid_t>();
    die_with(parent);
    carry_tag(said.at("tag").get<std::string>());
    const Duration deadline(said.at("deadline_ns").get<std::int64_t>());
    const ProbeCommand command{.arguments = said.at("arguments").get<std::vector<std::string>>(),
                               .metric = said.at("metric").get<std::string>(),
                               .unit = {}};
    if (command.given()) {
      try {
        become(said.at("run_as").get<std::string>());
      } catch (const std::runtime_error& error) {
        return json_text(unsupported_sample(error.what()));
      }
      die_with(parent);  // a change of user forgets it
      return json_text(run_command_probe(command, deadline, nullptr));
    }
    const OwnProbe* own = own_probe(said.at("probe").get<std::string>());
    if (own == nullptr) throw std::runtime_error("there is no such probe");
    ProbedHost host{.directory = said.at("directory").get<std::string>()};
    if (const std::optional<ProbeLink> link = link_of(said.at("link"))) {
      host.looks_again = 0;  // the driver asks for further looks
      if (link->listens) return json_text(run_isolated([&] { return listen_once(*link); }, deadline));
      host.neighbours = link->addresses;
      host.secret = link->secret;
    }
    return json_text(run_isolated([&] { return own->run(host); }, deadline));
  } catch (const Json::exception& error) {
    throw std::runtime_error(std::string("the task cannot be read: ") + error.what());
  }
}

}  // namespace gauntlet
