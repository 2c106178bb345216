#include "real/drill.hpp"

#include "core/record/resume_cluster.hpp"
#include "real/clock.hpp"
#include "real/drill_place.hpp"
#include "real/injectors/injector.hpp"
#include "real/real_cluster.hpp"

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <utility>

namespace gauntlet {
namespace {

/// Writes down what passes before it is acted on, in memory and in the file.
class FileRecorder final : public Cluster {
 public:
  FileRecorder(Cluster& cluster, Record& record, RecordingWriter& file)
      : recorder_(cluster, record), file_(file) {}

  std::optional<Observed> next(Time until) override {
    std::optional<Observed> seen = recorder_.next(until);
    if (seen) file_.write(*seen);
    return seen;
  }
  void start(const Order& order) override {
    file_.write(order);
    recorder_.start(order);
  }

 private:
  Recorder recorder_;
  RecordingWriter& file_;
};

Problem problem(std::string what, std::string why, std::string suggestion) {
  return {.file = "", .what = std::move(what), .why = std::move(why), .suggestion = std::move(suggestion)};
}

}  // namespace

std::vector<Problem> check_drillable(const World& world) {
  std::vector<Problem> problems = check_injectable(world);
  const JobModel& job = world.job;
  if (!world.drill.inject && !world.faults.empty()) {
    problems.push_back(problem("drill.inject", "is false: this scenario does not allow faults to be injected",
                               "write inject = true under [drill] to kill and stop real processes"));
  }
  for (const auto& [name, size] :
       {std::pair("tp", job.layout.tp), std::pair("cp", job.layout.cp), std::pair("ep", job.layout.ep)}) {
    if (size == 1) continue;
    problems.push_back(
        problem(std::string("job.layout.") + name + " = " + std::to_string(size), "cannot be drilled",
                std::string("the trainer has pipeline and data parallel ranks: write ") + name + " = 1"));
  }
  for (const auto& [name, hosts] :
       {std::pair("cold", world.spares.cold), std::pair("pool", world.spares.pool)}) {
    if (hosts == 0) continue;
    problems.push_back(problem(std::string("spares.") + name + " = " + std::to_string(hosts),
                               "cannot be drilled",
                               "every spare host of a drill is warm: count them under spares.count"));
  }
  if (!world.shared.jobs.empty())
    problems.push_back(problem("cluster.shared.jobs", "cannot be drilled",
                               "nobody else's jobs run on a drill's hosts: leave them out"));
  if (job.steps == 0)
    problems.push_back(problem("job.steps", "is missing", "a drill trains a number of steps to the end"));
  if (job.step_time == Duration::zero()) {
    problems.push_back(
        problem("job.step_time", "is missing", "a drill's trainer needs to be told, such as \"200ms\""));
  }
  if (!job.planned_stops.empty()) {
    problems.push_back(problem("job.planned", "cannot be drilled", "remove the planned stops"));
  }
  if (job.evaluation.every > 0)
    problems.push_back(problem("job.evaluation", "cannot be drilled", "the trainer only trains: remove it"));
  for (const ProbeKind& probe : world.probes) {
    if (probe.name == "host_check") continue;
    problems.push_back(
        problem("probes." + probe.name, "does not exist on real machines here", "known are host_check"));
  }
  return problems;
}

namespace {

/// An unfinished recording that this run goes on with; an empty one where there is none.
Recording unfinished(const DrillOptions& options) {
  if (!std::filesystem::exists(options.record)) return {};
  ReadRecording read = read_recording(options.record);
  if (!read.recording) throw std::runtime_error(read.problem.text());
  Recording& so_far = *read.recording;
  const bool ended = !so_far.record.observations.empty() &&
                     std::holds_alternative<Finished>(so_far.record.observations.back().what);
  if (ended)
    throw std::runtime_error(options.record +
                             ": this drill is finished; give another --record, or replay it");
  if (so_far.header.scenario != options.header.scenario || so_far.header.seed != options.header.seed) {
    throw std::runtime_error(options.record +
                             ": is an unfinished drill of another scenario or seed; give another --record");
  }
  return std::move(so_far);
}

void remove_traces(StateFile& kept, const std::string& directory) {
  remove_drill_directory(directory);
  kept.remove();
}

}  // namespace

DrillResult run_drill(const World& world, Policy& controller, const DrillOptions& options) {
  StateFile kept(options.record);
  const Recording so_far = unfinished(options);
  const bool fresh = so_far.whole_bytes == 0;
  DrillState state =
      fresh ? DrillState{.started_ns = monotonic_ns(), .epoch = 0, .directory = new_drill_directory()}
            : kept.read(options.record);
  ++state.epoch;
  DrillResult result;
  const auto forget = [&](bool recording_too) {
    remove_traces(kept, state.directory);
    std::error_code ignored;
    if (recording_too) std::filesystem::remove(options.record, ignored);
  };
  bool recording_is_ours = false;
  try {
    prepare_drill_directory(state.directory);
    kept.write(state);
    const auto file = fresh ? std::make_unique<RecordingWriter>(options.record, options.header)
                            : std::make_unique<RecordingWriter>(options.record, so_far);
    recording_is_ours = true;
    RealCluster cluster(world,
                        {.directory = state.directory,
                         .gauntlet = options.gauntlet,
                         .trainer = options.trainer,
                         .started_ns = state.started_ns,
                         .epoch = state.epoch,
                         .seed = {.study = options.header.seed, .replica = options.header.replica},
                         .plan = options.plan,
                         .stop = options.stop},
                        so_far.record);
    result.record = so_far.record;
    FileRecorder recorder(cluster, result.record, *file);
    ResumeCluster resumed(so_far.record, recorder);
    run(resumed, controller, kNever);
    result.difference = resumed.difference();
    result.finished = std::holds_alternative<Finished>(result.record.observations.back().what);
    result.final_hash = cluster.final_hash();
    result.hosts = cluster.identities();
    const std::vector<JournalEntry>& journal = cluster.journal().entries();
    for (const JournalEntry& entry : journal) result.injected += entry.step == JournalStep::observed ? 1 : 0;
    result.logs = assemble_logs(world, options.plan, cluster.raw_progress().entries(), journal, result.record,
                                DrillClock(state.started_ns));
  } catch (const Superseded&) {
    throw;  // all of it is the later driver's now
  } catch (...) {
    // A drill that never began leaves nothing; one that did can be resumed, if its recording is to be kept.
    if (fresh && (result.record.observations.empty() || !options.keep_unfinished)) forget(recording_is_ours);
    throw;
  }
  if (result.finished || !options.keep_unfinished) forget(false);
  return result;
}

}  // namespace gauntlet
