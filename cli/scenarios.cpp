// gauntlet check, show and schema: scenarios without running them.
#include "cli/commands.hpp"
#include "config/scenario.hpp"
#include "shell/exit_code.hpp"
#include "shell/fault_files_text.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"
#include "study/uncertainty/check_draws.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

namespace gauntlet {
namespace {

int check_command(const std::vector<std::string>& scenarios, const std::vector<std::string>& sets) {
  std::vector<Problem> problems;
  std::string well;
  for (const std::string& scenario : scenarios) {
    const PointSource source(scenario, sets);
    const LoadedPoint base = source.point();
    problems.insert(problems.end(), base.problems.begin(), base.problems.end());
    print_warnings(base.warnings);
    if (!base.point) continue;
    const std::vector<Problem> drawn = check_draws(source, source.seed());
    problems.insert(problems.end(), drawn.begin(), drawn.end());
    if (!drawn.empty()) continue;
    well += fmt::format("{}: no mistakes\n", scenario);
    for (const std::string& line : fault_files_lines(faults_by_file(source.resolved())))
      well += "  " + line + "\n";
    if (const auto off = faults_switched_off(source.resolved()); !off.empty())
      well += fmt::format("  switched off (mtbf = \"never\"): {}\n", fmt::join(off, ", "));
  }
  const bool printed = print(well);
  if (!problems.empty()) return wrong_input(problems);
  return printed ? kSuccess : kFailed;
}

int show_command(const std::string& scenario, const std::vector<std::string>& sets) {
  const auto loaded = load_scenario(scenario, sets);
  if (!loaded.scenario) return wrong_input(loaded.problems);
  return print(show(loaded)) ? kSuccess : kFailed;
}

int schema_command() { return print(schema()) ? kSuccess : kFailed; }

struct CheckRequest {
  std::vector<std::string> scenarios, sets;
};

void add_check_options(Command& check) {
  const auto request = std::make_shared<CheckRequest>();
  add_scenarios(check, request->scenarios);
  add_sets(check, request->sets);
  check.runs([request] { return check_command(request->scenarios, request->sets); });
}

struct ShowRequest {
  std::string scenario;
  std::vector<std::string> sets;
};

void add_show_options(Command& show) {
  const auto request = std::make_shared<ShowRequest>();
  add_scenario(show, request->scenario);
  add_sets(show, request->sets);
  show.runs([request] { return show_command(request->scenario, request->sets); });
}

}  // namespace

void add_scenario_commands(Program& program) {
  program.command("check", "Report all mistakes in scenarios, without running them",
                  "  gauntlet check scenarios/*.toml\n"
                  "  gauntlet check mine.toml --set checkpoint.interval=5min",
                  add_check_options);
  program.command("show", "Print every value of a scenario, with its meaning and its source",
                  "  gauntlet show scenarios/llama3-405b-54d.toml\n"
                  "  gauntlet show scenarios/tiny-8.toml --set spares.count=4 > mine.toml",
                  add_show_options);
  program.command("schema", "Print the JSON Schema of scenarios, for editors",
                  "  gauntlet schema > gauntlet.schema.json",
                  [](Command& schema) { schema.runs(schema_command); });
}

}  // namespace gauntlet
