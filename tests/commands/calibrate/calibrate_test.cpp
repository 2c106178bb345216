#include "commands/calibrate/calibrated.hpp"
#include "commands/calibrate/toml.hpp"
#include "config/scenario.hpp"
#include "core/record/recording.hpp"
#include "study/replica.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kDrilled = "scenarios/drill-tiny.toml";

std::string scenario_text(const std::vector<std::string>& sets = {}) {
  const LoadedScenario loaded = load_scenario(kDrilled, sets);
  EXPECT_TRUE(loaded.scenario);
  return show(loaded, Comments::none);
}

/// A recording as a drill leaves it.
class WrittenDrill {
 public:
  WrittenDrill(const Scratch& place, const std::string& name, const std::string& scenario = scenario_text())
      : path_((place.path() / name).string()), writer_([this](std::string_view frame) { bytes_ += frame; }) {
    writer_.write(RecordingHeader{.version = "1", .scenario = scenario, .seed = 1, .replica = 0});
    inventory_ = load_scenario_text(scenario, name).scenario.value().world.inventory;
  }
  /// Else at the start of time.
  WrittenDrill& started(Time at) {
    writer_.write(Observed{at, Started{JobId{0}, inventory_}});
    started_ = true;
    return *this;
  }
  /// An order, and its outcome so much later.
  WrittenDrill& done(Time at, const Action& what, Duration took) { return all_done(at, what, {took}); }
  /// Several at once, and their outcomes.
  WrittenDrill& all_done(Time at, const Action& what, const std::vector<Duration>& took) {
    observed(at, Noticed{JobId{0}});
    const std::uint64_t first = orders_ + 1;
    for (std::size_t i = 0; i < took.size(); ++i) writer_.write(Order{OrderId{++orders_}, what});
    for (std::size_t i = 0; i < took.size(); ++i)
      writer_.write(Observed{
          at + took[i],
          Outcome{.order = OrderId{first + i}, .status = Status::done, .took = took[i], .result = {}}});
    return *this;
  }
  WrittenDrill& observed(Time at, const Observation& what) {
    if (!started_) started(kStart);
    writer_.write(Observed{at, what});
    return *this;
  }
  WrittenDrill& measured(const std::vector<Measurement>& all) {
    observed(kStart + 100s, Finished{JobId{0}, Ending::completed});
    writer_.write(std::span(all));
    return *this;
  }
  WrittenDrill& finish() { return measured({}); }
  std::string write() const {
    std::ofstream(path_, std::ios::binary) << bytes_;
    return path_;
  }

 private:
  std::string path_, bytes_;
  RecordingWriter writer_;
  std::uint64_t orders_ = 0;
  Inventory inventory_;
  bool started_ = false;
};

std::vector<MeasuredRun> read_all(const std::vector<std::string>& files) {
  std::vector<MeasuredRun> runs;
  for (const std::string& file : files) {
    ReadRun read = read_run(file);
    EXPECT_TRUE(read.run) << (read.problems.empty() ? "" : read.problems.front().text());
    if (read.run) runs.push_back(std::move(*read.run));
  }
  return runs;
}

const CalibratedKey& key_of(const CalibratedScenario& of, const std::string& key) {
  const auto found = std::find_if(of.keys.begin(), of.keys.end(),
                                  [&](const CalibratedKey& each) { return each.sample.key == key; });
  if (found == of.keys.end()) throw std::runtime_error(key + " was not measured");
  return *found;
}
bool has_key(const CalibratedScenario& of, const std::string& key) {
  return std::any_of(of.keys.begin(), of.keys.end(),
                     [&](const CalibratedKey& each) { return each.sample.key == key; });
}

TEST(Calibrate, OrdersAndMeasurementsBecomeTheKeysOfAScenario) {
  const Scratch place;
  const std::string drill =
      WrittenDrill(place, "a.rec")
          .started(kStart + 80ms)
          .done(kStart + 1s, Start{}, 500ms)
          .done(kStart + 2s, Stop{}, 20ms)
          .done(kStart + 3s, Probe{.probe = ProbeId{0}, .who = {}, .report = {}}, 300ms)  // of 4 hosts
          .measured({{Measured::process_start, kStart + 1200ms, 200ms},
                     {Measured::communicator_init, kStart + 1300ms, 100ms},
                     {Measured::load, kStart + 1500ms, 200ms},
                     {Measured::step, kStart + 1700ms, 210ms},
                     {Measured::step, kStart + 1900ms, 230ms},
                     {Measured::stall, kStart + 2s, 4ms},
                     {Measured::persist, kStart + 2s, 60ms}})
          .write();
  const Calibrated of = calibrate(read_all({drill}), {}, {});
  ASSERT_TRUE(of.result);
  const std::vector<std::pair<std::string, double>> expected = {{"job.start.provisioning", 0.08},
                                                                {"job.start.process_start", 0.2},
                                                                {"job.start.communicator_init", 0.1},
                                                                {"storage.load", 0.2},
                                                                {"job.stop_time", 0.02},
                                                                {"probes.host_check.time", 0.075},
                                                                {"job.step_time", 0.22},
                                                                {"storage.stall", 0.004},
                                                                {"storage.persist", 0.06}};
  for (const auto& [key, seconds] : expected)
    EXPECT_NEAR(key_of(*of.result, key).value.seconds, seconds, 1e-9) << key;
  EXPECT_EQ(of.result->keys.size(), expected.size());
  EXPECT_FALSE(has_key(*of.result, "job.restart_time"));
}

TEST(Calibrate, SaysHowLongSignalsTake) {
  const Scratch place;
  const auto watch = [](std::uint32_t id, Signal signal) {
    return Watch{.id = WatchId{id}, .signal = signal, .who = {}, .until = Match{}, .first = kEachMember};
  };
  const auto seen = [](std::uint32_t id, Time sensed) {
    return Seen{.watch = WatchId{id},
                .who = component(HostId{0}),
                .edge = Edge::sample,
                .sensed = sensed,
                .value = 0,
                .more = 0};
  };
  const std::string drill = WrittenDrill(place, "a.rec")
                                .done(kStart + 1s, watch(1, Signal::process_exit), 0s)
                                .done(kStart + 1s, watch(2, Signal::log_line), 0s)
                                .done(kStart + 1s, Start{}, 500ms)
                                .observed(kStart + 2s, seen(1, kStart + 2s - 3ms))
                                .observed(kStart + 3s, seen(2, kStart + 3s - 5ms))
                                .finish()
                                .write();
  const Calibrated of = calibrate(read_all({drill}), {}, {});
  ASSERT_TRUE(of.result);
  EXPECT_NEAR(key_of(*of.result, "telemetry.delay").value.seconds, 0.005, 1e-12);
  ASSERT_EQ(of.result->signals.size(), 2U);
  EXPECT_THAT(to_toml(*of.result), HasSubstr("# process_exit: 3ms, n = 1 in 1 run"));
}

TEST(Calibrate, AStartWithoutPhasesIsTheRestartTimeLessTheLoad) {
  const Scratch place;
  const std::string drill = WrittenDrill(place, "a.rec").done(kStart + 1s, Start{}, 505ms).finish().write();
  const Calibrated of = calibrate(read_all({drill}), {}, {});
  ASSERT_TRUE(of.result);
  EXPECT_NEAR(key_of(*of.result, "job.restart_time").value.seconds, 0.5, 1e-9);  // the scenario loads in 5 ms
}

TEST(Calibrate, AStartWithoutPhasesHasNoneBesideIt) {
  const Scratch place;
  const std::string drill =
      WrittenDrill(place, "a.rec").started(kStart + 80ms).done(kStart + 1s, Start{}, 505ms).finish().write();
  const Calibrated of = calibrate(read_all({drill}), {}, {});
  ASSERT_TRUE(of.result);
  const std::string file = (place.path() / "measured.toml").string();
  std::ofstream(file) << to_toml(*of.result);
  const LoadedScenario loaded = load_scenario_text(
      "extends = [\"" + std::string(kDrilled) + "\", \"" + file + "\"]\nname = \"x\"\nquestion = \"y\"\n",
      "x");
  EXPECT_TRUE(loaded.scenario) << loaded.problems.front().text();
}

TEST(Calibrate, ProbesThatWaitForEachOtherHaveTheirTurnAlone) {
  const Scratch place;
  const Probe of_one{.probe = ProbeId{0}, .who = Scope::one(component(HostId{1})), .report = {}};
  // Asked for at once, of four hosts that take 100 ms each: the first one is done after 100 ms, the last one after 400 ms.
  WrittenDrill drill(place, "a.rec");
  drill.done(kStart + 1s, Start{}, 500ms);
  drill.all_done(kStart + 3s, of_one, {100ms, 200ms, 300ms, 400ms});
  const Calibrated of = calibrate(read_all({drill.finish().write()}), {}, {});
  ASSERT_TRUE(of.result);
  const CalibratedKey& key = key_of(*of.result, "probes.host_check.time");
  EXPECT_EQ(key.value.n, 4U);
  EXPECT_NEAR(key.value.least, 0.1, 1e-9);
  EXPECT_NEAR(key.value.most, 0.1, 1e-9);
}

TEST(Calibrate, AnExitThatTwoWatchesSeeIsOne) {
  const Scratch place;
  const auto watch = [](std::uint32_t id) {
    return Watch{
        .id = WatchId{id}, .signal = Signal::process_exit, .who = {}, .until = Match{}, .first = kEachMember};
  };
  const auto seen = [](std::uint32_t id) {
    return Seen{.watch = WatchId{id},
                .who = component(HostId{0}),
                .edge = Edge::sample,
                .sensed = kStart + 2s,
                .value = 0,
                .more = 0};
  };
  const std::string drill = WrittenDrill(place, "a.rec")
                                .done(kStart + 1s, watch(1), 0s)
                                .done(kStart + 1s, watch(2), 0s)
                                .done(kStart + 1s, Start{}, 500ms)
                                .observed(kStart + 2s + 7ms, seen(1))
                                .observed(kStart + 2s + 7ms, seen(2))
                                .finish()
                                .write();
  const Calibrated of = calibrate(read_all({drill}), {}, {});
  ASSERT_TRUE(of.result);
  EXPECT_EQ(key_of(*of.result, "telemetry.exit_delay").value.n, 1U);
}

TEST(Calibrate, AReportCannotEndAComment) {
  const Scratch place;
  const std::string drill = WrittenDrill(place, "a.rec").done(kStart + 1s, Start{}, 500ms).finish().write();
  const std::string report = (place.path() / "host.json").string();
  std::ofstream(report)
      << R"({"probes": [{"probe": "x", "verdict": "pass\npolicies.recover = 1", "seconds": 1}]})";
  const Calibrated refused = calibrate(read_all({drill}), {report}, {});
  ASSERT_FALSE(refused.result);
  EXPECT_THAT(refused.problems.front().text(), HasSubstr("is not a report of a host"));
  Calibrated of = calibrate(read_all({drill}), {}, {});
  ASSERT_TRUE(of.result);
  of.result->command = "gauntlet calibrate 'a\njob.stop_time = 1'";
  EXPECT_THAT(to_toml(*of.result), HasSubstr("# Made by: gauntlet calibrate 'a?job.stop_time = 1'\n"));
}

TEST(Calibrate, AScenarioExtendsTheFile) {
  const Scratch place;
  std::vector<std::string> drills;
  for (int i = 0; i < 3; ++i)
    drills.push_back(WrittenDrill(place, std::to_string(i) + ".rec")
                         .done(kStart + 1s, Start{}, 500ms + i * 10ms)
                         .done(kStart + 2s, Stop{}, 70ms + i * 1ms)
                         .done(kStart + 3s, Probe{.probe = ProbeId{0}, .who = {}, .report = {}}, 400ms)
                         .measured({{Measured::process_start, kStart + 1200ms, 200ms + i * 20ms},
                                    {Measured::load, kStart + 1500ms, 9ms}})
                         .write());
  Calibrated of = calibrate(read_all(drills), {}, {});
  ASSERT_TRUE(of.result);
  of.result->command = "gauntlet calibrate";
  of.result->date = "2026-01-02";
  const std::string file = (place.path() / "measured.toml").string();
  std::ofstream(file) << to_toml(*of.result);
  const std::string extended =
      "extends = [\"" + std::string(kDrilled) + "\", \"" + file + "\"]\nname = \"x\"\nquestion = \"y\"\n";
  const LoadedScenario loaded = load_scenario_text(extended, "x");
  ASSERT_TRUE(loaded.scenario) << loaded.problems.front().text() << "\n" << to_toml(*of.result);
  const World& world = loaded.scenario->world;
  EXPECT_EQ(world.job.stop_time, 71ms);
  EXPECT_EQ(world.storage.load, 9ms);
  EXPECT_EQ(world.probes[0].time, 100ms) << "400 ms, of four hosts in turn";
  EXPECT_EQ(world.job.start.process_start.name(), "lognormal");
  std::vector<std::string> unknown;
  for (const UncertainField& each : loaded.scenario->study.uncertain) unknown.push_back(each.path);
  EXPECT_THAT(unknown, testing::UnorderedElementsAre("job.stop_time", "job.start.process_start.median"));
  EXPECT_THAT(to_toml(*of.result), HasSubstr("n = 3 in 3 runs, 70ms to 72ms"));
  EXPECT_THAT(to_toml(*of.result), HasSubstr("2026-01-02"));
}

TEST(Calibrate, TwoSizesGiveALineAndAWarningBeyond) {
  const Scratch place;
  std::vector<std::string> drills;
  for (const int hosts : {4, 8}) {
    const std::string text =
        scenario_text({"cluster.hosts=" + std::to_string(hosts), "job.layout.dp=" + std::to_string(hosts / 2),
                       "job.global_batch=4"});
    for (int i = 0; i < 2; ++i)
      drills.push_back(WrittenDrill(place, std::to_string(hosts) + "-" + std::to_string(i) + ".rec", text)
                           .done(kStart + 1s + i * 1ms, Start{}, 500ms)
                           .done(kStart + 2s, Stop{}, 10ms * hosts)
                           .finish()
                           .write());
  }
  const std::vector<MeasuredRun> runs = read_all(drills);
  const auto problem = problem_of_runs(runs);
  EXPECT_FALSE(problem) << problem->text();
  const Calibrated measured = calibrate(runs, {}, {}),
                   beyond = calibrate(runs, {}, {.hosts = 64, .bytes = {}});
  ASSERT_TRUE(measured.result && beyond.result);
  EXPECT_EQ(measured.result->hosts, 8);
  EXPECT_NEAR(key_of(*measured.result, "job.stop_time").value.seconds, 0.08, 1e-9);
  EXPECT_THAT(measured.result->warnings, IsEmpty());
  EXPECT_NEAR(key_of(*beyond.result, "job.stop_time").value.seconds, 0.64, 1e-9);
  EXPECT_THAT(beyond.result->warnings,
              testing::Contains(HasSubstr("job.stop_time is extrapolated: t = 0 s + 0.01 s x hosts")));
  EXPECT_THAT(to_toml(*beyond.result), HasSubstr("EXTRAPOLATED to 64 hosts"));
}

TEST(Calibrate, RecordingsOfDifferentScenariosAreRefused) {
  const Scratch place;
  auto drill = [&, took = Duration(1s)](const std::string& name,
                                        const std::vector<std::string>& sets) mutable {
    return WrittenDrill(place, name, scenario_text(sets))
        .done(kStart + 1s, Start{}, took += 1ms)
        .finish()
        .write();
  };
  const auto problem =
      problem_of_runs(read_all({drill("a.rec", {}), drill("b.rec", {"checkpoint.interval=3s"})}));
  ASSERT_TRUE(problem);
  EXPECT_THAT(problem->text(), HasSubstr("b.rec: checkpoint.interval is \"3s\", and in"));
  EXPECT_FALSE(
      problem_of_runs(read_all({drill("c.rec", {}), drill("d.rec", {"study.seed=9", "job.steps=150"})})));
}

TEST(Calibrate, CopiesAreRefused) {
  const Scratch place;
  const std::string drill = WrittenDrill(place, "a.rec").done(kStart + 1s, Start{}, 1s).finish().write();
  const std::string copy = (place.path() / "b.rec").string();
  std::filesystem::copy_file(drill, copy);
  const auto problem = problem_of_runs(read_all({drill, copy}));
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->text(), copy + ": is a copy of " + drill + "; give the recording of each drill once");
  const std::string report = (place.path() / "host.json").string(),
                    twin = (place.path() / "twin.json").string();
  std::ofstream(report) << R"({"probes": [{"probe": "host_check", "verdict": "pass", "seconds": 0.5}]})";
  std::filesystem::copy_file(report, twin);
  const Calibrated of = calibrate(read_all({drill}), {report, twin}, {});
  ASSERT_FALSE(of.result);
  EXPECT_THAT(of.problems.front().text(), HasSubstr(twin + ": is a copy of " + report));
}

TEST(Calibrate, ARecordingOfASimulationIsRefused) {
  const Scratch place;
  const LoadedScenario loaded = load_scenario(kDrilled, {});
  ASSERT_TRUE(loaded.scenario);
  Simulation simulation(loaded.scenario->world, loaded.scenario->policies);
  Figures figures;
  ASSERT_TRUE(simulation.run({.seed = 1, .replica = 0}, figures));
  const std::string file = (place.path() / "a.rec").string();
  const RecordingHeader header{
      .version = "1", .scenario = show(loaded, Comments::none), .seed = 1, .replica = 0};
  ASSERT_FALSE(write_recording(file, header, simulation.record()));
  const ReadRun read = read_run(file);
  ASSERT_FALSE(read.run);
  EXPECT_THAT(read.problems.front().text(),
              HasSubstr("has no measurements: it is a recording of a simulation"));
}

TEST(Calibrate, WhatIsNoWholeRecordingOfADrillIsRefused) {
  const Scratch place;
  const std::string unfinished = WrittenDrill(place, "a.rec").done(kStart + 1s, Start{}, 1s).write();
  const ReadRun cut = read_run(unfinished);
  ASSERT_FALSE(cut.run);
  EXPECT_THAT(cut.problems.front().text(), HasSubstr("before the end of its run"));
  EXPECT_THAT(cut.problems.front().text(), HasSubstr("leave this recording out"));
  const std::string other = (place.path() / "b.rec").string();
  std::ofstream(other) << "not a recording";
  EXPECT_THAT(read_run(other).problems.front().text(), HasSubstr("is not a recording"));
  const std::string idle = WrittenDrill(place, "c.rec").done(kStart + 1s, Stop{}, 1s).finish().write();
  const Calibrated of = calibrate(read_all({idle}), {}, {});
  ASSERT_FALSE(of.result);
  EXPECT_THAT(of.problems.front().text(), HasSubstr("has no start of the job that was complete"));
}

TEST(Calibrate, ReportsOfProbesGiveTheirTimesAndVerdicts) {
  const Scratch place;
  const std::string drill = WrittenDrill(place, "a.rec").done(kStart + 1s, Start{}, 500ms).finish().write();
  const std::string report = (place.path() / "host.json").string();
  std::ofstream(report) << R"({"host": "a", "suite": "quick", "verdict": "degraded", "probes": [
    {"probe": "host_check", "verdict": "pass", "seconds": 0.5},
    {"probe": "cpu", "verdict": "degraded", "seconds": 2.5}]})";
  const std::string second = (place.path() / "second.json").string();
  std::ofstream(second) << R"({"host": "b", "suite": "quick", "verdict": "pass", "probes": [
    {"probe": "host_check", "verdict": "pass", "seconds": 0.5}]})";
  const Calibrated of = calibrate(read_all({drill}), {report, second}, {});
  ASSERT_TRUE(of.result);
  EXPECT_NEAR(key_of(*of.result, "probes.host_check.time").value.seconds, 0.5, 1e-12);
  EXPECT_EQ(key_of(*of.result, "probes.host_check.time").sample.remark, "verdicts: pass 2");
  ASSERT_EQ(of.result->without_place.size(), 1U);  // the drilled scenario has no such probe
  EXPECT_THAT(to_toml(*of.result), HasSubstr("# Not in the drilled scenario: probes.cpu.time = \"2.5s\""));
  std::ofstream(report) << "{}";
  const Calibrated wrong = calibrate(read_all({drill}), {report}, {});
  ASSERT_FALSE(wrong.result);
  EXPECT_THAT(wrong.problems.front().text(), HasSubstr("is not a report of a host"));
}

// Five simulated runs of known distributions, forty times: what they were recorded with lies in the interval as often as it says. 90%
// of 40 are 36, with a standard deviation of 1.9.
TEST(CalibrateCoverage, GivesBackWhatRunsWereSimulatedWith) {
  const Scratch place;
  const std::vector<std::string> sets = {
      R"(job.start.process_start={name="lognormal", median="300ms", sigma=0.4})", "job.stop_time=70ms",
      "probes.host_check.time=400ms"};
  const LoadedScenario loaded = load_scenario(kDrilled, sets);
  ASSERT_TRUE(loaded.scenario);
  const std::string text = show(loaded, Comments::none);
  Simulation simulation(loaded.scenario->world, loaded.scenario->policies);
  int held = 0;
  for (std::uint64_t trial = 0; trial < 40; ++trial) {
    std::vector<std::string> files;
    for (std::uint32_t replica = 0; replica < 5; ++replica) {
      Figures figures;
      ASSERT_TRUE(simulation.run({.seed = trial, .replica = replica}, figures));
      files.push_back((place.path() / (std::to_string(replica) + ".rec")).string());
      const RecordingHeader header{.version = "1", .scenario = text, .seed = trial, .replica = replica};
      // As of a drill whose ranks mark nothing.
      ASSERT_FALSE(write_recording(files.back(), header, simulation.record(), system_files(),
                                   {.measurements = std::span<const Measurement>()}));
    }
    const Calibrated of = calibrate(read_all(files), {}, {});
    ASSERT_TRUE(of.result);
    EXPECT_NEAR(key_of(*of.result, "job.stop_time").value.seconds, 0.07, 1e-9);
    EXPECT_NEAR(key_of(*of.result, "probes.host_check.time").value.seconds, 0.4, 1e-9);
    const Estimate& start = key_of(*of.result, "job.restart_time").value;
    held += start.value.low <= 0.3 && 0.3 <= start.value.high ? 1 : 0;
    EXPECT_GT(start.sigma, 0.2);
    EXPECT_LT(start.sigma, 0.7);
  }
  EXPECT_GE(held, 29);
}

}  // namespace
}  // namespace gauntlet
