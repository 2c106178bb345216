// gauntlet trace: failure records to faults of a scenario.
#include "commands/trace/command.hpp"

#include "commands/trace/fault_toml.hpp"
#include "commands/trace/profile.hpp"
#include "commands/trace/text.hpp"
#include "commands/trace/trace.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/output_file.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

namespace gauntlet {
namespace {

struct TraceRequest {
  std::string file;
  std::string format = "detect";  // a name of kFormats
  std::optional<std::string> system, cause, from, until;
  std::optional<std::uint32_t> nodes;
  std::string zero_gaps = "drop";  // a name of kZeros
  bool by_node = false;
  std::optional<double> max_rejected;  // share of the lines
  std::optional<std::string> out;      // a file to make; `import` has one
  bool force = false;                  // whether an existing file of the same kind is replaced
  bool json = false;
};

constexpr std::array<std::pair<std::string_view, TraceFormat>, 3> kFormats = {
    {{"detect", TraceFormat::detect}, {"lanl", TraceFormat::lanl}, {"csv", TraceFormat::csv}}};
constexpr std::array<std::pair<std::string_view, ZeroDurations>, 3> kZeros = {
    {{"drop", ZeroDurations::drop}, {"minute", ZeroDurations::minute}, {"keep", ZeroDurations::keep}}};
constexpr std::size_t kMostShown = 20;  // rejected lines; --json has more

template <class T, std::size_t N>
T value_of(const std::array<std::pair<std::string_view, T>, N>& names, std::string_view name) {
  return std::ranges::find(names, name, [](const auto& each) { return each.first; })->second;
}

template <class T, std::size_t N>
std::vector<std::string> names_of(const std::array<std::pair<std::string_view, T>, N>& names) {
  std::vector<std::string> out;
  for (const auto& [name, value] : names) out.emplace_back(name);
  return out;
}

TraceQuestion question_of(const TraceRequest& request) {
  return {.file = request.file,
          .format = value_of(kFormats, request.format),
          .system = request.system,
          .cause = request.cause,
          .from = request.from,
          .until = request.until,
          .nodes = request.nodes,
          .zeros = value_of(kZeros, request.zero_gaps),
          .gaps = request.by_node ? GapsOf::nodes : GapsOf::systems,
          .max_rejected = request.max_rejected.value_or(kMostRejected)};
}

std::string command_of(const TraceRequest& request) {
  CommandLine line("gauntlet trace fit", request.file);
  if (request.format != kFormats.front().first) line.option("--format", request.format);
  line.option("--system", request.system.value_or("")).option("--cause", request.cause.value_or(""));
  line.option("--from", request.from.value_or("")).option("--until", request.until.value_or(""));
  line.number("--nodes", request.nodes);
  if (request.zero_gaps != kZeros.front().first) line.option("--zero-gaps", request.zero_gaps);
  return line.flag("--by-node", request.by_node).number("--max-rejected", request.max_rejected).text();
}

/// The first of many mistakes in the records, and how many they are.
int wrong_records(std::span<const Problem> problems) {
  if (problems.size() <= kMostShown + 1) {
    print_problems(problems);
  } else {  // the last one says what it comes to
    for (const Problem& problem : problems.first(kMostShown)) complain(problem.text());
    complain(fmt::format("and {} more of that kind", problems.size() - kMostShown - 1));
    complain(problems.back().text());
  }
  return kWrongInput;
}

/// Lines that are not records, on standard error: the result goes on without them.
void tell_rejected(const TraceSource& source) {
  const std::size_t shown = std::min(kMostShown, source.problems.size());
  for (const Problem& problem : std::span(source.problems).first(shown))
    complain("rejected: " + problem.text());
  if (source.rejected_count() > shown)
    complain(
        fmt::format("rejected: {} more; --json names up to {}", source.rejected_count() - shown, kMostTold));
}

/// The problem of --out, before any work is done.
std::optional<Problem> problem_of(const TraceRequest& request, std::string_view begins,
                                  std::string_view kind) {
  if (!request.out) return std::nullopt;
  const auto problem = [&](std::string why, std::string suggestion) {
    return Problem{
        .file = "--out", .what = *request.out, .why = std::move(why), .suggestion = std::move(suggestion)};
  };
  constexpr std::string_view kToml = ".toml";
  const std::filesystem::path file(*request.out);
  if (!request.out->empty() && file.extension() != kToml)
    return problem(
        fmt::format("is to hold {}, and a scenario extends files whose names end in {}", kind, kToml),
        fmt::format("write --out {}", std::filesystem::path(file).replace_extension(kToml).string()));
  if (auto found = problem_of_output(*request.out, begins, kind, "--out")) return found;
  std::error_code error;
  if (!request.force && std::filesystem::exists(file, error))
    return problem("exists and is not overwritten", "choose another name, or replace it with --force");
  return std::nullopt;
}

int write(const TraceRequest& request, std::string_view text) {
  if (!request.out) return kSuccess;
  const std::optional<Problem> problem = write_output(*request.out, text);
  if (problem) print_problems({&*problem, 1});
  return problem ? kFailed : kSuccess;
}

int trace_import_command(const TraceRequest& request) {
  if (const auto problem = problem_of(request, kFaultTraceBegins, "a fault trace"))
    return wrong_input(*problem);
  TraceImported imported = import_trace(question_of(request));
  if (!imported.result) return wrong_records(imported.problems);
  imported.result->out = *request.out;
  tell_rejected(imported.result->source);
  if (const int failed = write(request, imported.faults); failed != kSuccess) return failed;
  const std::string report = text_report(*imported.result, {.command = "", .colour = colour_of_output()});
  const std::string json = to_json(*imported.result);
  return print_answer({.report = report, .json = json}, request.json) ? kSuccess : kFailed;
}

int trace_fit_command(const TraceRequest& request) {
  if (const auto problem = problem_of(request, kFaultProfileBegins, "a fault profile"))
    return wrong_input(*problem);
  const TraceFitted fitted = fit_trace(question_of(request));
  if (!fitted.result) return wrong_records(fitted.problems);
  if (request.out && fitted.profile.empty()) {
    const Problem problem{
        .file = "--out",
        .what = *request.out,
        .why = fmt::format("would have no rate: that takes nodes with names, and {} failures or more at "
                           "different times, and there are {} failures",
                           kFewestForARate, fitted.result->source.selected),
        .suggestion = "leave it out; or of few failures say with --from and --until how long was watched"};
    return wrong_input(problem);
  }
  tell_rejected(fitted.result->source);
  if (const int failed = write(request, fitted.profile); failed != kSuccess) return failed;
  const std::string report =
      text_report(*fitted.result, {.command = command_of(request), .colour = colour_of_output()});
  const std::string json = to_json(*fitted.result);
  return print_answer({.report = report, .json = json}, request.json) ? kSuccess : kFailed;
}

// What both commands of traces are told.
void add_trace_options(Command& command, TraceRequest& request) {
  command
      .value("file", request.file,
             "Failure records: CSV, also .gz or .xz; or a .toml that `trace import` wrote")
      .type_name("FILE")
      .required();
  command
      .value("--format", request.format,
             "lanl: the columns of LANL's release; csv: start,end,node,cause[,system], times in ISO 8601; "
             "detect: choose the format by the columns")
      .one_of(names_of(kFormats))
      .shows_default();
  command.value("--system", request.system, "Only this system").type_name("NAME");
  command.value("--cause", request.cause, "Only failures of this cause").type_name("NAME");
  command.value("--from", request.from, "Only failures on or after this date, such as 2003-01-01")
      .type_name("DATE");
  command.value("--until", request.until, "Only failures before this date").type_name("DATE");
  command
      .value("--nodes", request.nodes,
             "Number of nodes of the system, if the file does not say it (default: those that failed)")
      .type_name("N")
      .between(1, 10'000'000);
  command
      .value("--max-rejected", request.max_rejected,
             "Accept this share of lines that cannot be read, 0 to 1; the rates are too low by the share of "
             "such lines. With more, the command ends with exit code 2 (default: 0.01)")
      .type_name("SHARE")
      .between(0.0, 1.0);
  add_json(command, request.json);
}

void add_import(Command& trace) {
  const auto request = std::make_shared<TraceRequest>();
  Command importing =
      trace.subcommand("import", "Write the recorded failures as a fault trace that a scenario can extend",
                       "  gauntlet trace import failures.csv --out faults.toml\n"
                       "  gauntlet trace import lanl_failures.csv.xz --format lanl --system 20 \\\n"
                       "      --from 2003-01-01 --until 2004-01-01 --out lanl-20-2003.toml\n"
                       "  and in a scenario: extends = \"lanl-20-2003.toml\"");
  add_trace_options(importing, *request);
  importing.value("--out", request->out, "The file to write, .toml").type_name("FILE").required();
  importing.flag("--force", request->force, "Replace a file that `gauntlet trace import` wrote");
  importing.runs([request] { return trace_import_command(*request); });
}

void add_fit(Command& trace) {
  const auto request = std::make_shared<TraceRequest>();
  Command fit = trace.subcommand(
      "fit", "Fit distributions to times between failures and to repairs, and show which nodes fail",
      "  gauntlet trace fit failures.csv.gz --json > fit.json\n"
      "  gauntlet trace fit lanl_failures.csv.xz --system 20 --by-node\n"
      "  gauntlet trace fit lanl_failures.csv.xz --system 20 --zero-gaps minute --out lanl-20.toml\n"
      "  and in a scenario: extends = \"lanl-20.toml\"");
  add_trace_options(fit, *request);
  fit.value("--zero-gaps", request->zero_gaps,
            "Times of zero between failures, and repair times of zero: drop them, count them as a minute, or "
            "keep them")
      .one_of(names_of(kZeros))
      .shows_default();
  fit.flag("--by-node", request->by_node,
           "Use the times between failures of one node, not of the whole system");
  Option out = fit.value("--out", request->out, "Write a fault profile (.toml) that a scenario can extend")
                   .type_name("FILE");
  fit.flag("--force", request->force, "Replace a file that `gauntlet trace fit` wrote").needs(out);
  fit.runs([request] { return trace_fit_command(*request); });
}

void add_trace_options(Command& trace) {
  trace.requires_subcommand();
  add_import(trace);
  add_fit(trace);
}

}  // namespace

void add_trace(Program& program) {
  program.command("trace", "Turn the failure records of a real cluster into faults of a scenario",
                  "  gauntlet trace fit failures.csv.xz\n"
                  "  gauntlet trace import failures.csv --out faults.toml",
                  add_trace_options);
}

}  // namespace gauntlet
