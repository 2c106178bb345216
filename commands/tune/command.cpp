// gauntlet tune: the values of fields that make a metric best.
#include "commands/tune/command.hpp"

#include "commands/tune/chart.hpp"
#include "commands/tune/text.hpp"
#include "commands/tune/tune.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/fault_files_text.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"
#include "shell/workbench.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

struct TuneRequest : StudyRequest {
  std::vector<std::string> over;  // "checkpoint.interval" or "checkpoint.interval=1min:2h"
  std::string minimize;           // a metric; empty with `maximize` empty: maximize ettr
  std::string maximize;
  std::vector<std::string> subject_to;  // "wall_time_s.p95<60d"
  std::optional<std::uint32_t> budget;  // replicas in all
};

std::string command_line(const TuneRequest& request, std::uint64_t seed) {
  std::string text = "gauntlet tune " + shell_word(request.scenarios.front());
  text += " --over " + shell_word(fmt::format("{}", fmt::join(request.over, ",")));
  if (!request.minimize.empty()) text += " --minimize " + shell_word(request.minimize);
  if (!request.maximize.empty()) text += " --maximize " + shell_word(request.maximize);
  for (const std::string& bound : request.subject_to) text += " --subject-to " + shell_word(bound);
  if (request.budget) text += fmt::format(" --budget {}", *request.budget);
  return text + common_arguments(request, seed);
}

int tune_command(const TuneRequest& request) {
  const std::string& scenario = request.scenarios.front();
  const std::uint64_t seed = seed_of(request, scenario);
  const PointSource source(scenario, request.sets, seed);
  ParsedTune parsed = parse_tune({.over = request.over,
                                  .minimize = request.minimize,
                                  .maximize = request.maximize,
                                  .subject_to = request.subject_to,
                                  .budget = request.budget},
                                 source);
  if (!parsed.task) {
    print_problems(parsed.problems);
    return kWrongInput;
  }
  const std::string again = command_line(request, seed);
  const auto bench = Workbench::open("tune", request, {&source, 1}, again);
  if (!bench) return kWrongInput;
  const std::vector<std::string> faults = inherited_faults(scenario, request.sets);
  const TuneResult result = tune(bench->experiment(), source, std::move(*parsed.task));
  Workbench::Output output;
  if (result.best) {
    output.report = text_report(result, {.command = again, .faults = faults, .colour = Colour::never});
    output.coloured = text_report(result, {.command = again, .faults = faults, .colour = Colour::always});
    output.json = to_json(result);
    if (!request.out.empty())
      output.files.push_back({std::string(kChartFile), to_html(chart_of(result, again))});
    if (!result.meets) output.exit_code = kFailed;
  }
  return bench->finish(output);
}

}  // namespace

void add_tune(Program& program) {
  const auto request = std::make_shared<TuneRequest>();
  Command tune = program.command(
      "tune", "Find the best values of fields for a metric",
      "  gauntlet tune scenarios/one-fault.toml --over checkpoint.interval\n"
      "  gauntlet tune llama3-405b-54d --over checkpoint.interval,detection.hang_timeout\n"
      "  gauntlet tune mine.toml --over checkpoint.interval=1min:2h,spares.count=0:64 --minimize cost \\\n"
      "      --subject-to 'wall_time_s.p95<60d'");
  add_scenario(tune, request->scenarios.emplace_back());
  tune.value("--over", request->over,
             "Fields to vary; a field may state its range, otherwise it has a default range")
      .type_name("PATH[=LOW:HIGH]")
      .separated_by(',')
      .one_value_each()
      .required();
  Option minimize = tune.value("--minimize", request->minimize, "The metric to minimize").type_name("METRIC");
  tune.value("--maximize", request->maximize, "The metric to maximize (default: ettr)")
      .type_name("METRIC")
      .excludes(minimize);
  tune.value("--subject-to", request->subject_to,
             "A bound that must hold: METRIC[.mean|.p5|.p50|.p95]<VALUE or >VALUE")
      .type_name("BOUND")
      .one_value_each();
  tune.value("--budget", request->budget, "Maximum number of replicas in total")
      .type_name("N")
      .between(100, 1'000'000'000);
  add_study(tune, *request, std::string(kStudyFiles) + ", scenario.toml, chart.html");
  tune.runs([request] { return tune_command(*request); });
}

}  // namespace gauntlet
