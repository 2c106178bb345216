// gauntlet calibrate: recordings of drills to measured values of a scenario.
#include "commands/calibrate/command.hpp"

#include "commands/calibrate/calibrated.hpp"
#include "commands/calibrate/text.hpp"
#include "commands/calibrate/toml.hpp"
#include "core/quantity.hpp"
#include "shell/command_line.hpp"
#include "shell/exit_code.hpp"
#include "shell/output_file.hpp"
#include "shell/terminal.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace gauntlet {
namespace {

struct CalibrateRequest {
  std::vector<std::string> recordings, probes;
  std::string out;
  std::optional<std::uint32_t> hosts;
  std::string bytes;  // empty: as measured
};

std::string command_of(const CalibrateRequest& request) {
  CommandLine line("gauntlet calibrate");
  for (const std::string& each : request.recordings) line.operand(each);
  return line.option("--probes", request.probes)
      .number("--hosts", request.hosts)
      .option("--bytes", request.bytes)
      .option("--out", request.out)
      .text();
}

/// Before any work is done.
std::optional<Problem> problem_of(const CalibrateRequest& request) {
  constexpr std::string_view kToml = ".toml";
  if (std::filesystem::path(request.out).extension() != kToml)
    return Problem{.file = "--out",
                   .what = request.out,
                   .why = "does not end in .toml, as files do that scenarios extend",
                   .suggestion = "write --out " + request.out + ".toml"};
  return problem_of_output(request.out, kCalibrationBegins, "a calibration", "--out");
}

/// All of them, and every problem of each.
std::vector<Problem> read_runs(const std::vector<std::string>& files, std::vector<MeasuredRun>& into) {
  std::vector<Problem> problems;
  for (const std::string& file : files) {
    ReadRun read = read_run(file);
    if (read.run) into.push_back(std::move(*read.run));
    problems.insert(problems.end(), read.problems.begin(), read.problems.end());
  }
  if (problems.empty())
    if (auto problem = problem_of_runs(into)) problems.push_back(std::move(*problem));
  return problems;
}

int calibrate_command(const CalibrateRequest& request) {
  if (const auto problem = problem_of(request)) return wrong_input(*problem);
  CalibrationSize size;
  if (request.hosts) size.hosts = *request.hosts;
  if (!request.bytes.empty()) size.bytes = parse_bytes(request.bytes).value->value;
  std::vector<MeasuredRun> runs;
  if (const auto problems = read_runs(request.recordings, runs); !problems.empty())
    return wrong_input(problems);
  Calibrated calibrated = calibrate(runs, request.probes, size);
  if (!calibrated.result) return wrong_input(calibrated.problems);
  CalibratedScenario& result = *calibrated.result;
  result.command = command_of(request);
  for (const std::string& warning : result.warnings) complain(warning);
  if (const auto problem = write_output(request.out, to_toml(result))) {
    print_problems({&*problem, 1});
    return kFailed;
  }
  return print(text_report(result, request.out)) ? kSuccess : kFailed;
}

void add_calibrate_options(Command& calibrate) {
  const auto request = std::make_shared<CalibrateRequest>();
  calibrate
      .value("recordings", request->recordings,
             "Recordings of drills of one scenario, as `gauntlet drill --record` writes them; its size may "
             "differ")
      .type_name("FILE")
      .required();
  calibrate.value("--probes", request->probes, "Reports of hosts that `gauntlet probe --json` printed")
      .type_name("FILE,...")
      .separated_by(',');
  calibrate
      .value("--hosts", request->hosts,
             "Hosts of the job that the values are for (default: the most that were recorded)")
      .type_name("N")
      .between(1, 10'000'000);
  calibrate
      .value("--bytes", request->bytes,
             "Size of a checkpoint that the values are for, such as 80GB (default: the largest that was "
             "recorded)")
      .type_name("SIZE")
      .check([](const std::string& text) {
        const auto parsed = parse_bytes(text);
        if (!parsed.value)
          return text + " " + parsed.why + (parsed.suggestion.empty() ? "" : "; " + parsed.suggestion);
        return parsed.value->value > 0 ? std::string()
                                       : text + " is not above 0; give the size of a checkpoint";
      });
  calibrate
      .value("--out", request->out,
             "The file to write, .toml, which a scenario extends; an earlier calibration there is replaced")
      .type_name("FILE")
      .required();
  calibrate.runs([request] { return calibrate_command(*request); });
}

}  // namespace

void add_calibrate(Program& program) {
  program.command("calibrate", "Turn recordings of drills into measured values of a scenario",
                  "  gauntlet drill drill-tiny --hosts 4 --record drill.rec\n"
                  "  gauntlet calibrate drill.rec --out measured.toml\n"
                  "  and in a scenario: extends = [\"drill-tiny\", \"measured.toml\"]\n"
                  "  gauntlet calibrate 4-hosts.rec 8-hosts.rec --hosts 64 --out measured.toml",
                  add_calibrate_options);
}

}  // namespace gauntlet
