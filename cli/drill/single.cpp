#include "cli/drill/single.hpp"

#include "cli/drill/one_drill.hpp"
#include "cli/dry_run.hpp"
#include "real/driver/drill_place.hpp"
#include "report/side_by_side.hpp"
#include "report/text.hpp"
#include "report/worlds/result.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/interrupt.hpp"
#include "shell/terminal.hpp"
#include "study/summary/summary_json.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <variant>

namespace gauntlet {
namespace {

/// ", 2 cores, 24 GiB, 1 GPU, eth0"; empty where its agent has not reported.
std::string hardware_text(const HostReport& report) {
  constexpr double kGibi = 1 << 30;
  if (report.hardware.cores == 0) return "";
  std::string text =
      fmt::format(": {} core{}, {}, {}", report.hardware.cores, report.hardware.cores == 1 ? "" : "s",
                  fmt::format("{:.0f} GiB", static_cast<double>(report.hardware.memory_bytes) / kGibi),
                  report.hardware.gpus.empty() ? "no GPU"
                                               : fmt::format("{} GPU{}", report.hardware.gpus.size(),
                                                             report.hardware.gpus.size() == 1 ? "" : "s"));
  for (const NicCounters& nic : report.nics) text += (nic.name == "lo" ? "" : ", " + nic.name);
  return text;
}

/// What the drill was, in a line each; standard error, so that --json stays a document.
void tell(const DrillResult& result, const FaultPlan& plan, bool no_faults) {
  for (std::size_t host = 0; host < result.hosts.size(); ++host) {
    const HostIdentity& who = result.hosts[host];
    if (who != HostIdentity{})
      complain(fmt::format("host {} is {} at {}{}", host, who.pod.empty() ? "without a name" : who.pod,
                           who.address,
                           host < result.reports.size() ? hardware_text(result.reports[host]) : ""));
  }
  complain(fmt::format("{} of {} planned faults were injected{}", result.injected, plan.size(),
                       no_faults ? " (--no-faults)" : ""));
  for (const std::string& sentence : result.last_values) complain(sentence);
  if (result.finished && result.final_hash != 0)
    complain(fmt::format("final parameters {:016x}", result.final_hash));
}

/// The exit code then.
int complain_of_interruption(const DrillRequest& request) {
  complain("interrupted before the end" + continuation_of(request));
  return kSignalBase + interrupting_signal();
}

int dry_run(const DrillTask& task) {
  std::unique_ptr<Launcher> launcher;
  if (const auto wrong = launcher_of(task, launcher); !wrong.empty()) return wrong_input(wrong);
  if (const std::string shortfall = launcher->shortfall(); !shortfall.empty() && !task.request.no_faults)
    complain(shortfall);
  return print(dry_run_text(task.scenario.world, plan_of(task), drill_base(), *launcher)) ? kSuccess
                                                                                          : kFailed;
}

/// The figures of both worlds, where their decisions first differ, then every incident and order of both. Empty once Ctrl-C came.
std::string against_simulation(const DrillTask& task, const MeasuredDrill& drill) {
  const auto simulated = simulate_drill(task, drill.plan, 0, &stop_on_interrupt());
  if (!simulated) return "";
  std::vector<std::string> names;
  for (const FaultKind& kind : task.scenario.world.faults) names.push_back(kind.name);
  const Side measured_side = {"measured", &drill.result.record, &drill.figures};
  const Side simulated_side = {"simulated", &simulated->record, &simulated->figures};
  const Decisions decisions = compare_decisions(measured_side, simulated_side);
  const std::vector<DrillPair> pair = {{.number = 1,
                                        .seed = task.seed(),
                                        .measured = drill.figures,
                                        .simulated = simulated->figures,
                                        .decisions = decisions}};
  return "\n" + worlds_text(pair, names) + decisions_text(decisions, "measured", "simulated") + "\n" +
         side_by_side(measured_side, simulated_side, names);
}

}  // namespace

int drill_once(const DrillTask& task) {
  const DrillRequest& request = task.request;
  if (request.dry_run) return dry_run(task);
  const MeasureAnswer answer = measure_drill(task);
  if (!answer.drill) return wrong_input(answer.problems);
  const MeasuredDrill& drill = *answer.drill;
  const DrillResult& result = drill.result;
  if (!result.began) return complain_of_interruption(request);
  if (result.difference) {
    complain(
        "the recording was made by other policies, which decide differently: gauntlet replay shows where");
    return kFailed;
  }
  tell(result, drill.plan, request.no_faults);
  std::error_code ignored;
  if (!request.segments.empty() && std::filesystem::exists(request.segments, ignored))
    complain(fmt::format("`gauntlet segments {}` names slow ranks", shell_word(request.segments)));
  std::string text =
      request.json
          ? to_json(drill.summary)
          : text_report(drill.summary, {.command = "", .colour = colour_of_output()}) + drill.sections;
  if (request.against_simulation) text += against_simulation(task, drill);
  if (drill.not_written) {
    print_problems({&*drill.not_written, 1});
    return kFailed;
  }
  if (!result.finished && !request.json)
    text = "Interrupted: these figures cover the time until then, and the job is not finished.\n" + text;
  if (!print(text)) return kFailed;
  if (!result.finished) return complain_of_interruption(request);
  const Ending ending = std::get<Finished>(result.record.observations.back().what).ending;
  return ending == Ending::gave_up || result.job_never_trained ? kFailed : kSuccess;
}

}  // namespace gauntlet
