// gauntlet scale: one scenario at many sizes of its job.
#include "study/scale.hpp"

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/fault_files_text.hpp"
#include "cli/shell.hpp"
#include "cli/terminal.hpp"
#include "cli/workbench.hpp"
#include "report/scale_chart.hpp"
#include "report/scale_text.hpp"
#include "study/statistics.hpp"

#include <fmt/format.h>

namespace gauntlet {
namespace {

std::string command_of(const ScaleRequest& request, const std::string& gpus, std::uint32_t replicas,
                       std::uint64_t seed) {
  std::string text = "gauntlet scale " + shell_word(request.scenarios.front());
  text += " --gpus " + shell_word(gpus);
  if (request.keep_batch) text += " --keep-batch";
  return text + fmt::format(" --replicas {}", replicas) + common_arguments(request, seed);
}

/// Nothing, and said why, where the scenario asks for more replicas than a point can have.
std::optional<std::uint32_t> replicas_of(const ScaleRequest& request, const ScalePlan& plan) {
  const std::uint32_t replicas = request.replicas.value_or(plan.base->scenario.study.replicas);
  if (replicas <= kMostReplicas) return replicas;
  const Problem problem{.file = "",
                        .what = fmt::format("study.replicas = {}", replicas),
                        .why = fmt::format("is more than {}", kMostReplicas),
                        .suggestion = "say fewer with --replicas"};
  print_problems({&problem, 1});
  return std::nullopt;
}

}  // namespace

int scale_command(const ScaleRequest& request) {
  const std::string& scenario = request.scenarios.front();
  const std::uint64_t seed = seed_of(request, scenario);
  const PointSource source(scenario, request.sets, seed);
  const ScalePlan plan = plan_scale(source, request.gpus,
                                    request.keep_batch ? BatchScaling::kept : BatchScaling::scaled, "--gpus");
  if (!plan.problems.empty()) {
    print_problems(plan.problems);
    return kWrongInput;
  }
  const std::optional<std::uint32_t> replicas = replicas_of(request, plan);
  if (!replicas) return kWrongInput;
  const std::string command = command_of(request, plan.gpus, *replicas, seed);
  const auto bench = Workbench::open("scale", request, {&source, 1}, command);
  if (!bench) return kWrongInput;
  const std::vector<std::string> faults = inherited_faults(scenario, request.sets);
  const ScaleResult result = scale(bench->experiment(), plan, *replicas);
  Workbench::Output output;
  if (!result.sizes.empty()) {
    output.report = text_report(result, {.command = command, .faults = faults, .colour = Colour::never});
    output.coloured = text_report(result, {.command = command, .faults = faults, .colour = Colour::always});
    output.json = to_json(result);
    if (!request.out.empty())
      output.files.push_back({std::string(kChartFile), to_html(chart_of(result, command))});
  }
  return bench->finish(output);
}

}  // namespace gauntlet
