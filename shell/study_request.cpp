#include "shell/study_request.hpp"

#include "config/fields/scenario_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace gauntlet {

std::uint32_t default_threads() {
  return std::clamp(std::uint32_t{std::thread::hardware_concurrency()}, std::uint32_t{1}, kMostThreads);
}

Option add_scenario(Command& command, std::string& scenario) {
  return command.value("scenario", scenario, "A scenario file, or the name of a shipped one")
      .type_name("SCENARIO")
      .required();
}

Option add_scenarios(Command& command, std::vector<std::string>& scenarios) {
  return command.value("scenarios", scenarios, "Scenario files, or the names of shipped ones")
      .type_name("SCENARIO")
      .required();
}

void add_sets(Command& command, std::vector<std::string>& sets) {
  command
      .value("--set", sets,
             "Change a value of the scenario, or of each scenario, such as spares.count=12; can be repeated")
      .type_name("PATH=VALUE")
      .one_value_each();
}

Option add_seed(Command& command, std::optional<std::uint64_t>& seed, const std::string& what) {
  return command.value("--seed", seed, what).type_name("S").between(std::uint64_t{0}, kLargestSeed);
}

void add_threads(Command& command, std::uint32_t& threads, const std::string& what) {
  command.value("--threads", threads, what)
      .type_name("T")
      .between(std::uint32_t{1}, kMostThreads)
      .shows_default();
}

void add_quiet(Command& command, bool& quiet) { command.flag("--quiet", quiet, "Show no progress"); }

Option add_json(Command& command, bool& json) {
  return command.flag("--json", json, "Print the result as JSON, and nothing else");
}

Option add_replicas(Command& command, std::optional<std::uint32_t>& replicas, const std::string& what) {
  return command.value("--replicas", replicas, what).type_name("N").between(std::uint32_t{1}, kMostReplicas);
}

Option add_study(Command& command, StudyRequest& request, const std::string& files,
                 const std::string& replaced, std::uint32_t incidents) {
  add_seed(command, request.seed, "Seed of all randomness (default: the scenario's)");
  add_threads(command, request.threads, "Threads of each process; the results do not depend on them");
  add_sets(command, request.sets);
  Option out = command.value("--out", request.out, "Write " + files + " here").type_name("DIR");
  Option force = command.flag("--force", request.force, "Replace " + replaced + ", if there are any");
  command
      .flag("--resume", request.resume,
            "Continue the study in --out: finish an interrupted study, or add replicas to a complete one")
      .needs(out)
      .excludes(force);
  command
      .value("--incidents", request.incidents,
             fmt::format("Keep the incidents of the first N replicas of each point (default: {})", incidents))
      .type_name("N");
  command.flag("--plain", request.plain,
               "Compute means of the replicas as they are, without control variates: wider intervals");
  add_quiet(command, request.quiet);
  add_json(command, request.json);
  return out;
}

}  // namespace gauntlet
