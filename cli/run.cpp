// gauntlet run: a scenario file in, an answer out.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/shell.hpp"
#include "cli/terminal.hpp"
#include "config/scenario.hpp"
#include "core/record/recording.hpp"
#include "report/text.hpp"
#include "study/results/result_writer.hpp"
#include "study/results/summary_json.hpp"
#include "study/statistics.hpp"
#include "study/study.hpp"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <memory>

namespace gauntlet {
namespace {

ReplicaRange range_of(const RunRequest& request, const Scenario& scenario) {
  if (request.replica) return {.first = *request.replica, .count = 1};
  return {.first = 0, .count = request.replicas.value_or(scenario.study.replicas)};
}

// The command that gives the same report again.
std::string command_of(const RunRequest& request, const Summary& summary) {
  std::string text = repeating_command(request.scenario, summary);
  for (const std::string& set : request.sets) text += " --set " + shell_word(set);
  if (request.full_telemetry) text += " --full-telemetry";
  return text;
}

std::optional<Problem> problem_of_record_file(const RunRequest& request) {
  std::error_code error;
  if (request.record.empty()) return std::nullopt;
  const auto type = std::filesystem::symlink_status(request.record, error).type();
  if (type == std::filesystem::file_type::not_found) return std::nullopt;
  if (type != std::filesystem::file_type::regular)
    return Problem{.file = request.record,
                   .line = 0,
                   .column = 0,
                   .what = "",
                   .why = "is no file",
                   .suggestion = "choose another --record"};
  if (!request.force)
    return Problem{.file = request.record,
                   .line = 0,
                   .column = 0,
                   .what = "",
                   .why = "exists and is not overwritten",
                   .suggestion = "choose another --record, or replace it with --force"};
  return std::nullopt;
}

int wrong_input(const Problem& problem) {
  print_problems({&problem, 1});
  return kWrongInput;
}

int failed(const Problem& problem) {
  print_problems({&problem, 1});
  return kFailed;
}

// The run itself: the summary, and the record where one is asked for.
Summary run(const RunRequest& request, const Scenario& scenario, StudyOptions& options, ResultWriter* writer,
            std::atomic<bool>& stop) {
  Progress progress(options.range.count, shows_progress() ? Progress::Visible::yes : Progress::Visible::no);
  options.each = [&](std::uint32_t replica, const Figures& figures) {
    progress.one_more();
    if (writer == nullptr) return;
    writer->add(replica, figures);
    if (writer->failed()) stop = true;  // the commit says why
  };
  Summary summary = run_study(scenario, options);
  summary.only = request.replica;
  summary.interrupted = interrupting_signal() != 0 && summary.replicas < options.range.count;
  return summary;
}

int exit_code_of(const Summary& summary, const StudyOptions& options) {
  if (summary.interrupted) {
    complain(fmt::format("interrupted: {} of {} replicas were done", summary.replicas, options.range.count));
    return kSignalBase + interrupting_signal();
  }
  return summary.mean("gave_up").value_or(0) > 0 ? kFailed : kSuccess;
}

int run_scenario(const RunRequest& request, const Scenario& scenario, const std::string& resolved,
                 const std::string& resolved_for_record) {
  std::atomic<bool>& stop = stop_on_interrupt();
  Record record;
  StudyOptions options;
  options.range = range_of(request, scenario);
  options.seed = request.seed.value_or(scenario.study.seed);
  options.threads = request.threads;
  options.full_telemetry = request.full_telemetry;
  options.version = GAUNTLET_VERSION;
  options.stop = &stop;
  if (!request.record.empty()) options.record = &record;

  if (options.range.count > kMostReplicas)
    return wrong_input({.file = request.scenario,
                        .line = 0,
                        .column = 0,
                        .what = "study.replicas",
                        .why = fmt::format("{} replicas are more than {}, of which all values fit in memory",
                                           options.range.count, kMostReplicas),
                        .suggestion = "run several studies with other seeds"});
  if (const auto problem = problem_of_record_file(request)) return wrong_input(*problem);
  std::unique_ptr<ResultWriter> writer;
  if (!request.out.empty()) {
    auto opened = ResultWriter::open(request.out, request.force ? Existing::replace : Existing::refuse,
                                     facts_of(scenario, options.seed, options.version), resolved);
    if (!opened.writer) return wrong_input(*opened.problem);
    writer = std::move(opened.writer);
  }

  const Summary summary = run(request, scenario, options, writer.get(), stop);
  if (summary.replicas == 0) return exit_code_of(summary, options);  // nothing was done: nothing is written
  if (!request.record.empty()) {
    const RecordingHeader header = {.version = options.version,
                                    .scenario = resolved_for_record,
                                    .seed = options.seed,
                                    .replica = options.range.first};
    if (const auto problem = write_recording(request.record, header, record)) return failed(*problem);
  }
  if (writer)
    if (const auto problem = writer->commit(summary)) return failed(*problem);
  const std::string text =
      request.json
          ? to_json(summary)
          : text_report(summary, {.command = command_of(request, summary), .colour = colour_of_output()});
  if (!print(text)) return kFailed;
  return exit_code_of(summary, options);
}

}  // namespace

int run_command(const RunRequest& request) {
  const auto loaded = load_scenario(request.scenario, request.sets);
  if (!loaded.scenario) {
    print_problems(loaded.problems);
    return kWrongInput;
  }
  try {
    return run_scenario(request, *loaded.scenario, show(loaded, Comments::full),
                        show(loaded, Comments::none));
  } catch (const std::exception& error) {
    complain(fmt::format("the run failed: {}", error.what()));
    return kFailed;
  }
}

}  // namespace gauntlet
