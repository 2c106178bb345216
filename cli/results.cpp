// gauntlet results: the figures of a result directory again, and whether they add up.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/shell.hpp"
#include "cli/terminal.hpp"
#include "report/text.hpp"
#include "study/results/result_reader.hpp"
#include "study/results/result_writer.hpp"
#include "study/results/summary_json.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace gauntlet {

int results_command(const ResultsRequest& request) {
  const ReadResults results = read_results(request.directory);
  if (!results.summary) {
    print_problems({&*results.problem, 1});
    return kWrongInput;
  }
  const Summary& summary = *results.summary;
  const std::string scenario = (std::filesystem::path(request.directory) / kScenarioFile).string();
  const ReportOptions options = {.command = repeating_command(scenario, summary),
                                 .colour = colour_of_output()};
  if (!print(request.json ? to_json(summary) : text_report(summary, options))) return kFailed;
  if (!request.check) return kSuccess;
  if (const auto problem = check_results(request.directory, summary)) {
    print_problems({&*problem, 1});
    return kFailed;
  }
  const std::string verdict =
      fmt::format("\nChecked: phases and causes add up in all {} replicas.\n", summary.replicas);
  return request.json || print(verdict) ? kSuccess : kFailed;
}

}  // namespace gauntlet
