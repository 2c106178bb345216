// The options of the commands of failure records.
#include "cli/options.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace gauntlet {

namespace {

// What both commands of traces are told.
void add_trace_options(CLI::App& command, TraceRequest& request) {
  command
      .add_option("file", request.file,
                  "Failure records: CSV, also .gz or .xz; or a .toml that `trace import` wrote")
      ->type_name("FILE")
      ->required();
  command
      .add_option(
          "--format", request.format,
          "lanl: the columns of LANL's release; csv: start,end,node,cause[,system], times in ISO 8601; "
          "detect: by the columns")
      ->check(CLI::IsMember(trace_formats()))
      ->capture_default_str();
  command.add_option("--system", request.system, "Only this system")->type_name("NAME");
  command.add_option("--cause", request.cause, "Only failures of this cause")->type_name("NAME");
  command.add_option("--from", request.from, "Only failures from then on: 2003-01-01")->type_name("DATE");
  command.add_option("--until", request.until, "Only failures before then")->type_name("DATE");
  command
      .add_option("--nodes", request.nodes,
                  "Number of nodes of the system, if the file does not say it (default: those that failed)")
      ->type_name("N")
      ->check(CLI::Range(1U, 10'000'000U));
  command
      .add_option(
          "--max-rejected", request.max_rejected,
          "Largest share of lines that cannot be read, 0 to 1; rates are too low by that share. Above it "
          "the command ends with exit code 2 (default: 0.01)")
      ->type_name("SHARE")
      ->check(CLI::Range(0.0, 1.0));
  command.add_flag("--json", request.json, "Print the result as JSON, and nothing else");
}

}  // namespace

void add_trace(CLI::App& app, TraceRequest& request, int& exit_code) {
  CLI::App* trace = add(app, "trace", "Turn the failure records of a real cluster into faults of a scenario",
                        "  gauntlet trace fit failures.csv.xz\n"
                        "  gauntlet trace import failures.csv --out faults.toml");
  trace->require_subcommand(1);
  CLI::App* importing =
      add(*trace, "import", "Write the recorded failures as a fault trace that a scenario can extend",
          "  gauntlet trace import failures.csv --out faults.toml\n"
          "  gauntlet trace import lanl_failures.csv.xz --format lanl --system 20 \\\n"
          "      --from 2003-01-01 --until 2004-01-01 --out lanl-20-2003.toml\n"
          "  and in a scenario: extends = \"lanl-20-2003.toml\"");
  add_trace_options(*importing, request);
  importing->add_option("--out", request.out, "The file to write, .toml")->type_name("FILE")->required();
  importing->add_flag("--force", request.force, "Replace the file if it exists");
  importing->callback([&] { exit_code = trace_import_command(request); });
  CLI::App* fit = add(
      *trace, "fit", "Fit distributions to times between failures and to repairs, and show which nodes fail",
      "  gauntlet trace fit failures.csv.gz --json > fit.json\n"
      "  gauntlet trace fit lanl_failures.csv.xz --system 20 --by-node\n"
      "  gauntlet trace fit lanl_failures.csv.xz --system 20 --zero-gaps minute --out lanl-20.toml\n"
      "  and in a scenario: extends = \"lanl-20.toml\"");
  add_trace_options(*fit, request);
  fit->add_option(
         "--zero-gaps", request.zero_gaps,
         "Times of zero between failures, and repair times of zero: drop them, count them as a minute, or "
         "keep them")
      ->check(CLI::IsMember(trace_zero_gaps()))
      ->capture_default_str();
  fit->add_flag("--by-node", request.by_node,
                "Use the times between failures of one node, not of the whole system");
  CLI::Option* out =
      fit->add_option("--out", request.out, "Write a fault profile (.toml) that a scenario can extend")
          ->type_name("FILE");
  fit->add_flag("--force", request.force, "Replace the file if it exists")->needs(out);
  fit->callback([&] { exit_code = trace_fit_command(request); });
}

}  // namespace gauntlet
