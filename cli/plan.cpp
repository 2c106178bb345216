// gauntlet plan: what it takes to finish by a date.
#include "study/plan.hpp"

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/fault_files_text.hpp"
#include "cli/shell.hpp"
#include "cli/terminal.hpp"
#include "cli/workbench.hpp"
#include "core/quantity.hpp"
#include "report/plan_chart.hpp"
#include "report/plan_text.hpp"
#include "study/option_problem.hpp"
#include "study/statistics.hpp"
#include "study/work.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

struct Prepared {
  PlanQuestion question;
  Work work;
  std::vector<Problem> problems;  // then the rest does not count
};

Duration read_date(const PlanRequest& request, std::vector<Problem>& problems) {
  Parsed<Duration> parsed = parse_duration(request.finish_by);
  if (parsed.value && *parsed.value > Duration::zero()) return *parsed.value;
  if (parsed.value) parsed = {{}, "is not after the start", "write for example 60d"};
  problems.push_back(option_problem("--finish-by", request.finish_by, parsed.why, parsed.suggestion));
  return Duration::zero();
}

std::optional<double> read_tokens(const PlanRequest& request, std::vector<Problem>& problems) {
  if (request.tokens.empty()) return std::nullopt;
  const Parsed<double> parsed = parse_tokens(request.tokens);
  if (!parsed.value)
    problems.push_back(option_problem("--tokens", request.tokens, parsed.why, parsed.suggestion));
  return parsed.value;
}

Prepared prepare(const PlanRequest& request, std::uint64_t seed) {
  Prepared prepared;
  std::vector<Problem>& problems = prepared.problems;
  const Duration date = read_date(request, problems);
  const std::optional<double> tokens = read_tokens(request, problems);
  LoadedPoint base = PointSource(request.scenarios.front(), request.sets, seed).point();
  if (!base.point) problems.insert(problems.end(), base.problems.begin(), base.problems.end());
  if (!problems.empty()) return prepared;
  const Scenario& scenario = base.point->scenario;
  prepared.work = work_of(scenario, tokens, date);
  if (prepared.work.problem) problems.push_back(*prepared.work.problem);
  prepared.question = {.tokens = prepared.work.tokens,
                       .finish_by_s = to_seconds(date),
                       .confidence = request.confidence,
                       .replicas = request.replicas.value_or(scenario.study.replicas),
                       .seed = seed,
                       .uncertainty = request.uncertainty};
  if (prepared.question.replicas > kMostReplicas)
    problems.push_back(option_problem("", fmt::format("study.replicas = {}", prepared.question.replicas),
                                      fmt::format("is more than {}", kMostReplicas),
                                      "say fewer with --replicas"));
  return prepared;
}

std::string command_of(const PlanRequest& request, const PlanQuestion& question) {
  std::string text =
      fmt::format("gauntlet plan {} --finish-by {} --confidence {}", shell_word(request.scenarios.front()),
                  shell_word(request.finish_by), question.confidence);
  if (!request.tokens.empty()) text += " --tokens " + shell_word(request.tokens);
  text += fmt::format(" --replicas {}", question.replicas);
  if (question.uncertainty) text += " --uncertainty";
  return text + common_arguments(request, question.seed);
}

}  // namespace

int plan_command(const PlanRequest& request) {
  const std::string& scenario = request.scenarios.front();
  const std::uint64_t seed = seed_of(request, scenario);
  const Prepared prepared = prepare(request, seed);
  if (!prepared.problems.empty()) {
    print_problems(prepared.problems);
    return kWrongInput;
  }
  std::vector<std::string> sets = request.sets;
  sets.insert(sets.end(), prepared.work.sets.begin(), prepared.work.sets.end());
  const PointSource source(scenario, std::move(sets), seed);
  const std::string command = command_of(request, prepared.question);
  const auto bench = Workbench::open("plan", request, {&source, 1}, command);
  if (!bench) return kWrongInput;
  const std::vector<std::string> faults = inherited_faults(scenario, request.sets);
  Planned planned = plan(bench->experiment(), source, prepared.question);
  if (!planned.problems.empty()) print_problems(planned.problems);
  if (!planned.result) return bench->finish({.report = "", .json = "", .exit_code = kWrongInput});
  PlanResult& result = *planned.result;
  result.notes.insert(result.notes.begin(), prepared.work.notes.begin(), prepared.work.notes.end());
  Workbench::Output output{
      .report = text_report(result, {.command = command, .faults = faults, .colour = Colour::never}),
      .coloured = text_report(result, {.command = command, .faults = faults, .colour = Colour::always}),
      .json = to_json(result)};
  if (!result.enough && !result.interrupted)
    output.exit_code = kFailed;  // nothing that was tried meets the date
  if (!request.out.empty())
    output.files.push_back({std::string(kChartFile), to_html(chart_of(result, command))});
  return bench->finish(output);
}

}  // namespace gauntlet
