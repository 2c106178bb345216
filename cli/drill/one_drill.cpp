#include "cli/drill/one_drill.hpp"

#include "cli/drill/page.hpp"
#include "cli/drill_progress.hpp"
#include "cli/drill_sections.hpp"
#include "cli/dry_run.hpp"
#include "core/files/files.hpp"
#include "policies/controller/controller.hpp"
#include "real/control/control_server.hpp"
#include "real/control/metrics.hpp"
#include "real/driver/drill_place.hpp"
#include "real/driver/leftovers.hpp"
#include "real/launch/machine_platform.hpp"
#include "real/telemetry/segment_queue.hpp"
#include "real/telemetry/segment_sinks.hpp"
#include "real/telemetry/segment_store.hpp"
#include "report/text.hpp"
#include "score/score.hpp"
#include "shell/interrupt.hpp"
#include "shell/terminal.hpp"
#include "study/point.hpp"
#include "study/replica.hpp"
#include "study/statistics.hpp"
#include "study/summary/summary_json.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

namespace gauntlet {
namespace {

/// Where nobody asked for the recording it still is what a drill runs on, until it ends.
class TemporaryRecord {
 public:
  explicit TemporaryRecord(const std::string& wanted) : path_(wanted) {
    if (!wanted.empty()) return;
    remove_leftovers(drill_base());  // of drivers that were killed
    path_ = new_temporary_record();
    directory_ = std::filesystem::path(path_).parent_path().string();
  }
  ~TemporaryRecord() {
    if (!directory_.empty()) std::filesystem::remove_all(directory_, ignored_);
  }
  TemporaryRecord(const TemporaryRecord&) = delete;
  TemporaryRecord& operator=(const TemporaryRecord&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_, directory_;
  std::error_code ignored_;
};

ResultDirectory::Opened open_results(const DrillTask& task, const ScenarioFacts& facts, Existing existing) {
  const StudyIdentity study = {.command = "drill",
                               .arguments = command_of(task.request, facts.seed),
                               .version = facts.version,
                               .seed = facts.seed,
                               .scenario = facts.name,
                               .text = task.resolved.values};
  auto opened = ResultDirectory::open(task.request.out, existing, study, facts.faults);
  if (opened.problem) opened.problem->suggestion = "choose another --out";  // a drill replaces no results
  return opened;
}

RecordingEnd end_of(const DrillResult& result) {
  return {.measurements = result.measurements, .logs = &result.logs};
}

/// One point with one replica.
std::optional<Problem> write_results(ResultDirectory& directory, const DrillTask& task,
                                     const MeasuredDrill& drill, bool keeps_recording) {
  const ResolvedScenario& resolved = task.resolved;
  Store& store = directory.store();
  const std::uint32_t point =
      store.add_point({.label = "", .settings = {}, .text = resolved.values, .facts = drill.summary.facts});
  store.add(point, 0, {&drill.figures, 1});
  store.put_summary(point, drill.summary);
  std::vector<ResultFile> files = {
      {std::string(kResultFile), to_json(drill.summary)},
      {std::string(kReportFile),
       text_report(drill.summary, {.command = "", .colour = Colour::never}) + drill.sections},
      {std::string(kPageFile), to_html(page_of(task, drill))},
      {std::string(kScenarioFile), resolved.annotated}};
  // --repeat keeps its recordings beside their results.
  if (keeps_recording)
    files.push_back({std::string(kDrillRecordingFile),
                     recording_bytes(drill.header, drill.result.record, end_of(drill.result))});
  auto problem = directory.commit(files);
  if (problem) problem->suggestion = "make room there, and drill again";
  return problem;
}

/// Where the times of segments go, which may be nowhere.
class DrillSegments {
 public:
  std::optional<Problem> open(const DrillTask& task) {
    const DrillRequest& request = task.request;
    const SegmentOrigin origin = {.scenario = task.scenario.world.name, .seed = task.seed()};
    if (!request.segments_queue.empty()) {
      SegmentQueue::Opened opened = SegmentQueue::open(request.segments_queue, origin, complain);
      if (opened.problem) return opened.problem;
      queue_ = std::move(opened.queue);
      sinks_.join(*queue_);
    }
    if (!request.segments.empty()) {
      const bool continues = !continuation_of(request).empty();
      SegmentStore::Opened opened = SegmentStore::open(request.segments, origin, continues, complain);
      if (opened.problem) return opened.problem;
      store_ = std::move(opened.store);
      sinks_.join(*store_);
    }
    return std::nullopt;
  }
  SegmentSink* sink() { return sinks_.empty() ? nullptr : &sinks_; }

 private:
  std::unique_ptr<SegmentQueue> queue_;
  std::unique_ptr<SegmentStore> store_;
  SegmentSinks sinks_{complain};
};

std::unique_ptr<DrillMetrics> serve_metrics(const DrillTask& task) {
  if (task.request.metrics.empty()) return nullptr;
  auto metrics = std::make_unique<DrillMetrics>(*port_of(task.request.metrics), task.scenario.world.name);
  complain(fmt::format("metrics are at http://127.0.0.1:{}/metrics", metrics->port()));
  return metrics;
}

std::shared_ptr<void> open_to_operators(const std::string& directory, OperatorDesk& desk) {
  auto server = std::make_shared<ControlServer>(directory, desk);
  complain(fmt::format("operators reach this drill with `gauntlet ctl status --drill {}`", directory));
  return server;
}

void score_drill(const DrillTask& task, const ScenarioFacts& facts, MeasuredDrill& drill) {
  const DrillResult& result = drill.result;
  score(score_facts(task.scenario.world), result.logs.truth, result.logs.progress, result.record,
        drill.figures);
  drill.summary = summarize(facts, {&drill.figures, 1});
  drill.summary.clocks = {.largest_error_seconds = to_seconds(result.clock_accuracy.largest_error),
                          .jumps = result.clock_accuracy.jumps};
  drill.sections = drill_sections(result, task.scenario.policies);
}

}  // namespace

BoundedPlan plan_of(const DrillTask& task) {
  if (task.request.no_faults) return {};
  return plan_of_drill(task.scenario.world, task.seed());
}

std::vector<Problem> launcher_of(const DrillTask& task, std::unique_ptr<Launcher>& out) {
  LaunchRequest launch = task.request.launch;
  launch.gauntlet = own_path();
  launch.trainer = trainer_path();
  launch.world = &task.scenario.world;
  launch.stop = &stop_on_interrupt();
  return make_launcher(launch, out);
}

MeasureAnswer measure_drill(const DrillTask& task, const OneDrillOptions& how) {
  const DrillRequest& request = task.request;
  std::unique_ptr<Launcher> launcher;
  if (auto wrong = launcher_of(task, launcher); !wrong.empty()) return {.drill = {}, .problems = wrong};
  if (const std::string shortfall = launcher->shortfall(); !shortfall.empty() && !request.no_faults)
    complain(shortfall);
  const ScenarioFacts facts = facts_of(task.scenario, task.seed(), GAUNTLET_VERSION);
  DrillSegments segments;
  if (const auto problem = segments.open(task)) return {.drill = {}, .problems = {*problem}};
  std::unique_ptr<ResultDirectory> directory;
  if (!request.out.empty()) {
    auto opened = open_results(task, facts, how.existing);
    if (!opened.directory) return {.drill = {}, .problems = {*opened.problem}};
    directory = std::move(opened.directory);
  }

  MeasuredDrill drill;
  drill.header = {
      .version = GAUNTLET_VERSION, .scenario = task.resolved.values, .seed = task.seed(), .replica = 0};
  BoundedPlan bounded = plan_of(task);
  drill.plan = std::move(bounded.kept);
  const TemporaryRecord record(request.record);
  Controller controller(task.scenario.policies);
  MachinePlatform platform(std::move(launcher));
  const std::unique_ptr<DrillMetrics> metrics = serve_metrics(task);
  DrillOptions options;
  options.record = record.path();
  options.keep_unfinished = !request.record.empty();
  options.platform = &platform;
  options.header = drill.header;
  options.plan = drill.plan;
  options.left_out = left_out_texts(task.scenario.world, bounded.left_out);
  options.probes = task.probes;
  options.rank_user = user_of(request);
  options.stop = &stop_on_interrupt();
  options.keeps_log = true;
  options.log = request.log;
  options.segments = segments.sink();
  options.on_status = [&, shows = shows_progress()](const DrillStatus& status) {
    if (segments.sink()) segments.sink()->flush();
    if (metrics) metrics->set(status);
    if (shows) say(fmt::format("\r{}{}\x1b[K", how.progress, drill_progress_text(status)));
  };
  options.open_to_operators = open_to_operators;
  drill.result = run_drill(task.scenario.world, controller, options);
  if (shows_progress()) say("\r\x1b[K");
  if (!drill.result.began || drill.result.difference) return {.drill = std::move(drill), .problems = {}};
  score_drill(task, facts, drill);
  if (!drill.result.finished)
    return {.drill = std::move(drill), .problems = {}};  // --out stays free for the rest
  if (!how.recording.empty())
    drill.not_written = write_recording(how.recording, drill.header, drill.result.record, system_files(),
                                        end_of(drill.result));
  if (directory && !drill.not_written)
    drill.not_written = write_results(*directory, task, drill, how.recording.empty());
  return {.drill = std::move(drill), .problems = {}};
}

std::optional<SimulatedDrill> simulate_drill(const DrillTask& task, const FaultPlan& plan,
                                             std::uint32_t replica, const std::atomic<bool>* stop) {
  const World world = with_plan(task.scenario.world, plan);
  Simulation simulation(world, task.scenario.policies);
  SimulatedDrill simulated;
  if (!simulation.run({.seed = task.seed(), .replica = replica, .stop = stop}, simulated.figures))
    return std::nullopt;
  simulated.record = simulation.record();
  return simulated;
}

}  // namespace gauntlet
