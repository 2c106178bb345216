#include "commands/timeline/source.hpp"

#include "config/scenario.hpp"
#include "sim/faults/fault_plan.hpp"
#include "study/recorded_run.hpp"
#include "study/replica.hpp"
#include "study/store/directory/result_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

TimelineSource refused(Problem problem) { return {.runs = {}, .problems = {std::move(problem)}}; }

/// Options that mean something for other sources.
std::optional<Problem> problem_of_options(const TimelineQuestion& question, bool is_scenario,
                                          bool is_directory) {
  const auto without = [&](const std::string& option, const std::string& why) {
    return Problem{.file = question.source, .what = option, .why = why, .suggestion = "leave it out"};
  };
  if (is_scenario) {
    if (question.against_simulation)
      return without("--against-simulation", "has no effect on a simulation: give the recording of a drill");
  } else {
    if (!question.sets.empty()) return without("--set", "cannot change what is recorded");
    if (question.seed) return without("--seed", "cannot change what is recorded");
    if (question.replica) return without("--replica", "has no effect: a recording has one run");
  }
  if (question.drill && !is_directory) return without("--drill", "chooses among the drills of a directory");
  return std::nullopt;
}

// --- simulations -----------------------------------------------------------------------------------------------------

/// Nothing where it was stopped.
std::optional<TimelineRun> simulate(World world, const PolicyConstants& policies, std::uint64_t seed,
                                    std::uint32_t replica, std::string title, const std::atomic<bool>& stop) {
  TimelineRun run{.title = std::move(title), .world = std::move(world), .record = {}, .logs = {}};
  Simulation simulation(run.world, policies);
  Figures figures;
  if (!simulation.run({.seed = seed, .replica = replica, .stop = &stop}, figures)) return std::nullopt;
  run.record = simulation.record();
  run.logs = simulation.logs();
  return run;
}

TimelineSource of_scenario(const TimelineQuestion& question, const std::atomic<bool>& stop) {
  LoadedScenario loaded = load_scenario(question.source, question.sets);
  if (!loaded.scenario) return {.runs = {}, .problems = std::move(loaded.problems)};
  const Scenario& scenario = *loaded.scenario;
  const std::uint32_t replica = question.replica.value_or(0);
  const std::uint64_t seed = question.seed.value_or(scenario.study.seed);
  auto run =
      simulate(scenario.world, scenario.policies, seed, replica,
               fmt::format("{}, seed {}, replica {} (simulated)", scenario.world.name, seed, replica), stop);
  TimelineSource out;
  out.interrupted = !run;
  if (run) out.runs.push_back(std::move(*run));
  return out;
}

// --- recordings ------------------------------------------------------------------------------------------------------

/// The simulation of a drill meets the same plan.
TimelineSource with_simulation(const std::string& file, const Recording& recording, const Scenario& scenario,
                               TimelineSource out, const std::atomic<bool>& stop) {
  const FaultPlan plan = recording.logs->planned_faults == 0
                             ? FaultPlan{}
                             : plan_of_drill(scenario.world, recording.header.seed).kept;
  if (plan.size() != recording.logs->planned_faults)
    return refused(
        {.file = file,
         .why = fmt::format("was drilled with {} planned faults, of which this program plans {}",
                            recording.logs->planned_faults, plan.size()),
         .suggestion = "use the version of the program that drilled it: " + recording.header.version});
  auto run =
      simulate(with_plan(scenario.world, plan), scenario.policies, recording.header.seed, 0,
               fmt::format("{}, seed {} (simulated)", scenario.world.name, recording.header.seed), stop);
  if (!run) return {.runs = {}, .problems = {}, .missing = {}, .interrupted = true};
  out.runs.push_back(std::move(*run));
  return out;
}

TimelineSource of_recording(const std::string& file, bool against_simulation, const std::atomic<bool>& stop) {
  OpenedRecording opened = open_recording(file);
  if (!opened.run) return {.runs = {}, .problems = std::move(opened.problems)};
  Recording& recording = opened.run->recording;
  const Scenario& scenario = *opened.run->loaded.scenario;
  TimelineSource out;
  out.missing = problem_of_end(file, recording);
  const bool is_drill = recording.measurements.has_value();
  if (recording.record.observations.empty()) return refused(*out.missing);
  if (!out.missing && !recording.logs)
    out.missing = {.file = file,
                   .why = "has no log of faults and progress, as recordings of earlier versions",
                   .suggestion = "record the run again"};
  if (out.missing) {
    out.missing->why +=
        "; the trace has its observations, orders and hosts, and no faults, phases, incidents, checkpoints "
        "and steps";
    recording.logs.reset();
  }
  if (against_simulation && (out.missing || !is_drill))
    return refused(out.missing ? *out.missing
                               : Problem{.file = file,
                                         .what = "--against-simulation",
                                         .why = "has no effect: this is a recording of a simulation",
                                         .suggestion = "give the recording of a drill"});
  const std::string title =
      is_drill      ? fmt::format("{}, seed {} (drill)", scenario.world.name, recording.header.seed)
      : out.missing ? fmt::format("{}, seed {}", scenario.world.name, recording.header.seed)
                    : fmt::format("{}, seed {}, replica {} (simulated)", scenario.world.name,
                                  recording.header.seed, recording.header.replica);
  out.runs.push_back(
      {.title = title, .world = scenario.world, .record = recording.record, .logs = recording.logs});
  if (!against_simulation) return out;
  return with_simulation(file, recording, scenario, std::move(out), stop);
}

// --- directories -----------------------------------------------------------------------------------------------------

/// The recording in a directory of `gauntlet drill --out` or `--repeat`.
TimelineSource of_directory(const TimelineQuestion& question, const std::atomic<bool>& stop) {
  const fs::path directory = question.source;
  std::error_code error;
  const std::uint32_t number = question.drill.value_or(1);
  const fs::path one = directory / kDrillRecordingFile, among = recording_of_drill(directory, number);
  const bool several = fs::is_directory(directory / kDrillsDirectory, error);
  const fs::path file = several ? among : one;
  if (!several && question.drill)
    return refused({.file = question.source,
                    .what = fmt::format("--drill {}", number),
                    .why = "has no effect: the directory has one drill at most",
                    .suggestion = "leave it out"});
  if (!fs::exists(file, error))
    return refused({.file = file.string(),
                    .why = several ? "is missing: that drill is not in the directory, or not complete"
                                   : "is missing: only results of `gauntlet drill --out DIR` hold a "
                                     "recording; of other results, draw the scenario "
                                     "with --replica K",
                    .suggestion = several ? "choose another --drill, from 1"
                                          : "give such a directory, a recording or a scenario"});
  return of_recording(file.string(), question.against_simulation, stop);
}

}  // namespace

TimelineSource find_runs(const TimelineQuestion& question, const std::atomic<bool>& stop) {
  std::error_code error;
  const bool is_directory = fs::is_directory(question.source, error);
  if (!is_directory && fs::exists(question.source, error) && !fs::is_regular_file(question.source, error))
    return refused({.file = question.source,
                    .why = "is not a regular file",
                    .suggestion = "give a scenario, a recording or a directory of results"});
  const bool is_recording = !is_directory && begins_as_recording(question.source);
  if (auto problem = problem_of_options(question, !is_directory && !is_recording, is_directory))
    return refused(std::move(*problem));
  if (is_directory) return of_directory(question, stop);
  if (is_recording) return of_recording(question.source, question.against_simulation, stop);
  return of_scenario(question, stop);
}

}  // namespace gauntlet
