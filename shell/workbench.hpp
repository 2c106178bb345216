// What every command that runs replicas needs: an executor, a store, progress, Ctrl-C, and the result directory.
#pragma once

#include "config/scenario.hpp"
#include "report/page/page.hpp"
#include "report/report_options.hpp"
#include "shell/study_request.hpp"
#include "study/experiment.hpp"
#include "study/point.hpp"
#include "study/store/directory/result_directory.hpp"
#include "study/store/directory/result_files.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {

/// What else a study may need to be told.
struct WorkbenchOptions {
  bool full_telemetry = false;
  std::uint32_t incident_replicas =
      1;  // replicas of a point that keep their incidents, unless the request says it
};

/// One study from its request to its exit code:
///
///   const auto bench = Workbench::open("sweep", request, {&source, 1}, arguments);
///   if (!bench) return kWrongInput;  // said why
///   ... bench->experiment() ...
///   return bench->finish({.report = text, .json = json, .files = {...}});  // those that bench->forms() names
class Workbench {
 public:
  /// Prints what is wrong and gives nothing where the scenarios do not load, or the directory cannot be opened. What they are
  /// warned of is printed once.
  /// `sources`: the base scenarios. `command_line`: the command that repeats the study, without --threads, --out, --json
  /// and the like ("gauntlet sweep tiny-8 --vary ..."); with --resume it goes on.
  static std::unique_ptr<Workbench> open(const std::string& command, const StudyRequest& request,
                                         std::span<const PointSource> sources,
                                         const std::string& command_line, WorkbenchOptions options = {});
  ~Workbench();

  Experiment& experiment();
  std::uint64_t seed() const;
  /// Replicas that were asked for are not there, because Ctrl-C came or the store failed: report what is done.
  bool stopped() const;

  /// In which forms, beside the report, somebody gets the answer. Other forms need not be made.
  struct Forms {
    bool coloured = false, json = false, page = false;
  };
  Forms forms() const;

  struct Output {
    std::string report;         // plain text, as `results` prints it again; empty: there is nothing to say
    std::string coloured = {};  // the same for a terminal with colours
    std::string json = {};      // of --json and result.json
    std::vector<ResultFile> files = {};  // more of them: over-time.csv
    Page page = {};                      // report.html, but for its last sections; see finish()
    int exit_code = 0;                   // where nothing else went wrong
  };
  /// Prints the report or the JSON, writes the results (with points.csv and scenario.toml), and gives the exit code. The page gets
  /// the report as text, and the assumptions of the first scenario.
  /// Without a report, or a replica of a study that was stopped, nothing is printed, and what is done stays where --resume
  /// finds it. A Caller gets report and JSON, and the store of a study without a directory. Called once, last.
  int finish(Output output);

 private:
  struct State;
  int answer(Output& output);
  explicit Workbench(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A result in these forms.
template <class Result>
Workbench::Output output_of(const Result& result, Workbench::Forms forms, const std::string& command,
                            const std::vector<std::string>& faults) {
  const ReportOptions plain = {.command = command, .faults = faults, .colour = Colour::never};
  Workbench::Output output{.report = text_report(result, plain)};
  if (forms.coloured)
    output.coloured = text_report(result, {.command = command, .faults = faults, .colour = Colour::always});
  if (forms.json) output.json = to_json(result);
  if (forms.page) output.page = page_of(result, plain);
  return output;
}

/// " --set a=1 --seed 3": the part of a repeating command that all studies share.
std::string common_arguments(const StudyRequest& request, std::uint64_t seed);

}  // namespace gauntlet
