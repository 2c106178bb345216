#include "commands/view/source.hpp"

#include "config/scenario.hpp"
#include "core/quantity.hpp"
#include "score/score.hpp"
#include "study/recorded_run.hpp"
#include "study/replica.hpp"
#include "study/store/directory/result_files.hpp"
#include "study/store/directory/result_reader.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWhatToGive =
    "give a scenario, a recording, or the results of `gauntlet run` or `gauntlet drill`";

OpenedView refused(Problem problem) { return {.source = std::nullopt, .problems = {std::move(problem)}}; }

std::string simulated_origin(const ViewSource& source) {
  return fmt::format("replica {} of a simulation, seed {}", source.replica, source.seed);
}

/// Simulates the replica of a source whose scenario, seed and replica are set. Gives the fingerprint.
std::uint64_t simulate(ViewSource& source) {
  Simulation simulation(source.scenario.world, source.scenario.policies);
  const Figures& figures = simulation.run({.seed = source.seed, .replica = source.replica});
  source.record = simulation.record();
  source.truth = simulation.cluster().truth();
  source.incidents = figures.incidents;
  source.scored = true;
  source.origin = simulated_origin(source);
  return figures.fingerprint;
}

OpenedView from_scenario(const ViewQuestion& question) {
  LoadedScenario loaded = load_scenario(question.what, question.sets);
  if (!loaded.scenario) return {.source = std::nullopt, .problems = std::move(loaded.problems)};
  ViewSource source;
  source.scenario = std::move(*loaded.scenario);
  source.seed = question.seed.value_or(source.scenario.study.seed);
  source.replica = question.replica.value_or(0);
  simulate(source);
  return {.source = std::move(source), .problems = {}};
}

/// Of the recording alone: its logs are scored again.
OpenedView from_recording(const ViewQuestion& question, const std::string& path) {
  if (question.seed || !question.sets.empty())
    return refused({.what = question.seed ? "--seed" : "--set",
                    .why = fmt::format("has no effect on {}, which is a recording", path),
                    .suggestion = "leave it out"});
  OpenedRecording opened = open_recording(path);
  if (!opened.run) return {.source = std::nullopt, .problems = std::move(opened.problems)};
  Recording& recording = opened.run->recording;
  if (recording.record.observations.empty())
    return refused(
        problem_of(path, "is truncated: it ends before its first observation", "record the run again"));
  ViewSource source;
  source.scenario = std::move(*opened.run->loaded.scenario);
  source.seed = recording.header.seed;
  source.replica = recording.header.replica;
  source.drill = recording.measurements.has_value();
  if (const auto end = problem_of_end(path, recording)) source.notes.push_back(end->text());
  source.record = std::move(recording.record);
  source.origin = source.drill     ? fmt::format("a drill, seed {}", source.seed)
                  : recording.logs ? simulated_origin(source)
                                   : fmt::format("a recording, seed {}", source.seed);
  if (recording.logs) {
    Figures figures;
    score(score_facts(source.scenario.world), recording.logs->truth, recording.logs->progress, source.record,
          figures);
    source.truth = std::move(recording.logs->truth);
    source.incidents = std::move(figures.incidents);
    source.scored = true;
  } else {
    source.notes.push_back(
        fmt::format("{} has no truth log: culprits are those that its observations and orders name", path));
  }
  return {.source = std::move(source), .problems = {}};
}

OpenedView from_kept_drill(const ViewQuestion& question) {
  const fs::path recording = recording_of_drill(question.what, question.drill.value_or(1));
  std::error_code error;
  if (!fs::exists(recording, error))
    return refused(problem_of(recording, "is missing: that drill is not in the directory, or not complete",
                              "choose another --drill, from 1"));
  return from_recording(question, recording.string());
}

OpenedView from_results(const ViewQuestion& question) {
  const FoundResults results = find_results(question.what);
  if (!results.store) {
    Problem problem = *results.problem;
    problem.suggestion = kWhatToGive;
    return refused(problem);
  }
  const Store& store = *results.store;
  if (!is_single(store))
    return refused(problem_of(question.what,
                              fmt::format("holds a study of `gauntlet {}`", store.study().command),
                              "give the results of `gauntlet run`, or a scenario"));
  if (store.study().command == "drill")
    return from_recording(question, (results.directory / kDrillRecordingFile).string());
  const std::uint32_t first = store.first_replica(0), count = store.replicas(0);
  const std::uint32_t replica = question.replica.value_or(first);
  if (count == 0) return refused(problem_of(question.what, "holds no replica", kWhatToGive));
  if (replica < first || replica - first >= count)
    return refused({.what = fmt::format("--replica {}", replica),
                    .why = fmt::format("is not in {}, which has replicas {} to {}", question.what, first,
                                       first + count - 1),
                    .suggestion = "choose one of them"});
  LoadedScenario loaded = load_scenario_text(store.point(0).text, question.what + " (its scenario)");
  if (!loaded.scenario) return {.source = std::nullopt, .problems = std::move(loaded.problems)};
  ViewSource source;
  source.scenario = std::move(*loaded.scenario);
  source.seed = store.study().seed;
  source.replica = replica;
  const std::uint64_t fingerprint = simulate(source);
  store.read(0, replica, 1, [&](std::uint32_t, const Figures& figures) {
    if (figures.fingerprint != fingerprint)
      source.notes.push_back(
          fmt::format("gauntlet {} wrote {}, and this program simulates another run: the page shows that one",
                      store.study().version, question.what));
  });
  return {.source = std::move(source), .problems = {}};
}

}  // namespace

OpenedView open_view(const ViewQuestion& question) {
  std::error_code error;
  const bool directory = fs::is_directory(question.what, error);
  if (directory && (question.seed || !question.sets.empty()))
    return refused({.what = question.seed ? "--seed" : "--set",
                    .why = fmt::format("has no effect on {}, which has its own", question.what),
                    .suggestion = "leave it out, or give the scenario"});
  const bool drills = directory && fs::is_directory(fs::path(question.what) / kDrillsDirectory, error);
  if (question.drill && !drills)
    return refused({.what = fmt::format("--drill {}", *question.drill),
                    .why = fmt::format("has no effect on {}, which holds no drills", question.what),
                    .suggestion = "leave it out"});
  if (question.replica && drills)
    return refused({.what = fmt::format("--replica {}", *question.replica),
                    .why = fmt::format("has no effect on {}, which holds drills", question.what),
                    .suggestion = "choose one with --drill"});
  if (drills) return from_kept_drill(question);
  if (directory) return from_results(question);
  if (begins_as_recording(question.what)) {
    if (question.replica)
      return refused({.what = fmt::format("--replica {}", *question.replica),
                      .why = fmt::format("has no effect on {}, which is one recording", question.what),
                      .suggestion = "leave it out"});
    return from_recording(question, question.what);
  }
  return from_scenario(question);
}

}  // namespace gauntlet
