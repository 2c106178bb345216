#include "real/drill.hpp"

#include "core/record/resume_cluster.hpp"
#include "real/clock.hpp"
#include "real/injectors/injector.hpp"
#include "real/real_cluster.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <utility>

namespace gauntlet {
namespace {

constexpr const char* kDirectoryPrefix = "gauntlet-drill-";

/// What a driver that takes over needs beside the record.
struct DrillState {
  std::int64_t started_ns = 0;
  std::uint64_t epoch = 0;
  std::string directory;
};

/// Of this boot: CLOCK_MONOTONIC and every process are gone with it.
std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

/// Whether it is a directory that a drill of ours made: what a state file names is removed in the end.
bool is_drill_directory(const std::string& path) {
  struct stat found {};
  return std::filesystem::path(path).filename().string().starts_with(kDirectoryPrefix) &&
         lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & 07777) == 0700;
}

/// The state beside the recording, locked for as long as this driver lives: two drivers would both append to the record.
/// The lock goes with the process, however it ends.
class StateFile {
 public:
  explicit StateFile(const std::string& record) : path_(record + ".state") {
    while (true) {
      file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
      if (file_ < 0) throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno));
      if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
        const int why = errno;
        close(std::exchange(file_, -1));
        if (why == EWOULDBLOCK) throw std::runtime_error(record + ": another driver runs this drill");
        throw std::runtime_error(path_ + ": cannot be locked: " + std::strerror(why));
      }
      struct stat ours {
      }, named{};
      const bool still_there = fstat(file_, &ours) == 0 && stat(path_.c_str(), &named) == 0;
      if (still_there && ours.st_ino == named.st_ino && ours.st_dev == named.st_dev) break;
      close(file_);  // the driver before us removed it when it ended
    }
  }
  ~StateFile() {
    struct stat ours {};
    if (fstat(file_, &ours) == 0 && ours.st_size == 0) remove();  // nothing was begun
    close(file_);
  }
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  /// One write, and what it leaves of a longer state comes after what is read: no death in between spoils it.
  void write(const DrillState& state) {
    const std::string text = boot_id() + '\n' + std::to_string(state.started_ns) + '\n' +
                             std::to_string(state.epoch) + '\n' + state.directory + '\n';
    if (pwrite(file_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
        ftruncate(file_, static_cast<off_t>(text.size())) != 0 || fsync(file_) != 0) {
      throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno));
    }
  }

  DrillState read(const std::string& record) const {
    std::ifstream file(path_);
    std::string boot;
    DrillState state;
    if (!std::getline(file, boot) || !(file >> state.started_ns >> state.epoch >> std::ws) ||
        !std::getline(file, state.directory)) {
      throw std::runtime_error(path_ + ": the state of this unfinished drill is missing; remove " + record +
                               " to begin anew");
    }
    if (boot != boot_id() || !std::filesystem::exists(state.directory)) {
      throw std::runtime_error(record +
                               ": this drill cannot go on, its processes and files are gone (the machine was "
                               "started again, or " +
                               state.directory + " removed); remove the recording to begin anew");
    }
    if (!is_drill_directory(state.directory)) {
      throw std::runtime_error(path_ + ": names " + state.directory +
                               ", which is no drill's directory of ours (" + kDirectoryPrefix +
                               "*, mode 0700)");
    }
    return state;
  }

  void remove() { unlink(path_.c_str()); }

 private:
  std::string path_;
  int file_ = -1;
};

/// Sockets, the journal, and checkpoints will be written there: a disk that is full or read-only is met before any
/// process is.
void probe_directory(const std::string& path) {
  const std::string name = path + "/probe";
  const std::string content(16'384, 'x');
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  errno = file < 0 ? errno : 0;
  const bool written = file >= 0 &&
                       write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size()) &&
                       fsync(file) == 0;
  const int why = errno == 0 ? ENOSPC : errno;  // a short write
  if (file >= 0) close(file);
  unlink(name.c_str());
  if (!written) throw std::runtime_error(path + ": cannot be written: " + std::strerror(why));
}

std::string new_directory() {
  const char* base = std::getenv("TMPDIR");
  std::string path =
      std::string(base != nullptr && *base != '\0' ? base : "/tmp") + "/" + kDirectoryPrefix + "XXXXXX";
  if (mkdtemp(path.data()) == nullptr)
    throw std::runtime_error(path + ": cannot be made: " + std::strerror(errno));
  return path;
}

/// Makes sure of it and of its checkpoints.
void prepare_directory(const std::string& path) {
  const std::string checkpoints = path + "/checkpoints";
  if (mkdir(checkpoints.c_str(), 0700) != 0 && errno != EEXIST) {
    throw std::runtime_error(checkpoints + ": cannot be made: " + std::strerror(errno));
  }
  probe_directory(path);
  probe_directory(checkpoints);
}

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
  return {.file = "",
          .line = 0,
          .column = 0,
          .what = std::move(what),
          .why = std::move(why),
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
  if (job.steps == 0)
    problems.push_back(problem("job.steps", "is missing", "a drill trains a number of steps to the end"));
  if (job.step_time == Duration::zero()) {
    problems.push_back(
        problem("job.step_time", "is missing", "a drill's trainer needs to be told, such as \"200ms\""));
  }
  if (!job.planned_stops.empty()) {
    problems.push_back(problem("job.planned", "cannot be drilled", "remove the planned stops"));
  }
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
  std::error_code ignored;
  if (is_drill_directory(directory)) std::filesystem::remove_all(directory, ignored);
  kept.remove();
}

}  // namespace

DrillResult run_drill(const World& world, Policy& controller, const DrillOptions& options) {
  StateFile kept(options.record);
  const Recording so_far = unfinished(options);
  const bool fresh = so_far.whole_bytes == 0;
  DrillState state = fresh
                         ? DrillState{.started_ns = monotonic_ns(), .epoch = 0, .directory = new_directory()}
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
    prepare_directory(state.directory);
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
