// gauntlet rank: the most valuable improvement of a scenario.
#include "commands/rank/command.hpp"

#include "commands/rank/page.hpp"
#include "commands/rank/rank.hpp"
#include "commands/rank/text.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/fault_files_text.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"
#include "shell/workbench.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::uint32_t kMostClaimed = 100;

struct RankRequest : StudyRequest {
  std::vector<std::string> levers;  // by path or a part of it; none: all
  std::uint32_t separate = 5;
  std::optional<std::uint32_t> replicas;
};

std::string command_of(const RankRequest& request, std::uint64_t seed) {
  return CommandLine("gauntlet rank", request.scenarios.front())
             .option("--lever", request.levers)
             .number("--separate", std::optional(request.separate))
             .number("--replicas", request.replicas)
             .text() +
         common_arguments(request, seed);
}

/// Looks closer at the most valuable lever.
std::string compare_with(const RankRequest& request, const LeverRanking& ranking) {
  const RankedLever* best = ranking.best();
  if (best == nullptr) return "";
  std::string with;
  for (const auto& [path, value] : best->settings) with += (with.empty() ? "" : " ") + path + "=" + value;
  return CommandLine("gauntlet compare", request.scenarios.front())
      .option("--with", with)
      .option("--set", request.sets)
      .text();
}

int rank_command(const RankRequest& request) {
  const std::string& scenario = request.scenarios.front();
  const PointSource source(scenario, request.sets, request.seed, request.means());
  const std::uint64_t seed = source.seed();
  const RankPlan plan = plan_rank(source, request.levers, request.replicas, request.separate);
  if (!plan.problems.empty()) return wrong_input(plan.problems);
  const std::string command = command_of(request, seed);
  const auto bench = Workbench::open("rank", request, {&source, 1}, command);
  if (!bench) return kWrongInput;
  const std::vector<std::string> faults = inherited_faults(source.resolved());
  RankResult result = rank(bench->experiment(), source, plan);
  result.try_next = compare_with(request, result.ranking);
  Workbench::Output output;
  if (result.as_given.replicas > 0) output = output_of(result, bench->forms(), command, faults);
  return bench->finish(std::move(output));
}

void add_rank_options(Command& rank) {
  const auto request = std::make_shared<RankRequest>();
  add_scenario(rank, request->scenarios.emplace_back());
  rank.value("--lever", request->levers,
             "Rank only this lever, such as spares.count, or those of a part, such as job.start (default: "
             "all); can be "
             "repeated")
      .type_name("PATH")
      .one_value_each();
  rank.value("--separate", request->separate,
             "Add replicas until the order of the first N levers is certain, or until a lever has 32 times "
             "its first replicas")
      .type_name("N")
      .between(std::uint32_t{1}, kMostClaimed)
      .shows_default();
  add_replicas(rank, request->replicas,
               "Replicas of every lever, and no more (default: the scenario's, 100 at most, and those that "
               "--separate adds)");
  add_study(rank, *request, std::string(kStudyFiles) + ", scenario.toml");
  rank.runs([request] { return rank_command(*request); });
}

}  // namespace

void add_rank(Program& program) {
  program.command("rank", "Find the most valuable improvement: what each one gains, made alone",
                  "  gauntlet rank llama3-405b-54d\n"
                  "  gauntlet rank mine.toml --lever job.start --lever faults --out rank",
                  add_rank_options);
}

}  // namespace gauntlet
