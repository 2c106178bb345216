// gauntlet check, show and schema: scenarios without running them.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/fault_files_text.hpp"
#include "cli/terminal.hpp"
#include "config/scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gauntlet {

int check_command(const std::vector<std::string>& scenarios, const std::vector<std::string>& sets) {
  std::vector<Problem> problems;
  std::string well;
  for (const std::string& scenario : scenarios) {
    const auto loaded = load_scenario(scenario, sets);
    problems.insert(problems.end(), loaded.problems.begin(), loaded.problems.end());
    print_warnings(loaded.warnings);
    if (!loaded.scenario) continue;
    well += fmt::format("{}: no mistakes\n", scenario);
    for (const std::string& line : fault_files_lines(faults_by_file(loaded))) well += "  " + line + "\n";
    if (const auto off = faults_switched_off(loaded); !off.empty())
      well += fmt::format("  switched off (mtbf = \"never\"): {}\n", fmt::join(off, ", "));
  }
  const bool printed = print(well);
  if (!problems.empty()) {
    print_problems(problems);
    return kWrongInput;
  }
  return printed ? kSuccess : kFailed;
}

int show_command(const std::string& scenario, const std::vector<std::string>& sets) {
  const auto loaded = load_scenario(scenario, sets);
  if (!loaded.scenario) {
    print_problems(loaded.problems);
    return kWrongInput;
  }
  return print(show(loaded)) ? kSuccess : kFailed;
}

int schema_command() { return print(schema()) ? kSuccess : kFailed; }

}  // namespace gauntlet
