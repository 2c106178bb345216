#include "report/report_options.hpp"

#include "report/words.hpp"

namespace gauntlet {

std::string fault_files_text(const ReportOptions& options) {
  std::string text;
  for (const std::string& line : options.faults) text += wrapped(line + ".");
  return text;
}

std::string reproduce_text(const ReportOptions& options) {
  return options.command.empty() ? "" : "\nReproduce with: " + options.command + "\n";
}

}  // namespace gauntlet
