// gauntlet tune: the values of fields that make a metric best.
#include "study/tune.hpp"

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/fault_files_text.hpp"
#include "cli/shell.hpp"
#include "cli/terminal.hpp"
#include "cli/workbench.hpp"
#include "report/tune_chart.hpp"
#include "report/tune_text.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace gauntlet {
namespace {

std::string command_line(const TuneRequest& request, std::uint64_t seed) {
  std::string text = "gauntlet tune " + shell_word(request.scenarios.front());
  text += " --over " + shell_word(fmt::format("{}", fmt::join(request.over, ",")));
  if (!request.minimize.empty()) text += " --minimize " + shell_word(request.minimize);
  if (!request.maximize.empty()) text += " --maximize " + shell_word(request.maximize);
  for (const std::string& bound : request.subject_to) text += " --subject-to " + shell_word(bound);
  if (request.budget) text += fmt::format(" --budget {}", *request.budget);
  return text + common_arguments(request, seed);
}

}  // namespace

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

}  // namespace gauntlet
