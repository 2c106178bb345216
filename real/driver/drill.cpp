#include "real/driver/drill.hpp"

#include "core/files/append_file.hpp"
#include "core/record/resume_cluster.hpp"
#include "real/driver/drill_place.hpp"
#include "real/driver/event_log.hpp"
#include "real/driver/measured_times.hpp"
#include "real/driver/real_cluster.hpp"
#include "real/probes/suite/task.hpp"
#include "real/trainer/model/stage.hpp"

#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

/// Writes down what passes before it is acted on, in memory and in the file.
class FileRecorder final : public Cluster {
 public:
  FileRecorder(Cluster& cluster, Record& record, RecordingWriter& file, EventLog* log)
      : recorder_(cluster, record), record_(record), file_(file), log_(log) {}

  std::optional<Observed> next(Time until) override {
    std::optional<Observed> seen = recorder_.next(until);
    if (seen) file_.write(*seen);
    if (seen && log_ != nullptr) log_->add(*seen);
    return seen;
  }
  void start(const Order& order) override {
    file_.write(order);
    if (log_ != nullptr) log_->add(record_.observations.back().at, order);
    recorder_.start(order);
  }

 private:
  Recorder recorder_;
  const Record& record_;
  RecordingWriter& file_;
  EventLog* log_;
};

Problem problem(std::string what, std::string why, std::string suggestion) {
  return {.file = "", .what = std::move(what), .why = std::move(why), .suggestion = std::move(suggestion)};
}

/// A job that says nothing but lines hears nothing.
bool can_be_told_to_save(const World& world) { return !world.drill.command.lines.any(); }

Problem unsaved_stop(std::string what) {
  return problem(std::move(what), "cannot be drilled with a job that is not told to save before a stop",
                 "remove the planned stops, or drill a job that calls gauntlet_rank");
}

}  // namespace

std::vector<Problem> check_injections(const World& world, const InjectionKinds& allowed) {
  std::vector<Problem> problems = check_injectable(world, allowed);
  if (!world.drill.inject && !world.faults.empty()) {
    problems.push_back(problem("drill.inject", "is false: this scenario does not allow faults to be injected",
                               "write inject = true under [drill] to disturb real processes and hosts"));
  }
  for (const FaultKind& kind : world.faults) {
    if (is_stop_request(kind.effect) && !can_be_told_to_save(world))
      problems.push_back(unsaved_stop("faults." + kind.name));
    if (kind.tampers == Tampering::checkpoint && world.drill.command.given())
      problems.push_back(
          problem("faults." + kind.name,
                  "damages checkpoints of the trainer alone: those of another job are unknown here",
                  "leave it out, or drill without [drill.command]"));
  }
  return problems;
}

std::vector<Problem> check_drillable(const World& world) {
  std::vector<Problem> problems;
  const JobModel& job = world.job;
  for (const auto& [name, size] : {std::pair("cp", job.layout.cp), std::pair("ep", job.layout.ep)}) {
    if (size == 1 || world.drill.command.given()) continue;
    problems.push_back(problem(
        std::string("job.layout.") + name + " = " + std::to_string(size), "cannot be drilled",
        std::string("the trainer has tensor, pipeline and data parallel ranks: write ") + name + " = 1"));
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
                               "other jobs do not run on the hosts of a drill: leave them out"));
  const RepairShop& repair = world.repair;
  for (const auto& [name, asked] :
       {std::pair("crew", repair.crew > 0), std::pair("silent_failure", repair.silent_failure.value > 0),
        std::pair("manual", repair.manual.needed.value > 0)}) {
    if (!asked) continue;
    problems.push_back(problem(std::string("repair.") + name, "cannot be drilled",
                               "every repair of a drill begins at once and holds: remove it"));
  }
  if (job.steps == 0)
    problems.push_back(problem("job.steps", "is missing", "a drill trains a number of steps to the end"));
  if (job.step_time == Duration::zero()) {
    problems.push_back(
        problem("job.step_time", "is missing", "a drill's trainer needs to be told, such as \"200ms\""));
  }
  if (job.layout.tp > kHidden && !world.drill.command.given())
    problems.push_back(
        problem("job.layout.tp = " + std::to_string(job.layout.tp), "cannot be drilled",
                "the trainer's blocks have " + std::to_string(kHidden) + " units: write at most that"));
  if (!job.planned_stops.empty() && !can_be_told_to_save(world))
    problems.push_back(unsaved_stop("job.planned"));
  if (job.evaluation.every > 0)
    problems.push_back(problem("job.evaluation", "cannot be drilled", "the trainer only trains: remove it"));
  return problems;
}

std::vector<Problem> check_probes(const World& world, const ProbeMeasures& probes) {
  std::vector<Problem> problems;
  for (const ProbeKind& probe : world.probes) {
    const std::uint32_t group = needs_neighbour(probe.name, measure_of(probes, probe.name)) ? 2 : 1;
    if (probe.group != group)
      problems.push_back(problem(
          "probes." + probe.name + ".group = " + std::to_string(probe.group), "cannot be drilled",
          group == 1 ? "each host is probed alone: remove it" : "two hosts measure their link: write 2"));
    const std::string why = problem_of(
        {.probe = probe.name, .arguments = measure_of(probes, probe.name).command.arguments, .metric = {}});
    if (!why.empty())
      problems.push_back(problem("probes." + probe.name, "does not exist on real machines here",
                                 "give it a command; " + why));
  }
  return problems;
}

namespace {

/// Where a simulation of the drill would probe more hosts at once than the drill does.
void say_of_turns(const World& world, Platform& platform) {
  std::vector<std::string> others;
  for (const ProbeKind& probe : world.probes)
    if (probe.at_once != 1) others.push_back("probes." + probe.name + ".at_once");
  if (others.empty()) return;
  const std::string more = others.size() == 1 ? "" : " and " + std::to_string(others.size() - 1) + " more";
  platform.say(
      "warning: hosts of one machine are probed one after the other, and a simulation of this drill probes "
      "more at once: write " +
      others.front() + " = 1" + more);
}

bool ended(const Record& record) {
  return !record.observations.empty() && std::holds_alternative<Finished>(record.observations.back().what);
}

/// A recording that this run goes on with; an empty one where there is none. A driver that died before it wrote to its recording has left an
/// empty file, which is removed.
Recording recorded_so_far(const DrillOptions& options, const StateFile& kept) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_type type = fs::symlink_status(options.record, error).type();
  if (type == fs::file_type::not_found) return {};
  if (type == fs::file_type::symlink)
    throw std::runtime_error(options.record +
                             ": is a symbolic link, which is not followed; name the file itself");
  if (type != fs::file_type::regular)
    throw std::runtime_error(options.record + ": is not a regular file; give another --record");
  if (kept.holds_state() && fs::file_size(options.record, error) == 0) {
    options.files->remove(options.record);
    return {};
  }
  ReadRecording read = read_recording(options.record);
  if (!read.recording) throw std::runtime_error(read.problem.text());
  // The end that a driver was writing when it died is written anew; what somebody changed says nothing of this drill.
  if (read.recording->tail == Recording::Tail::damage) {
    Problem problem = *problem_of_end(options.record, *read.recording);
    problem.suggestion = "bring the file back from a copy, or drill from the start with another --record";
    throw std::runtime_error(problem.text());
  }
  return std::move(*read.recording);
}

/// What is drilled cannot change half-way: neither the policies' decisions so far nor the faults injected so far would
/// belong to it.
void refuse_another_drill(const Recording& so_far, const DrillOptions& options) {
  if (so_far.header.scenario == options.header.scenario && so_far.header.seed == options.header.seed) return;
  throw std::runtime_error(options.record +
                           ": is an unfinished drill of another scenario or seed; give another --record");
}
void refuse_another_plan(const PlanMark& begun, const DrillOptions& options) {
  const PlanMark asked = mark_of(options.plan);
  if (asked == begun) return;
  std::string why =
      "was started with another fault plan, by another version of this program; continue with that version";
  if (asked.faults == 0)
    why = "was started with " + std::to_string(begun.faults) + " planned faults; leave out --no-faults";
  if (begun.faults == 0) why = "was started with --no-faults; write it again";
  throw std::runtime_error(options.record + ": is an unfinished drill that " + why +
                           ", or give another --record");
}

void remove_traces(StateFile& kept, const std::string& directory) {
  remove_drill_directory(directory);
  kept.remove();
}

/// Of a drill that begins. A driver that died before the recording had any bytes has left a directory, where agents may live: it is taken
/// over, so that nobody has to find it.
DrillState new_state(const DrillOptions& options) {
  const std::string earlier = drill_directory_of(options.record);
  const bool left = is_drill_directory(earlier);
  return {.started_ns = options.platform->clock().monotonic_ns(),
          .epoch = left ? newest_epoch(earlier).value_or(0) : 0,
          .plan = mark_of(options.plan),
          .directory = left ? earlier : new_drill_directory()};
}

/// What the files of a drill say about it, at any time.
void read_result(const World& world, const DrillOptions& options, const RawProgress& progress,
                 const Journal& journal, const std::vector<FailedRank>& failed, std::int64_t started_ns,
                 DrillResult& result) {
  result.finished = ended(result.record);
  result.final_hash = final_hash(progress.entries(), progress.replicas(), world.job.layout);
  result.failed_ranks = failed;
  result.last_values = last_values(progress.entries());
  result.checkpoint_warnings = checkpoint_warnings(progress.entries());
  for (const JournalEntry& entry : journal.entries())
    result.injected += entry.step == JournalStep::observed ? 1 : 0;
  result.journal = journal.entries();
  result.logs = assemble_logs(world, options.plan, progress.entries(), progress.replicas(), journal.entries(),
                              result.record, DrillClock(started_ns));
  result.measurements = measured_times(world, options.plan, progress.entries(), progress.replicas(),
                                       journal.entries(), result.record, DrillClock(started_ns));
}

/// What the file lacks of its end. A driver may die between the two.
void append_end(const DrillResult& result, const Recording& so_far, AppendFile& file) {
  RecordingWriter writer([&file](std::string_view frame) { file.append(frame); });
  if (!so_far.measurements) writer.write(result.measurements);
  if (!so_far.logs) writer.write(result.logs);
}

void add_missed(const std::vector<std::string>& missed, const DrillOptions& options, DrillResult& result) {
  result.missed_faults = options.left_out;
  result.missed_faults.insert(result.missed_faults.end(), missed.begin(), missed.end());
}

/// Of a drill that was over when its driver died, before that could say so.
DrillResult result_of_finished(const World& world, const DrillOptions& options, const Recording& recording,
                               const DrillState& state) {
  for (std::uint32_t host = 0; host < world.inventory.hosts(); ++host)
    options.platform->processes().find({state.directory, host}).reset();  // which ends it
  DrillResult result;
  result.record = recording.record;
  result.clock_accuracy = DriverTimes(state.directory + "/clocks", options.platform->one_clock()).accuracy();
  result.operator_actions = LineFile(operators_file(state.directory)).found();
  add_missed(LineFile(missed_faults_file(state.directory)).found(), options, result);
  read_result(world, options, RawProgress(state.directory + "/progress"),
              Journal(state.directory + "/journal"), FailedRanks(state.directory + "/failed-ranks").all(),
              state.started_ns, result);
  AppendFile file(options.record, recording.whole_bytes, *options.files);
  append_end(result, recording, file);
  file.sync();
  return result;
}

}  // namespace

DrillResult run_drill(const World& world, Policy& controller, const DrillOptions& options) {
  StateFile kept(options.record, *options.files);
  Recording so_far = recorded_so_far(options, kept);
  const bool fresh = so_far.whole_bytes == 0;
  if (ended(so_far.record) && !kept.holds_state()) {
    throw std::runtime_error(options.record +
                             ": this drill is finished; give another --record, or replay it");
  }
  if (!fresh) refuse_another_drill(so_far, options);
  DrillState state = fresh ? new_state(options) : kept.read(options.record);
  refuse_another_plan(state.plan, options);
  if (ended(so_far.record)) {
    DrillResult result = result_of_finished(world, options, so_far, state);
    options.platform->end(state.directory);
    options.platform->say_new_remarks();
    result.host_remarks = options.platform->supply().remarks();
    remove_traces(kept, state.directory);
    return result;
  }
  ++state.epoch;
  // Before this driver writes anything: the state beside the recording may be older than the directory.
  if (newest_epoch(state.directory)) {
    const std::string problem = problem_of_owner(state.directory, state.epoch);
    if (!problem.empty()) throw Superseded(problem);
  }
  DrillResult result;
  const auto forget = [&](bool recording_too) {
    if (newest_epoch(state.directory).value_or(0) > state.epoch) return;  // a later driver works there
    options.platform->end(state.directory);
    options.platform->say_new_remarks();
    remove_traces(kept, state.directory);
    if (recording_too) options.files->remove(options.record);
  };
  const auto leave = [&] {
    options.platform->supply().leave();
    options.platform->say_new_remarks();
  };
  bool recording_is_ours = false;
  try {
    kept.write(state);  // first of all: the next driver finds what this one leaves
    prepare_drill_directory(state.directory, system_files(), options.rank_user);
    options.platform->prepare(state.directory);
    AppendFile file = fresh ? AppendFile(options.record, *options.files)
                            : AppendFile(options.record, so_far.whole_bytes, *options.files);
    recording_is_ours = true;
    RecordingWriter writer([&file](std::string_view frame) { file.append(frame); });
    if (fresh) writer.write(options.header);
    std::optional<EventLog> log;
    if (options.keeps_log) log.emplace(drill_log(state.directory), options.log);
    EventLog* const kept_log = log ? &*log : nullptr;
    LoggedPlatform platform(*options.platform, kept_log, DrillClock(state.started_ns));
    for (const std::string& each : options.left_out) platform.say(each);
    if (platform.hosts_share_machine()) say_of_turns(world, platform);
    OperatorDesk desk;
    std::shared_ptr<void> door;  // closed after the cluster has answered what it was asked
    RealCluster cluster(world,
                        {.directory = state.directory,
                         .started_ns = state.started_ns,
                         .epoch = state.epoch,
                         .seed = {.study = options.header.seed, .replica = options.header.replica},
                         .plan = options.plan,
                         .probes = options.probes,
                         .rank_user = options.rank_user,
                         .stop = options.stop,
                         .desk = options.open_to_operators ? &desk : nullptr,
                         .segments = options.segments,
                         .on_status = options.on_status},
                        so_far.record, platform);
    if (options.open_to_operators) door = options.open_to_operators(state.directory, desk);
    result.record = so_far.record;
    FileRecorder recorder(cluster, result.record, writer, kept_log);
    ResumeCluster resumed(so_far.record, recorder);
    run(resumed, controller, kNever);
    file.sync();  // whoever hears that the drill is over has its recording
    result.difference = resumed.difference();
    result.hosts = cluster.identities();
    result.clock_accuracy = cluster.clock_accuracy();
    if (!result.clock_accuracy.one_clock) result.host_clocks = cluster.host_clocks();
    result.reports = cluster.reports();
    result.operator_actions = cluster.operator_actions();
    add_missed(cluster.missed_faults(), options, result);
    result.job_never_trained = cluster.job_never_trained();
    read_result(world, options, cluster.raw_progress(), cluster.journal(), cluster.failed_ranks(),
                state.started_ns, result);
    if (result.finished) append_end(result, so_far, file);
    file.sync();
  } catch (const Superseded&) {
    throw;  // all of it is the later driver's now
  } catch (const Interrupted&) {
    fresh ? forget(recording_is_ours) : leave();
    result.began = false;
    return result;
  } catch (...) {
    // A drill that never began leaves nothing; one that did can be resumed, if its recording is to be kept.
    const bool began = !result.record.observations.empty();
    fresh && !(began && options.keep_unfinished) ? forget(recording_is_ours) : leave();
    throw;
  }
  result.finished || !options.keep_unfinished ? forget(false) : leave();
  result.host_remarks = options.platform->supply().remarks();
  return result;
}

}  // namespace gauntlet
