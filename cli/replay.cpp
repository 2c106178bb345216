// gauntlet replay: the policies of this program against the orders in a recording.
#include "cli/commands.hpp"
#include "core/record/recording.hpp"
#include "core/record/replay_cluster.hpp"
#include "core/record/story.hpp"
#include "policies/controller/controller.hpp"
#include "real/control/control_client.hpp"
#include "real/driver/drill_place.hpp"
#include "shell/exit_code.hpp"
#include "shell/terminal.hpp"
#include "study/recorded_run.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace gauntlet {
namespace {

/// What a recording that was cut short lacks is a failure, though all that it holds was used.
int ended(const std::optional<Problem>& end) {
  if (!end) return kSuccess;
  print_problems({&*end, 1});
  return kFailed;
}

/// A recording that was cut short is compared up to there.
int replay(const RecordedRun& recorded, const std::optional<Problem>& end) {
  Controller controller(recorded.loaded.scenario->policies);
  ReplayCluster cluster(recorded.recording.record);
  run(cluster, controller, kNever);
  cluster.finish();
  const std::string counts =
      fmt::format("{} observations, {} orders", cluster.observations_replayed(), cluster.orders_compared());
  if (cluster.difference() && !(end && cluster.ran_past_the_end())) {
    const std::string text = fmt::format("{}: different\n{}", counts, to_text(*cluster.difference()));
    static_cast<void>(print(text));  // it failed either way
    return kFailed;
  }
  if (!print(fmt::format("{}: identical{}\n", counts, end ? " up to where the recording ends" : "")))
    return kFailed;
  return ended(end);
}

/// Why the recording has no end. The driver of a drill that runs still writes it.
std::optional<Problem> problem_of(const std::string& file, const Recording& recording) {
  auto problem = problem_of_end(file, recording);
  const std::string drill = drill_directory_of(file);
  if (!problem || recording.tail == Recording::Tail::damage || drill.empty() || !has_driver(drill))
    return problem;
  problem->why = fmt::format("has no end yet, because its drill still runs, in {}", drill);
  problem->suggestion = fmt::format(
      "replay it when the drill has ended; `gauntlet ctl status --drill {}` says how it stands", drill);
  return problem;
}

int replay_command(const std::string& file, bool prints) {
  if (std::error_code error; std::filesystem::is_directory(file, error)) {
    const Problem problem = {.file = file,
                             .why = "is a directory, not a recording",
                             .suggestion = "make one with gauntlet run --replica K --record FILE"};
    return wrong_input(problem);
  }
  if (prints) {
    const ReadRecording read = read_recording(file);
    if (!read.recording) return wrong_input(read.problem);
    const auto end = problem_of(file, *read.recording);
    if (!print(story_of(read.recording->record))) return kFailed;
    return ended(end);
  }
  const OpenedRecording opened = open_recording(file);
  if (!opened.run) return wrong_input(opened.problems);
  return replay(*opened.run, problem_of(file, opened.run->recording));
}

void add_replay_options(Command& replay) {
  struct Request {
    std::string file;
    bool print = false;
    bool tell = false;  // the same
  };
  const auto request = std::make_shared<Request>();
  replay
      .value("file", request->file,
             "A recording that `gauntlet run --record` or `gauntlet drill --record` wrote")
      .type_name("FILE")
      .required();
  replay.flag("--print", request->print, "Print each observation and each order, and compare nothing");
  replay.flag("--tell", request->tell, "The old name of --print");
  replay.runs([request] {
    if (request->tell) complain("--tell is now called --print; the next release does not know --tell");
    return replay_command(request->file, request->print || request->tell);
  });
}

}  // namespace

void add_replay(Program& program) {
  program.command(
      "replay",
      "Run the policies on a recording and compare their orders, such as evictions, with the recorded orders",
      "  gauntlet run scenarios/tiny-8.toml --replica 7 --record run.gauntlet\n"
      "  gauntlet replay run.gauntlet\n"
      "  gauntlet replay run.gauntlet --print",
      add_replay_options);
}

}  // namespace gauntlet
