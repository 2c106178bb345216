#include "commands/view/source.hpp"

#include "config/scenario.hpp"
#include "core/quantity.hpp"
#include "core/record/codec.hpp"
#include "core/record/recording.hpp"
#include "study/replica.hpp"
#include "study/store/directory/result_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRecordingBegins =
    "gauntlet-record";                     // core/record/recording.cpp, whatever its version
constexpr const char* kDrills = "drills";  // of `gauntlet drill --repeat --out`
constexpr std::uint32_t kFirstDrill = 1;
constexpr const char* kWhatToGive =
    "give a scenario, a recording, or the results of `gauntlet run` or `gauntlet drill`";

OpenedView refused(Problem problem) { return {.source = std::nullopt, .problems = {std::move(problem)}}; }

/// Simulates the replica of a source whose scenario, seed and replica are set. Gives the fingerprint.
std::uint64_t simulate(ViewSource& source) {
  Simulation simulation(source.scenario.world, source.scenario.policies);
  const Figures& figures = simulation.run({.seed = source.seed, .replica = source.replica});
  source.record = simulation.record();
  source.truth = simulation.cluster().truth();
  source.incidents = figures.incidents;
  source.scored = true;
  source.origin = fmt::format("replica {} of a simulation, seed {}", source.replica, source.seed);
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

bool same_orders(const Record& a, const Record& b) {
  if (a.observations.size() != b.observations.size()) return false;
  return std::equal(a.orders.begin(), a.orders.end(), b.orders.begin(), b.orders.end(),
                    [](const RecordedOrder& one, const RecordedOrder& other) {
                      return one.at == other.at && same(one.order, other.order);
                    });
}

/// The recording itself is shown; a simulation is run again for its truth log, which a recording does not hold.
OpenedView from_recording(const ViewQuestion& question, const std::string& path) {
  if (question.seed || !question.sets.empty())
    return refused({.what = question.seed ? "--seed" : "--set",
                    .why = fmt::format("has no effect on {}, which is a recording", path),
                    .suggestion = "leave it out"});
  ReadRecording read = read_recording(path);
  if (!read.recording) return refused(read.problem);
  Recording& recording = *read.recording;
  if (recording.record.observations.empty())
    return refused(
        problem_of(path, "is truncated: it ends before its first observation", "record the run again"));
  LoadedScenario loaded = load_scenario_text(recording.header.scenario, path + " (its scenario)");
  if (!loaded.scenario) return {.source = std::nullopt, .problems = std::move(loaded.problems)};
  ViewSource source;
  source.scenario = std::move(*loaded.scenario);
  source.seed = recording.header.seed;
  source.replica = recording.header.replica;
  const auto end = problem_of_end(path, recording);
  if (end) source.notes.push_back(end->text());
  source.drill = recording.measurements.has_value();
  // What was cut short may be of a drill: only the end of a recording tells.
  if (!source.drill && !end) {
    simulate(source);
    if (same_orders(source.record, recording.record)) return {.source = std::move(source), .problems = {}};
    source.truth.clear();
    source.incidents.clear();
    source.scored = false;
    source.notes.push_back(fmt::format(
        "gauntlet {} recorded this run, and this program simulates another one: the truth log of the "
        "recorded run is missing",
        recording.header.version));
  }
  source.record = std::move(recording.record);
  source.origin =
      fmt::format("{}, seed {}", source.drill ? "the recording of a drill" : "a recording", source.seed);
  return {.source = std::move(source), .problems = {}};
}

/// The drill's incidents as they were scored.
OpenedView with_scores(OpenedView opened, const Store& store) {
  if (!opened.source) return opened;
  ViewSource& source = *opened.source;
  source.scored = true;
  store.read_incidents(
      0, [&](std::uint32_t, std::size_t, const Incident& each) { source.incidents.push_back(each); });
  return opened;
}

OpenedView from_kept_drill(const ViewQuestion& question) {
  const fs::path drills = fs::path(question.what) / kDrills;
  const std::uint32_t number = question.replica.value_or(kFirstDrill);
  const fs::path recording = drills / fmt::format("{}.rec", number);
  std::error_code error;
  if (!fs::exists(recording, error))
    return refused(problem_of(recording, "is missing: there is no such drill", "choose another --replica"));
  const auto store = Store::open_to_read(drills / fmt::format("{}", number) / kDatabaseFile);
  if (!store.store) return refused(*store.problem);
  return with_scores(from_recording(question, recording.string()), *store.store);
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
  if (store.study().command == "drill") {
    if (question.recording.empty())
      return refused(problem_of(question.what, "has the results of a drill and not its record",
                                "record the drill, and give its recording with --recording FILE"));
    return with_scores(from_recording(question, question.recording), store);
  }
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

bool is_recording(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::ifstream in(path, std::ios::binary);
  std::string start(kRecordingBegins.size(), '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == kRecordingBegins;
}

}  // namespace

OpenedView open_view(const ViewQuestion& question) {
  std::error_code error;
  const bool directory = fs::is_directory(question.what, error);
  if (!question.recording.empty() && !directory)
    return refused(
        {.what = "--recording",
         .why = fmt::format("belongs to the result directory of a drill, and {} is not a directory",
                            question.what),
         .suggestion = "leave it out"});
  if (directory && (question.seed || !question.sets.empty()))
    return refused({.what = question.seed ? "--seed" : "--set",
                    .why = fmt::format("has no effect on {}, which has its own", question.what),
                    .suggestion = "leave it out, or give the scenario"});
  if (directory && fs::is_directory(fs::path(question.what) / kDrills, error))
    return from_kept_drill(question);
  if (directory) return from_results(question);
  if (is_recording(question.what)) {
    if (question.replica)
      return refused({.what = fmt::format("--replica {}", *question.replica),
                      .why = fmt::format("has no effect on {}, which is one recording", question.what),
                      .suggestion = "leave it out"});
    OpenedView opened = from_recording(question, question.what);
    if (opened.source && opened.source->drill)
      opened.source->notes.emplace_back(
          "A recording holds no truth log: culprits are those that its observations and orders name.");
    return opened;
  }
  return from_scenario(question);
}

}  // namespace gauntlet
