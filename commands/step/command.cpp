// gauntlet step: one training step, and what a slow part does to it.
#include "commands/step/command.hpp"

#include "commands/step/map.hpp"
#include "commands/step/page.hpp"
#include "commands/step/step.hpp"
#include "commands/step/text.hpp"
#include "commands/step/time_line.hpp"
#include "commands/step/traffic.hpp"
#include "config/fabric_size.hpp"
#include "config/scenario.hpp"
#include "flow/network.hpp"
#include "models/network/fabric_network.hpp"
#include "shell/assumptions.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/output_file.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>

#include <array>
#include <exception>
#include <memory>

namespace gauntlet {
namespace {

struct StepRequest {
  std::string scenario;
  std::vector<std::string> sets;
  std::vector<std::string> degrade;  // "host:17.slow=1.10"
  std::string network;               // empty: what fits
  std::string ecmp = "spread";
  std::vector<std::string> beside, storm;           // "host:3-host:8", "host:8"
  std::optional<std::string> page, trace, heatmap;  // files to make
  std::uint32_t steps = 1;                          // of the trace
  bool json = false;
};

constexpr std::string_view kClosedForm = "closed-form", kMaxMin = "max-min", kSimgrid = "simgrid";
constexpr std::string_view kHashed = "hashed";

std::string command_of(const StepRequest& request) {
  CommandLine line("gauntlet step", request.scenario);
  line.option("--set", request.sets)
      .option("--degrade", request.degrade)
      .option("--network", request.network);
  if (request.ecmp == kHashed) line.option("--ecmp", kHashed);
  return line.option("--beside", request.beside).option("--storm", request.storm).text();
}

/// The one that was asked for, or else what fits.
std::string name_of_network(const StepRequest& request, const World& world, const NetworkState& state) {
  if (!request.network.empty()) return request.network;
  const bool flows = narrows(world) || !state.switches.empty() || request.ecmp == kHashed ||
                     !request.beside.empty() || !request.storm.empty();
  return std::string(flows ? kMaxMin : kClosedForm);
}

StepNetwork network_for(const StepRequest& request, const std::string& name, const World& world,
                        const Traffic& traffic) {
  const Ecmp ecmp = request.ecmp == kHashed ? Ecmp::hashed : Ecmp::spread;
  if (name == kMaxMin) return {.name = name, .model = max_min_network(world, ecmp, traffic.flows)};
  if (name == kSimgrid) return {.name = name, .model = simgrid_network(world, ecmp)};
  return {.name = name, .model = closed_form_network(world.job.layout, world.hardware)};
}

/// Of a network that has no place for what was said.
std::vector<Problem> problems_of_network(const StepRequest& request, const std::string& name,
                                         const World& world) {
  std::vector<Problem> problems;
  const auto add = [&](const char* option, const std::string& said, const char* suggestion) {
    problems.push_back({.file = option,
                        .what = said,
                        .why = "means nothing to --network " + name,
                        .suggestion = suggestion});
  };
  if (name == kClosedForm && request.ecmp == kHashed)
    add("--ecmp", request.ecmp, "choose --network max-min or --network simgrid");
  if (name != kMaxMin) {
    if (!request.beside.empty()) add("--beside", request.beside.front(), "choose --network max-min");
    if (!request.storm.empty()) add("--storm", request.storm.front(), "choose --network max-min");
  }
  if (name != kClosedForm)
    if (std::optional<Problem> problem = problem_of_size(request.scenario, world))
      problems.push_back(std::move(*problem));
  return problems;
}

std::vector<Problem> problems_of_files(const StepRequest& request) {
  std::vector<Problem> problems;
  const auto add = [&](std::optional<Problem> problem) {
    if (problem) problems.push_back(std::move(*problem));
  };
  if (request.page) add(problem_of_output(*request.page, kPageBegins, "a page", "--page"));
  if (request.trace) add(problem_of_output(*request.trace, step_trace_begins(), "a trace", "--trace"));
  if (request.heatmap) add(problem_of_output(*request.heatmap, kMapBegins, "a heat map", "--heatmap"));
  add(problem_of_same_outputs(std::to_array<NamedOutput>({{"--trace", request.trace.value_or("")},
                                                          {"--heatmap", request.heatmap.value_or("")},
                                                          {"--page", request.page.value_or("")}})));
  return problems;
}

/// The page with its assumptions and the report as text.
std::string html_of(const StepRequest& request, const LoadedScenario& loaded, const StepReport& report) {
  const ReportOptions options = {.command = command_of(request)};
  Page page = page_of(report, options);
  page.sections.push_back(assumptions_section(loaded.resolved, show(loaded)));
  page.sections.push_back(text_section(text_report(report, options)));
  return to_html(page);
}

bool write_files(const StepRequest& request, const LoadedScenario& loaded, const StepAnswer& answer) {
  std::optional<Problem> problem;
  if (request.page) problem = write_output(*request.page, html_of(request, loaded, answer.report));
  if (!problem && request.trace)
    problem = write_output(*request.trace, to_trace(*answer.pictures, request.steps));
  if (!problem && request.heatmap) problem = write_output(*request.heatmap, to_svg(*answer.pictures));
  if (problem) print_problems({&*problem, 1});
  return !problem;
}

int show_answer(const StepRequest& request, const LoadedScenario& loaded, const StepAnswer& answer) {
  if (!write_files(request, loaded, answer)) return kFailed;
  const std::string report =
      text_report(answer.report, {.command = command_of(request), .colour = colour_of_output()});
  const std::string json = to_json(answer.report);
  return print_answer({.report = report, .json = json}, request.json) ? kSuccess : kFailed;
}

std::vector<std::string> step_networks() {
  return {std::string(kClosedForm), std::string(kMaxMin), std::string(kSimgrid)};
}

int step_command(const StepRequest& request) {
  const LoadedScenario loaded = load_scenario(request.scenario, request.sets);
  if (!loaded.scenario) return wrong_input(loaded.problems);
  const World& world = loaded.scenario->world;
  const Switches switches = request.network == kClosedForm ? Switches::unknown : Switches::modelled;
  const Degraded degraded = parse_degrade(request.degrade, world, switches);
  const Traffic traffic = parse_traffic(request.beside, request.storm, world);
  const std::string name = name_of_network(request, world, degraded.state.network);
  std::vector<Problem> problems = degraded.problems;
  for (const std::vector<Problem>& more :
       {traffic.problems, problems_of_network(request, name, world), problems_of_files(request)})
    problems.insert(problems.end(), more.begin(), more.end());
  if (!problems.empty()) return wrong_input(problems);
  if (name == kClosedForm && narrows(world))
    complain("the closed form knows no switches: what the fabric's oversubscription costs is not counted");
  try {
    const Pictures pictures = request.trace || request.heatmap ? Pictures::all : Pictures::none;
    return show_answer(request, loaded,
                       examine(world, degraded, network_for(request, name, world, traffic), pictures));
  } catch (const std::exception& error) {
    complain(fmt::format("the step was not evaluated: {}", text_of(error)));
    return kFailed;
  }
}

void add_step_options(Command& step) {
  const auto request = std::make_shared<StepRequest>();
  add_scenario(step, request->scenario);
  add_sets(step, request->sets);
  step.value("--degrade", request->degrade,
             "Make a part slower (can be repeated): host:17.slow=1.10, host:17.slow.forward=1.10, "
             "host:17.gpu:3.slow=2, host:17.stall=2s, host:17.nic:2.degrade=4, host:17.nic:2.degrade=lost, "
             "tor:3.degrade=2, jitter=0.02")
      .type_name("COMPONENT.WHAT=VALUE")
      .one_value_each();
  step.value("--network", request->network,
             "The network model (default: closed-form, or max-min where switches are oversubscribed, hashes "
             "collide or other traffic is present)")
      .one_of(step_networks());
  step.value("--ecmp", request->ecmp, "How switches choose among equal paths (max-min, simgrid)")
      .one_of({"spread", "hashed"})
      .shows_default();
  step.value("--beside", request->beside,
             "A transfer of another job on the same fabric; can be repeated (max-min)")
      .type_name("host:A-host:B")
      .one_value_each();
  step.value("--storm", request->storm,
             "A restore from storage at this host to all hosts of the job (max-min)")
      .type_name("host:A")
      .one_value_each();
  step.value("--page", request->page, "Write the report here as a page with charts, one HTML file")
      .type_name("FILE");
  const Option trace =
      step.value("--trace", request->trace, "Write a time line here, for https://ui.perfetto.dev")
          .type_name("FILE");
  step.value("--steps", request->steps, "Steps of the time line, all equal (default: 1)")
      .type_name("N")
      .between(1u, kMostTracedSteps)
      .needs(trace);
  step.value("--heatmap", request->heatmap, "Write a map of which stage waits for which here, as SVG")
      .type_name("FILE");
  add_json(step, request->json);
  step.runs([request] { return step_command(*request); });
}

}  // namespace

void add_step(Program& program) {
  program.command("step", "Show how long one training step takes, and where its time goes",
                  "  gauntlet step megascale-175b-12288\n"
                  "  gauntlet step megascale-175b-12288 --degrade host:17.slow=1.10 \\\n"
                  "      --trace step.json --steps 3 --heatmap step.svg",
                  add_step_options);
}

}  // namespace gauntlet
