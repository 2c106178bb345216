#include "real/drill.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "core/record/resume_cluster.hpp"
#include "real/clock.hpp"
#include "real/injectors/injector.hpp"
#include "real/real_cluster.hpp"

namespace gauntlet {
namespace {

/// What a driver that takes over needs beside the record.
struct DrillState {
  std::int64_t started_ns = 0;
  std::uint64_t epoch = 0;
  std::string directory;
};

std::string state_path(const std::string& record) { return record + ".state"; }

/// Of this boot: CLOCK_MONOTONIC and every process are gone with it.
std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

void write_state(const std::string& record, const DrillState& state) {
  const std::string path = state_path(record);
  const std::string temporary = path + ".part";
  {
    std::ofstream file(temporary, std::ios::trunc);
    file << boot_id() << '\n' << state.started_ns << '\n' << state.epoch << '\n' << state.directory << '\n';
    file.close();
    if (!file) throw std::runtime_error(temporary + ": cannot be written: " + std::strerror(errno));
  }
  std::filesystem::rename(temporary, path);
}

DrillState read_state(const std::string& record) {
  const std::string path = state_path(record);
  std::ifstream file(path);
  std::string boot;
  DrillState state;
  if (!std::getline(file, boot) || !(file >> state.started_ns >> state.epoch >> std::ws) ||
      !std::getline(file, state.directory)) {
    throw std::runtime_error(path + ": the state of this unfinished drill is missing; remove " + record + " to begin anew");
  }
  if (boot != boot_id() || !std::filesystem::is_directory(state.directory)) {
    throw std::runtime_error(record + ": this drill cannot go on, its processes and files are gone (the machine was started "
                                      "again, or " + state.directory + " removed); remove the recording to begin anew");
  }
  return state;
}

std::string new_directory() {
  const char* base = std::getenv("TMPDIR");
  std::string path = std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/gauntlet-drill-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error(path + ": cannot be made: " + std::strerror(errno));
  if (mkdir((path + "/checkpoints").c_str(), 0700) != 0) {
    throw std::runtime_error(path + "/checkpoints: cannot be made: " + std::strerror(errno));
  }
  return path;
}

/// Writes down what passes before it is acted on, in memory and in the file.
class FileRecorder final : public Cluster {
 public:
  FileRecorder(Cluster& cluster, Record& record, RecordingWriter& file) : recorder_(cluster, record), file_(file) {}

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
  return {.file = "", .line = 0, .column = 0, .what = std::move(what), .why = std::move(why),
          .suggestion = std::move(suggestion)};
}

}  // namespace

std::vector<Problem> check_drillable(const World& world) {
  std::vector<Problem> problems = check_injectable(world);
  const JobModel& job = world.job;
  if (!world.drill.inject && !world.faults.empty()) {
    problems.push_back(problem("drill.inject", "is false: this scenario does not allow faults to be injected",
                               "write inject = true under [drill] to kill and stop real processes"));
  }
  if (job.layout.tp != 1) {
    problems.push_back(problem("job.layout.tp = " + std::to_string(job.layout.tp), "cannot be drilled",
                               "the trainer has pipeline and data parallel ranks: write tp = 1"));
  }
  if (job.steps == 0) problems.push_back(problem("job.steps", "is missing", "a drill trains a number of steps to the end"));
  if (job.step_time == Duration::zero()) {
    problems.push_back(problem("job.step_time", "is missing", "a drill's trainer needs to be told, such as \"200ms\""));
  }
  if (!job.planned_stops.empty()) {
    problems.push_back(problem("job.planned", "cannot be drilled", "remove the planned stops"));
  }
  for (const ProbeKind& probe : world.probes) {
    if (probe.name == "host_check") continue;
    problems.push_back(problem("probes." + probe.name, "does not exist on real machines here", "known are host_check"));
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
  if (ended) throw std::runtime_error(options.record + ": this drill is finished; give another --record, or replay it");
  if (so_far.header.scenario != options.header.scenario || so_far.header.seed != options.header.seed) {
    throw std::runtime_error(options.record + ": is an unfinished drill of another scenario or seed; give another --record");
  }
  return std::move(so_far);
}

void remove_traces(const std::string& record, const std::string& directory) {
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
  std::filesystem::remove(state_path(record), ignored);
}

}  // namespace

DrillResult run_drill(const World& world, Policy& controller, const DrillOptions& options) {
  const Recording so_far = unfinished(options);
  const bool fresh = so_far.whole_bytes == 0;
  DrillState state = fresh ? DrillState{.started_ns = monotonic_ns(), .epoch = 0, .directory = new_directory()}
                           : read_state(options.record);
  ++state.epoch;
  DrillResult result;
  try {
    write_state(options.record, state);
    const auto file = fresh ? std::make_unique<RecordingWriter>(options.record, options.header)
                            : std::make_unique<RecordingWriter>(options.record, so_far);
    RealCluster cluster(world,
                        {.directory = state.directory, .gauntlet = options.gauntlet, .trainer = options.trainer,
                         .started_ns = state.started_ns, .epoch = state.epoch,
                         .seed = {.study = options.header.seed, .replica = options.header.replica}, .plan = options.plan,
                         .stop = options.stop},
                        so_far.record);
    result.record = so_far.record;
    FileRecorder recorder(cluster, result.record, *file);
    ResumeCluster resumed(so_far.record, recorder);
    run(resumed, controller, kNever);
    result.difference = resumed.difference();
    result.finished = std::holds_alternative<Finished>(result.record.observations.back().what);
    result.final_hash = cluster.final_hash();
    const std::vector<JournalEntry>& journal = cluster.journal().entries();
    for (const JournalEntry& entry : journal) result.injected += entry.step == JournalStep::observed ? 1 : 0;
    result.logs = assemble_logs(world, options.plan, cluster.raw_progress().entries(), journal, result.record,
                                DrillClock(state.started_ns));
  } catch (...) {
    // A drill that never began leaves nothing; one that did can be resumed.
    if (fresh && result.record.observations.empty()) {
      remove_traces(options.record, state.directory);
      std::error_code ignored;
      std::filesystem::remove(options.record, ignored);
    }
    throw;
  }
  if (result.finished) remove_traces(options.record, state.directory);
  return result;
}

}  // namespace gauntlet
