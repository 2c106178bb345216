// gauntlet scale: one scenario at many sizes of its job.
#include "commands/scale/command.hpp"

#include "commands/scale/page.hpp"
#include "commands/scale/scale.hpp"
#include "commands/scale/text.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/fault_files_text.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"
#include "shell/workbench.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace gauntlet {
namespace {

struct ScaleRequest : StudyRequest {
  std::string gpus;  // "1k:128k:log8" or "1024,16384"
  std::optional<std::uint32_t> replicas;
  bool keep_batch = false;  // strong scaling: the global batch stays
};

std::string command_of(const ScaleRequest& request, const std::string& gpus, std::uint32_t replicas,
                       std::uint64_t seed) {
  return CommandLine("gauntlet scale", request.scenarios.front())
             .option("--gpus", gpus)
             .flag("--keep-batch", request.keep_batch)
             .number("--replicas", std::optional(replicas))
             .text() +
         common_arguments(request, seed);
}

int scale_command(const ScaleRequest& request) {
  const std::string& scenario = request.scenarios.front();
  const PointSource source(scenario, request.sets, request.seed, request.means());
  const std::uint64_t seed = source.seed();
  const ScalePlan plan = plan_scale(source, request.gpus,
                                    request.keep_batch ? BatchScaling::kept : BatchScaling::scaled, "--gpus");
  if (!plan.problems.empty()) return wrong_input(plan.problems);
  const std::uint32_t replicas = request.replicas.value_or(plan.base->scenario.study.replicas);
  const std::string command = command_of(request, plan.gpus, replicas, seed);
  const auto bench = Workbench::open("scale", request, {&source, 1}, command);
  if (!bench) return kWrongInput;
  const std::vector<std::string> faults = inherited_faults(source.resolved());
  const ScaleResult result = scale(bench->experiment(), plan, replicas);
  Workbench::Output output;
  if (!result.sizes.empty()) output = output_of(result, bench->forms(), command, faults);
  return bench->finish(std::move(output));
}

void add_scale_options(Command& scale) {
  const auto request = std::make_shared<ScaleRequest>();
  add_scenario(scale, request->scenarios.emplace_back());
  scale
      .value("--gpus", request->gpus,
             "Sizes: LOW:HIGH:logN or a list; k is 1024 (default: 1/16 of the job to 8 times the job)")
      .type_name("SIZES");
  scale.flag("--keep-batch", request->keep_batch, "Keep the global batch (default: it grows with the job)");
  add_replicas(scale, request->replicas, "Replicas of every size (default: the scenario's)");
  add_study(scale, *request, std::string(kStudyFiles) + ", scenario.toml");
  scale.runs([request] { return scale_command(*request); });
}

}  // namespace

void add_scale(Program& program) {
  program.command("scale", "Run a scenario at many sizes of the job",
                  "  gauntlet scale scenarios/rsc1.toml\n"
                  "  gauntlet scale llama3-405b-54d --gpus 1k:128k:log8",
                  add_scale_options);
}

}  // namespace gauntlet
