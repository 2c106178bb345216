// gauntlet run: a scenario file in, an answer out.
#include "commands/run/command.hpp"

#include "commands/run/details.hpp"
#include "commands/run/over_time.hpp"
#include "commands/run/page.hpp"
#include "core/infinity.hpp"
#include "core/record/recording.hpp"
#include "report/metric_unit.hpp"
#include "report/text.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/fault_files_text.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"
#include "shell/workbench.hpp"
#include "study/policy_error.hpp"
#include "study/published/step_error.hpp"
#include "study/replica.hpp"
#include "study/rounds.hpp"
#include "study/store/directory/result_files.hpp"
#include "study/summary/summary_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

struct RunRequest : StudyRequest {
  std::optional<std::uint32_t> replicas;  // the scenario's, where not given
  std::optional<std::uint32_t> replica;   // this one alone
  std::string record;                     // a file to make; empty: none
  std::vector<std::string> precision;     // "0.05%", "wall_time_s=1h": run until the intervals are as narrow
  std::string over_time;                  // the length of a part: "6h"; empty: no over-time.csv
  bool full_telemetry = false;
};

// Enough to look at; an incident takes as much room as a replica, and the main job has five hundred in each.
constexpr std::uint32_t kRunIncidents = 100;

Problem problem_of(const std::string& file, const std::string& why, const std::string& suggestion) {
  return {.file = file, .why = why, .suggestion = suggestion};
}

/// Without symbolic links, as far as it is there.
std::filesystem::path real_path(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path full = full_path(path), real = std::filesystem::weakly_canonical(full, error);
  return error ? full : real;
}

/// Whether the folder is the directory of --out, or DIR.part beside it, or lies in one of them.
bool is_of_results(const std::filesystem::path& folder, const std::string& out) {
  if (out.empty()) return false;
  const std::filesystem::path results = real_path(out), part = unfinished_directory(results);
  for (std::filesystem::path each = folder; each.has_relative_path(); each = each.parent_path())
    if (each == results || each == part) return true;
  return false;
}

std::optional<Problem> problem_of_record_file(const RunRequest& request) {
  std::error_code error;
  if (request.record.empty()) return std::nullopt;
  const std::filesystem::path folder = real_path(request.record).parent_path();
  if (is_of_results(folder, request.out))
    return problem_of(request.record, "would be in the directory of --out, where only results are",
                      "name a file beside that directory");
  const std::filesystem::file_status status = std::filesystem::symlink_status(request.record, error);
  if (!std::filesystem::status_known(status))
    return problem_of(request.record, "cannot be made: " + error.message(), "choose another --record");
  if (!std::filesystem::is_directory(folder, error))
    return problem_of(request.record,
                      fmt::format("cannot be made: \"{}\" is not a directory", folder.string()),
                      "make the directory first");
  if (!std::filesystem::exists(status)) return std::nullopt;
  if (!std::filesystem::is_regular_file(status))
    return problem_of(request.record, "is not a regular file", "choose another --record");
  if (!request.force)
    return problem_of(request.record, "exists and is not overwritten",
                      "choose another --record, or replace it with --force");
  return std::nullopt;
}

// What runs so many replicas, or the one, of the scenario again.
std::string command_of(const RunRequest& request, std::optional<std::uint32_t> replicas, std::uint64_t seed) {
  return CommandLine("gauntlet run", request.scenarios.front())
      .number("--replicas", request.replica ? std::nullopt : replicas)
      .number("--replica", request.replica)
      .number("--seed", std::optional(seed))
      .option("--set", request.sets)
      .number("--incidents", request.incidents)
      .flag("--full-telemetry", request.full_telemetry)
      .flag("--plain", request.plain)
      .text();
}

// One replica again, this time with its record. Nothing is written where it is interrupted; the experiment then fell short.
std::optional<Problem> write_record(const RunRequest& request, const Point& point, Experiment& experiment) {
  Simulation simulation(point.scenario.world, point.scenario.policies);
  Figures figures;
  const bool whole = experiment.run_again(simulation,
                                          {.seed = point.facts.seed,
                                           .replica = request.replica.value_or(0),
                                           .full_telemetry = request.full_telemetry},
                                          figures);
  if (!whole) return std::nullopt;
  const RecordingHeader header = {.version = GAUNTLET_VERSION,
                                  .scenario = point.text,
                                  .seed = point.facts.seed,
                                  .replica = request.replica.value_or(0)};
  const RunLogs logs = simulation.logs();
  return write_recording(request.record, header, simulation.record(), system_files(), {.logs = &logs});
}

/// What a modelled step time may be off by, unless the scenario says that it is exact.
std::vector<std::string> notes_of(const Scenario& scenario) {
  const auto error = scenario.study.step_time_error ? step_time_error(scenario.world) : std::nullopt;
  return error ? std::vector{line_of(*error)} : std::vector<std::string>{};
}

ReportOptions options_of(const RunRequest& request, const PointSource& source, const Point& point,
                         const Summary& summary) {
  return {.command = command_of(request, summary.replicas, summary.facts.seed),
          // A scenario that extends another keeps the faults of that one beside its own.
          .faults = inherited_faults(source.resolved()),
          .notes = notes_of(point.scenario)};
}

/// But for the page, which shows more than the summary.
Workbench::Output output_of(const Summary& summary, Workbench::Forms forms, ReportOptions options) {
  Workbench::Output output{.report = text_report(summary, options)};
  if (forms.json) output.json = to_json(summary);
  options.colour = Colour::always;
  if (forms.coloured) output.coloured = text_report(summary, options);
  output.exit_code = summary.mean("gave_up").value_or(0) > 0 ? kFailed : kSuccess;
  return output;
}

/// The command that goes on: unlike the one that repeats the report, it writes over-time.csv too.
std::string resuming_command(const RunRequest& request, std::uint32_t replicas, std::uint64_t seed) {
  // With a precision alone nobody said how many.
  const auto said = request.precision.empty() ? std::optional(replicas) : request.replicas;
  return CommandLine(command_of(request, said, seed))
      .option("--precision", request.precision)
      .option("--over-time", request.over_time)
      .text();
}

/// What is asked for beside the summary.
struct RunQuestion {
  ReplicaTerms terms;
  Duration bucket{};               // zero: no over-time.csv
  std::vector<std::string> notes;  // of the precision, for the report
};

/// Of the options; a problem where one of them says nothing.
std::optional<Problem> read_terms(const RunRequest& request, const Point& point, RunQuestion& question) {
  ReplicaTerms& terms = question.terms;
  for (const std::string& text : request.precision) {
    ParsedPrecision parsed = parse_precision(text, point.facts);
    if (parsed.problem) return parsed.problem;
    terms.precision.push_back(std::move(*parsed.goal));
    if (!parsed.note.empty()) question.notes.push_back(std::move(parsed.note));
  }
  terms.replicas =
      request.replicas.value_or(terms.precision.empty() ? point.scenario.study.replicas : kMostReplicas);
  return std::nullopt;
}

/// Runs what is asked for. What it returns says that the precision was not reached.
std::optional<Problem> run_replicas(Experiment& experiment, PointNumber point, const ReplicaTerms& terms,
                                    const std::string& currency) {
  const Rounds rounds = run_rounds(experiment, {&point, 1}, terms);
  if (!rounds.complete || rounds.precise.front()) return std::nullopt;
  const std::uint32_t replicas = rounds.replicas.front();
  std::vector<std::string> wide, without;
  for (const PrecisionGoal& goal : terms.precision) {
    const double times = times_too_wide(experiment, point, replicas, goal);
    if (times == kInfinity) {
      without.push_back(goal.metric);
    } else if (times > 1) {
      wide.push_back(missed_text(goal.metric, times * goal.half_width, goal.half_width, currency));
    }
  }
  if (!without.empty())
    return problem_of(
        "--precision",
        fmt::format("was not reached: {} replicas give no interval of {}", replicas,
                    fmt::join(without, ", ")),
        "ask for another metric: this one has no value, or hardly ever differs between replicas");
  return problem_of("--precision",
                    fmt::format("was not reached: {} replicas give {}", replicas, fmt::join(wide, "; ")),
                    "give it more with --replicas, or ask for less");
}

int run_point(const RunRequest& request, const PointSource& source, const std::shared_ptr<const Point>& point,
              const RunQuestion& question) {
  const std::string command = request.replica ? fmt::format("run --replica {}", *request.replica) : "run";
  const auto bench = Workbench::open(
      command, request, {&source, 1}, resuming_command(request, question.terms.replicas, point->facts.seed),
      {.full_telemetry = request.full_telemetry,
       .incident_replicas = request.replica ? *request.replica + 1 : kRunIncidents});
  if (!bench) return kWrongInput;
  Experiment& experiment = bench->experiment();
  const PointNumber number = experiment.add(point);
  std::optional<Problem> imprecise;
  if (request.replica) {
    experiment.ensure_only(number, *request.replica);
  } else {
    imprecise = run_replicas(experiment, number, question.terms, point->facts.currency);
  }
  if (imprecise) print_warnings({&*imprecise, 1});
  // Fewer than were asked for where it was interrupted.
  const std::uint32_t done = experiment.replicas(number);
  if (done == 0) return bench->finish({});  // nothing was done: nothing is written
  ReplicaReader read(point->facts);
  Summary summary = experiment.summary(number, done, [&](std::uint32_t replica, const Figures& figures) {
    if (!request.out.empty()) read.see(replica, figures);
  });
  summary.only = request.replica;
  if (!request.record.empty()) {
    if (const auto problem = write_record(request, *point, experiment)) {
      print_problems({&*problem, 1});
      return kFailed;
    }
    if (bench->stopped()) return bench->finish({});  // without its recording this is not what was asked for
  }
  summary.interrupted = bench->stopped();
  ReportOptions options = options_of(request, source, *point, summary);
  options.notes.insert(options.notes.end(), question.notes.begin(), question.notes.end());
  if (imprecise) options.notes.push_back(imprecise->file + " " + imprecise->why + ".");
  Workbench::Output output = output_of(summary, bench->forms(), options);
  if (question.bucket > Duration::zero() && !bench->stopped()) {
    OverTimeText over_time = over_time_text(
        experiment, number, question.bucket,
        {.seed = point->facts.seed, .full_telemetry = request.full_telemetry}, request.threads);
    if (over_time.problem) {
      print_problems({&*over_time.problem, 1});
      return kFailed;
    }
    if (over_time.text) {
      output.files.push_back({std::string(kOverTimeFile), std::move(*over_time.text)});
    } else {  // it was interrupted; --resume goes on
      summary.interrupted = true;
      output = output_of(summary, bench->forms(), options);
    }
  }
  if (bench->forms().page) {
    const RunDetails details =
        run_details(experiment, number, summary, read,
                    {.seed = point->facts.seed, .full_telemetry = request.full_telemetry});
    output.page = page_of(summary, details, options);
  }
  return bench->finish(std::move(output));
}

int run_command(const RunRequest& request) {
  try {
    const PointSource source(request.scenarios.front(), request.sets, request.seed, request.means());
    const LoadedPoint base = source.point();
    if (!base.point) return wrong_input(base.problems);
    RunQuestion question;
    if (const auto problem = read_terms(request, *base.point, question)) return wrong_input(*problem);
    if (const auto problem = problem_of_record_file(request)) return wrong_input(*problem);
    if (!request.over_time.empty()) {
      const OverTimeBucket bucket =
          over_time_bucket(request.over_time, *base.point, request.replica ? 1 : question.terms.replicas);
      if (bucket.problem) return wrong_input(*bucket.problem);
      question.bucket = bucket.length;
    }
    return run_point(request, source, base.point, question);
  } catch (const PolicyError&) {
    throw;  // whoever brought the policy along wants to know more than a line
  } catch (const std::exception& error) {
    complain(fmt::format("the run failed: {}", text_of(error)));
    return kFailed;
  }
}

void add_run_options(Command& run) {
  const auto request = std::make_shared<RunRequest>();
  add_scenario(run, request->scenarios.emplace_back());
  Option replicas =
      add_replicas(run, request->replicas,
                   fmt::format("Number of replicas, {} at most (default: the scenario's)", kMostReplicas));
  Option replica = run.value("--replica", request->replica, "Run this replica alone, counted from 0")
                       .type_name("K")
                       .between(0, 1'000'000'000)
                       .excludes(replicas);
  run.value("--precision", request->precision,
            "Run until the half-width of the 95% interval of ETTR, or of METRIC, is at most this; --replicas "
            "is then the "
            "maximum")
      .type_name("[METRIC=]X")
      .one_value_each()
      .excludes(replica);
  const Option out =
      add_study(run, *request,
                "report.html, report.txt, result.json, replicas.csv, incidents.csv, results.sqlite, "
                "scenario.toml and manifest.txt",
                "the results in the directory of --out, and the file of --record", kRunIncidents);
  run.value("--record", request->record,
            "Write every observation, and every order that the policies give, to this file, for `gauntlet "
            "replay`")
      .type_name("FILE")
      .needs(replica);
  run.value(
         "--over-time", request->over_time,
         "Also write over-time.csv: ETTR, MFU, tokens and phases of each replica in parts of this length. It "
         "runs the replicas a second time")
      .type_name("DURATION")
      .needs(out);
  run.flag("--full-telemetry", request->full_telemetry,
           "Generate every raw sample, not only those that pass the filters: slower, with the same result");
  run.runs([request] { return run_command(*request); });
}

}  // namespace

void add_run(Program& program) {
  program.command("run", "Run a scenario and report what its faults cost",
                  "  gauntlet run scenarios/tiny-8.toml\n"
                  "  gauntlet run scenarios/llama3-405b-54d.toml --replicas 200 --seed 1 --out results\n"
                  "  gauntlet run scenarios/llama3-405b-54d.toml --precision 0.05%\n"
                  "  gauntlet run scenarios/tiny-8.toml --set checkpoint.interval=5min --json\n"
                  "  gauntlet run scenarios/tiny-8.toml --replica 7 --record run.gauntlet",
                  add_run_options);
}

}  // namespace gauntlet
