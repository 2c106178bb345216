// gauntlet tune: the values of keys that are best for a metric.
#include "commands/tune/command.hpp"

#include "commands/tune/page.hpp"
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
  TuneWords words;
};

std::string command_of(const TuneRequest& request, std::uint64_t seed) {
  return CommandLine("gauntlet tune", request.scenarios.front())
             .option("--over", fmt::format("{}", fmt::join(request.words.over, ",")))
             .option("--minimize", request.words.minimize)
             .option("--maximize", request.words.maximize)
             .option("--subject-to", request.words.subject_to)
             .number("--budget", request.words.budget)
             .text() +
         common_arguments(request, seed);
}

int tune_command(const TuneRequest& request) {
  const std::string& scenario = request.scenarios.front();
  const PointSource source(scenario, request.sets, request.seed, request.means());
  const std::uint64_t seed = source.seed();
  ParsedTune parsed = parse_tune(request.words, source);
  if (!parsed.task) return wrong_input(parsed.problems);
  const std::string again = command_of(request, seed);
  const auto bench = Workbench::open("tune", request, {&source, 1}, again);
  if (!bench) return kWrongInput;
  const std::vector<std::string> faults = inherited_faults(source.resolved());
  const TuneResult result = tune(bench->experiment(), source, std::move(*parsed.task));
  Workbench::Output output;
  if (result.best) {
    output = output_of(result, bench->forms(), again, faults);
    if (!result.meets || !result.has_value()) output.exit_code = kFailed;
  }
  return bench->finish(std::move(output));
}

void add_tune_options(Command& tune) {
  const auto request = std::make_shared<TuneRequest>();
  add_scenario(tune, request->scenarios.emplace_back());
  tune.value("--over", request->words.over,
             "Scenario keys to vary, separated by commas. A key without =LOW:HIGH has a default range")
      .type_name("PATH[=LOW:HIGH]")
      .separated_by(',')
      .one_value_each()
      .required();
  Option minimize = tune.value("--minimize", request->words.minimize,
                               "The metric to minimize: a name of `gauntlet list metrics`")
                        .type_name("METRIC");
  tune.value("--maximize", request->words.maximize, "The metric to maximize (default: ettr)")
      .type_name("METRIC")
      .excludes(minimize);
  tune.value("--subject-to", request->words.subject_to,
             "A bound that must hold: METRIC[.mean|.p5|.p50|.p95]<VALUE or >VALUE")
      .type_name("BOUND")
      .one_value_each();
  tune.value("--budget", request->words.budget, "Maximum number of replicas in total (default: 40000)")
      .type_name("N")
      .between(100, 1'000'000'000);
  add_study(tune, *request, std::string(kStudyFiles) + ", scenario.toml");
  tune.runs([request] { return tune_command(*request); });
}

}  // namespace

void add_tune(Program& program) {
  program.command(
      "tune", "Find the best values of scenario keys for a metric",
      "  gauntlet tune scenarios/one-fault.toml --over checkpoint.interval\n"
      "  gauntlet tune llama3-405b-54d --over checkpoint.interval,detection.hang_timeout\n"
      "  gauntlet tune mine.toml --over checkpoint.interval=1min:2h,spares.count=0:64 --minimize cost \\\n"
      "      --subject-to 'wall_time_s.p95<60d'",
      add_tune_options);
}

}  // namespace gauntlet
