#include "real/probes/suite/task.hpp"

#include "real/probes/command_probe.hpp"
#include "real/probes/host/probe.hpp"
#include "real/probes/isolated.hpp"
#include "real/probes/sample_json.hpp"
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
                     {"parent", ::getpid()}};
  const CommandResult result =
      run_command({where.program, "agent-probe", json_text(said)}, task.deadline + kEndsAfterDeadline);
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
      become(said.at("run_as").get<std::string>());
      die_with(parent);  // a change of user forgets it
      return json_text(run_command_probe(command, deadline, nullptr));
    }
    const OwnProbe* own = own_probe(said.at("probe").get<std::string>());
    if (own == nullptr) throw std::runtime_error("there is no such probe");
    const ProbedHost host{.directory = said.at("directory").get<std::string>()};
    return json_text(run_isolated([&] { return own->run(host); }, deadline));
  } catch (const Json::exception& error) {
    throw std::runtime_error(std::string("the task cannot be read: ") + error.what());
  }
}

}  // namespace gauntlet
