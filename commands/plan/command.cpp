// gauntlet plan: the resources that finish a job by a date.
#include "commands/plan/command.hpp"

#include "commands/plan/chart.hpp"
#include "commands/plan/plan.hpp"
#include "commands/plan/text.hpp"
#include "core/quantity.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/fault_files_text.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"
#include "shell/workbench.hpp"
#include "study/option_problem.hpp"
#include "study/work.hpp"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

struct PlanRequest : StudyRequest {
  std::string finish_by;  // "60d"
  double confidence = 0.95;
  std::string tokens;  // the work, where the scenario has none: "15.6T"
  std::optional<std::uint32_t> replicas;
  bool uncertainty = false;  // carry parameter uncertainty into the results
};

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
  return prepared;
}

std::string command_of(const PlanRequest& request, const PlanQuestion& question) {
  return CommandLine("gauntlet plan", request.scenarios.front())
             .option("--finish-by", request.finish_by)
             .number("--confidence", std::optional(question.confidence))
             .option("--tokens", request.tokens)
             .number("--replicas", std::optional(question.replicas))
             .flag("--uncertainty", question.uncertainty)
             .text() +
         common_arguments(request, question.seed);
}

int plan_command(const PlanRequest& request) {
  const std::string& scenario = request.scenarios.front();
  const std::uint64_t seed = seed_of(request, scenario);
  const Prepared prepared = prepare(request, seed);
  if (!prepared.problems.empty()) return wrong_input(prepared.problems);
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
  Workbench::Output output = output_with_chart(request, result, command, faults);
  if (!result.enough && !result.interrupted)
    output.exit_code = kFailed;  // nothing that was tried meets the date
  return bench->finish(output);
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// What is wrong with a share of runs; a percentage is named as the share that it is.
std::string problem_of_confidence(const std::string& text) {
  constexpr double kLeast = 0.5, kMost = 0.999;
  const bool sign = text.ends_with('%');
  const std::optional<double> number = number_of(std::string_view(text).substr(0, text.size() - sign));
  if (!number) return fmt::format("\"{}\" is not a number; write for example --confidence 0.9", text);
  const auto fits = [](double share) { return share >= kLeast && share <= kMost; };
  if (!sign && fits(*number)) return "";
  std::string why = fmt::format("{} is not a share of runs between {} and {}", text, kLeast, kMost);
  const std::string share = fmt::format("{:.6g}", *number / 100);
  if (fits(number_of(share).value_or(0))) why += "; write --confidence " + share;
  return why;
}

}  // namespace

void add_plan(Program& program) {
  const auto request = std::make_shared<PlanRequest>();
  Command plan = program.command(
      "plan", "Find how many GPUs and spare hosts finish the job by a date, and what one more of each saves",
      "  gauntlet plan llama3-405b-54d --tokens 10T --finish-by 60d --confidence 0.95\n"
      "  gauntlet plan mine.toml --finish-by 60d --uncertainty --out plan");
  add_scenario(plan, request->scenarios.emplace_back());
  plan.value("--finish-by", request->finish_by,
             "Time limit for the work: wall time from the start of the job, such as 60d")
      .type_name("TIME")
      .required();
  plan.value("--confidence", request->confidence,
             "Share of the simulated runs that must finish within --finish-by")
      .type_name("P")
      .check(problem_of_confidence)
      .shows_default();
  plan.value("--tokens", request->tokens,
             "The work in tokens, such as 15.6T (default: the work of the scenario)")
      .type_name("N");
  add_replicas(plan, request->replicas, "Replicas of every point (default: the scenario's)");
  plan.flag("--uncertainty", request->uncertainty,
            "Include parameter uncertainty: draw rates from the posterior of their count, and uncertain keys "
            "from their "
            "range");
  add_study(plan, *request, std::string(kStudyFiles) + ", scenario.toml, chart.html");
  plan.runs([request] { return plan_command(*request); });
}

}  // namespace gauntlet
