// gauntlet plan: when a job finishes, and the resources that finish it by a date.
#include "commands/plan/command.hpp"

#include "commands/plan/page.hpp"
#include "commands/plan/plan.hpp"
#include "commands/plan/text.hpp"
#include "config/fields/tokens.hpp"
#include "core/calendar.hpp"
#include "core/quantity.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/fault_files_text.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"
#include "shell/workbench.hpp"
#include "study/option_problem.hpp"
#include "study/store/directory/result_files.hpp"
#include "study/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

struct PlanRequest : StudyRequest {
  std::string finish_by;  // "60d", or with a start "2027-03-31"; empty: none
  std::string start;      // "2027-01-15"; empty: none
  std::vector<std::string> percentiles;
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

std::optional<CalendarDay> read_start(const PlanRequest& request, std::vector<Problem>& problems) {
  if (request.start.empty()) return std::nullopt;
  const Parsed<CalendarDay> parsed = parse_day(request.start);
  if (!parsed.value)
    problems.push_back(option_problem("--start", request.start, parsed.why, parsed.suggestion));
  return parsed.value;
}

/// "60d", or a date: the end of that day.
Parsed<Duration> time_limit(const std::string& text, std::optional<CalendarDay> start) {
  const Parsed<CalendarDay> date = parse_day(text);
  const bool is_meant_as_date = std::ranges::count(text, '-') == 2;
  if (!date.value)
    return is_meant_as_date ? Parsed<Duration>{{}, date.why, date.suggestion} : parse_duration(text);
  if (!start) return {{}, "is a date, and the job has no first day", "write --start 2027-01-15 as well"};
  const std::chrono::days days = *date.value - *start + std::chrono::days(1);
  if (days > std::chrono::floor<std::chrono::days>(Duration::max()))
    return {{}, "is more than 292 years after the start", "write an earlier day"};
  return {days, "", ""};
}

std::optional<Duration> read_time_limit(const PlanRequest& request, std::optional<CalendarDay> start,
                                        std::vector<Problem>& problems) {
  if (request.finish_by.empty()) return std::nullopt;
  Parsed<Duration> parsed = time_limit(request.finish_by, start);
  if (parsed.value && *parsed.value > Duration::zero()) return *parsed.value;
  if (parsed.value)
    parsed = {{},
              "is not after the start",
              start ? "write a later day, or for example 60d" : "write for example 60d"};
  problems.push_back(option_problem("--finish-by", request.finish_by, parsed.why, parsed.suggestion));
  return std::nullopt;
}

/// The usual percentiles and those that were asked for.
std::vector<std::size_t> read_percentiles(const PlanRequest& request) {
  std::vector<std::size_t> percents = PlanQuestion().percents;
  for (const std::string& text : request.percentiles) percents.push_back(std::stoul(text));
  std::sort(percents.begin(), percents.end());
  percents.erase(std::unique(percents.begin(), percents.end()), percents.end());
  return percents;
}

/// What is wrong with a percentile.
std::string problem_of_percentile(const std::string& text) {
  std::uint32_t percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error == std::errc{} && end == text.data() + text.size() && percent >= 1 && percent <= 99) return "";
  return fmt::format("\"{}\" is not a whole number from 1 to 99; write for example --percentile 98", text);
}

std::optional<double> read_tokens(const PlanRequest& request, std::vector<Problem>& problems) {
  if (request.tokens.empty()) return std::nullopt;
  const Parsed<double> parsed = parse_tokens(request.tokens);
  if (!parsed.value)
    problems.push_back(
        option_problem("--tokens", request.tokens, parsed.why, "write for example --tokens 15.6T"));
  return parsed.value;
}

Prepared prepare(const PlanRequest& request, const PointSource& source) {
  Prepared prepared;
  std::vector<Problem>& problems = prepared.problems;
  const std::optional<CalendarDay> start = read_start(request, problems);
  const bool undated = !request.start.empty() && !start;  // then a date cannot be judged
  const std::optional<Duration> limit = undated ? std::nullopt : read_time_limit(request, start, problems);
  const std::optional<double> tokens = read_tokens(request, problems);
  const LoadedPoint base = source.point();
  if (!base.point) problems.insert(problems.end(), base.problems.begin(), base.problems.end());
  if (!problems.empty()) return prepared;
  const Scenario& scenario = base.point->scenario;
  prepared.work = work_of(scenario, tokens, limit.value_or(Duration::zero()));
  if (prepared.work.problem) problems.push_back(*prepared.work.problem);
  const std::uint32_t replicas = request.replicas.value_or(scenario.study.replicas);
  // Late runs are counted. Whoever says how many runs there are decides how many are counted too.
  const bool counts = limit && !request.replicas && !request.uncertainty;
  prepared.question = {.tokens = prepared.work.tokens,
                       .finish_by_s = limit ? std::optional(to_seconds(*limit)) : std::nullopt,
                       .confidence = request.confidence,
                       .start = start,
                       .percents = read_percentiles(request),
                       .replicas = replicas,
                       .counted = counts ? std::max(replicas, runs_that_show(request.confidence)) : replicas,
                       .seed = source.seed(),
                       .uncertainty = request.uncertainty};
  return prepared;
}

std::string command_of(const PlanRequest& request, const PlanQuestion& question) {
  return CommandLine("gauntlet plan", request.scenarios.front())
             .option("--finish-by", request.finish_by)
             .number("--confidence", question.finish_by_s ? std::optional(question.confidence) : std::nullopt)
             .option("--start", request.start)
             .option("--percentile", request.percentiles)
             .option("--tokens", request.tokens)
             .number("--replicas",
                     question.counted == question.replicas ? std::optional(question.replicas) : std::nullopt)
             .flag("--uncertainty", question.uncertainty)
             .text() +
         common_arguments(request, question.seed);
}

int plan_command(const PlanRequest& request) {
  const std::string& scenario = request.scenarios.front();
  const PointSource given(scenario, request.sets, request.seed, request.means());
  const Prepared prepared = prepare(request, given);
  if (!prepared.problems.empty()) return wrong_input(prepared.problems);
  std::vector<std::string> sets = request.sets;
  // The steps are set next. With the tokens beside them, one of the two would be warned of as without effect.
  std::erase_if(sets, [](const std::string& set) { return set.starts_with("job.tokens="); });
  sets.insert(sets.end(), prepared.work.sets.begin(), prepared.work.sets.end());
  const PointSource source(scenario, std::move(sets), given.seed(), request.means());
  const std::string command = command_of(request, prepared.question);
  const auto bench = Workbench::open("plan", request, {&source, 1}, command);
  if (!bench) return kWrongInput;
  const std::vector<std::string> faults = inherited_faults(given.resolved());
  Planned planned = plan(bench->experiment(), source, prepared.question);
  if (!planned.problems.empty()) print_problems(planned.problems);
  if (!planned.result) return bench->finish({.report = "", .json = "", .exit_code = kWrongInput});
  PlanResult& result = *planned.result;
  result.notes.insert(result.notes.begin(), prepared.work.notes.begin(), prepared.work.notes.end());
  Workbench::Output output = output_of(result, bench->forms(), command, faults);
  if (result.enough && bench->forms().page) {
    Settings settings = result.enough->settings;
    settings.push_back({"study.seed", std::to_string(source.seed())});
    output.files.push_back({std::string(kEnoughFile), source.shown(Comments::full, settings)});
  }
  if (result.finish_by_s && !result.interrupted && (!result.enough || result.misses()))
    output.exit_code = kFailed;  // nothing that was tried meets the date
  return bench->finish(std::move(output));
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

void add_plan_options(Command& plan) {
  const auto request = std::make_shared<PlanRequest>();
  add_scenario(plan, request->scenarios.emplace_back());
  const Option finish_by =
      plan.value("--finish-by", request->finish_by,
                 "Time limit for the work: wall time from the start of the job, such as 60d; with --start, "
                 "also the "
                 "last day, such as 2027-03-31. Without it, plan says when the work is done")
          .type_name("TIME");
  plan.value("--start", request->start,
             "First day of the job, such as 2027-01-15: the report then has calendar dates")
      .type_name("DATE");
  plan.value("--percentile", request->percentiles,
             "Also report when this percentage of the runs is done, from 1 to 99 (always: 1, 5, 50, 80, 90, "
             "95, 99); "
             "can be repeated")
      .type_name("P")
      .one_value_each()
      .check(problem_of_percentile);
  plan.value("--confidence", request->confidence,
             "Share of the simulated runs that must finish within --finish-by, 0.5 to 0.999")
      .type_name("P")
      .check(problem_of_confidence)
      .needs(finish_by)
      .shows_default();
  plan.value("--tokens", request->tokens,
             "The work in tokens, such as 15.6T (default: the work of the scenario)")
      .type_name("N");
  add_replicas(plan, request->replicas,
               "Replicas of every variant (default: the scenario's; with --finish-by and without "
               "--uncertainty, at least 10 / (1 - P) for the plans that are reported, P of --confidence)");
  plan.flag("--uncertainty", request->uncertainty,
            "Include parameter uncertainty: draw rates from the posterior of their count, and uncertain keys "
            "from their "
            "range");
  add_study(plan, *request, std::string(kStudyFiles) + ", scenario.toml, enough.toml (with --finish-by)");
  plan.runs([request] { return plan_command(*request); });
}

}  // namespace

void add_plan(Program& program) {
  program.command(
      "plan",
      "Find when the job finishes, how many GPUs and spare hosts finish it by a date, and what one more of "
      "each "
      "saves",
      "  gauntlet plan mine.toml --tokens 2T --start 2027-01-15\n"
      "  gauntlet plan llama3-405b-54d --tokens 10T --finish-by 60d --confidence 0.95\n"
      "  gauntlet plan mine.toml --start 2027-01-15 --finish-by 2027-03-31 --uncertainty --out plan",
      add_plan_options);
}

}  // namespace gauntlet
