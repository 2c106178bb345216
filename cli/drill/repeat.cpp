#include "cli/drill/repeat.hpp"

#include "cli/drill/kept_drill.hpp"
#include "core/files/durable.hpp"
#include "report/words.hpp"
#include "report/worlds/page.hpp"
#include "shell/assumptions.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/interrupt.hpp"
#include "shell/terminal.hpp"
#include "study/store/directory/result_files.hpp"

#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

/// What became of the attempt to have one drill: one of these.
struct Attempt {
  std::optional<KeptDrill> kept = {};
  std::string failed = {};             // why it has no result
  std::vector<Problem> problems = {};  // why no drill can be made, or why the one that was is not kept
  bool drilled = false;                // then
  bool interrupted = false;
};

/// Drills, unless the directory has it.
Attempt have_drill(const DrillTask& task, const fs::path& out, std::uint32_t number,
                   const std::string& name) {
  KeptAnswer there = read_kept(out, number, task);
  if (there.problem) return {.problems = {*there.problem}};
  if (there.drill) return {.kept = std::move(there.drill)};
  try {
    const MeasureAnswer answer = measure_drill(task, {.progress = name + ": ",
                                                      .recording = recording_of_drill(out, number).string(),
                                                      .existing = Existing::replace});
    if (!answer.drill) return {.problems = answer.problems};
    if (!answer.drill->result.finished) return {.interrupted = true};
    if (answer.drill->not_written) return {.problems = {*answer.drill->not_written}, .drilled = true};
  } catch (const std::exception& error) {
    return {.failed = text_of(error)};
  }
  there = read_kept(out, number, task);
  if (there.problem) return {.problems = {*there.problem}, .drilled = true};
  return {.kept = std::move(there.drill)};
}

/// A drill beside its simulation. Drills of one seed have one fault plan, and simulations that differ in what else is left to chance.
DrillPair pair_of(const DrillTask& task, std::uint32_t number, const KeptDrill& kept) {
  const std::uint32_t replica = task.request.vary_seed ? 0 : number - 1;
  const SimulatedDrill simulated = *simulate_drill(task, plan_of(task).kept, replica);
  return {.number = number,
          .seed = task.seed(),
          .measured = kept.figures,
          .simulated = simulated.figures,
          .decisions = compare_decisions({"measured", &kept.record, &kept.figures},
                                         {"simulated", &simulated.record, &simulated.figures})};
}

double ettr_of(const Figures& figures) {
  return to_seconds(at(figures.phases, Phase::effective)) / to_seconds(figures.wall);
}

std::string progress_line(const std::string& name, const DrillPair& pair) {
  return fmt::format("{}: ETTR {:.1f}%, simulated {:.1f}%; {}, simulated {}", name,
                     100 * ettr_of(pair.measured), 100 * ettr_of(pair.simulated),
                     counted(static_cast<double>(pair.measured.incidents.size()), "incident"),
                     pair.simulated.incidents.size());
}

/// Drills until all are there, Ctrl-C comes, or a drill has problems; those of the last one are in `last`.
RepeatedDrills drill_all(const DrillTask& task, Attempt& last) {
  const DrillRequest& all = task.request;
  RepeatedDrills drills = {.scenario = task.scenario.world.name,
                           .version = GAUNTLET_VERSION,
                           .asked = all.repeat,
                           .vary_seed = all.vary_seed};
  for (const FaultKind& kind : task.scenario.world.faults) drills.faults.push_back(kind.name);
  for (std::uint32_t number = 1; number <= all.repeat && !stop_on_interrupt(); ++number) {
    DrillRequest request = all;
    request.seed = task.seed() + (all.vary_seed ? number - 1 : 0);
    request.out = results_of_kept(all.out, number).string();
    const DrillTask one = {request, task.scenario, task.resolved, task.probes};
    const std::string name = fmt::format("drill {} of {} (seed {})", number, all.repeat, one.seed());
    Attempt attempt = have_drill(one, all.out, number, name);
    if (!attempt.problems.empty()) {
      last = std::move(attempt);
      return drills;
    }
    if (attempt.interrupted) break;
    if (attempt.kept && attempt.kept->figures.steps == 0) attempt = {.failed = "its job never trained"};
    if (attempt.kept) {
      drills.pairs.push_back(pair_of(one, number, *attempt.kept));
      complain(progress_line(name, drills.pairs.back()));
    } else {
      drills.failed.push_back({.number = number, .seed = one.seed(), .why = attempt.failed});
      complain(name + " failed: " + attempt.failed);
    }
  }
  drills.interrupted = drills.pairs.size() + drills.failed.size() < all.repeat;
  return drills;
}

std::string command_of_all(const DrillRequest& request, std::uint64_t seed) {
  return CommandLine(command_of(request, seed))
      .number("--repeat", std::optional(request.repeat))
      .flag("--vary-seed", request.vary_seed)
      .option("--out", request.out)
      .text();
}

/// report.txt, report.html and result.json of all drills.
std::optional<Problem> write_comparison(const fs::path& out, const std::string& report,
                                        const std::string& page, const std::string& json) {
  for (const auto& [file, text] :
       {std::pair(kReportFile, &report), std::pair(kPageFile, &page), std::pair(kResultFile, &json)}) {
    const std::string path = (out / file).string();
    if (const auto failure = replace_file(system_files(), {.path = path, .temporary = path + ".part"}, *text))
      return Problem{.file = path,
                     .why = fmt::format("cannot be written: {}", std::strerror(failure->error)),
                     .suggestion = "make room there, and give the same command: no drill is repeated"};
  }
  return std::nullopt;
}

std::string page_text(const DrillTask& task, const RepeatedDrills& drills, const std::string& command) {
  Page page = page_of(drills, {.command = command});
  page.sections.push_back(assumptions_section(task.resolved.tree, task.resolved.annotated));
  return to_html(page);
}

}  // namespace

int repeat_drill(const DrillTask& task) {
  const DrillRequest& request = task.request;
  if (const auto problem = open_kept(request.out)) return wrong_input(*problem);
  Attempt last;
  const RepeatedDrills drills = drill_all(task, last);
  if (!last.problems.empty()) {
    print_problems(last.problems);
    return last.drilled ? kFailed : kWrongInput;
  }
  const std::string command = command_of_all(request, task.seed());
  const std::string json = to_json(drills, command);
  if (const auto problem = write_comparison(request.out, text_report(drills, {.command = command}),
                                            page_text(task, drills, command), json)) {
    print_problems({&*problem, 1});
    return kFailed;
  }
  if (!print(request.json ? json : text_report(drills, {.command = command, .colour = colour_of_output()})))
    return kFailed;
  if (drills.interrupted) return kSignalBase + interrupting_signal();
  return drills.failed.empty() ? kSuccess : kFailed;
}

}  // namespace gauntlet
