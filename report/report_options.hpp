// What every report is told beside its result.
#pragma once

#include <string>
#include <vector>

namespace gauntlet {

enum class Colour { never, always };

struct ReportOptions {
  std::string command;                   // that gives the same report again; empty: the report does not say
  std::vector<std::string> faults = {};  // which file brings which, a line each, where that may surprise
  std::vector<std::string> notes = {};   // what the scenario takes for granted, a paragraph each
  Colour colour = Colour::never;
};

/// `options.faults`, as a report of any study shows them.
std::string fault_files_text(const ReportOptions& options);

/// The last line of a report: the command that gives it again. Empty where no command does.
std::string reproduce_text(const ReportOptions& options);

}  // namespace gauntlet
