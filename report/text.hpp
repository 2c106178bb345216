// What a person reads: the answer first, then why it is that.
#pragma once

#include "study/results/summary.hpp"

#include <string>
#include <vector>

namespace gauntlet {

enum class Colour { never, always };

struct ReportOptions {
  std::string command;                   // that gives the same report again; empty: the report does not say
  std::vector<std::string> faults = {};  // which file brings which, a line each, where that may surprise
  Colour colour = Colour::never;
};

/// The figures of a study as text of 100 columns (only the question's words and the command may be wider). Every line
/// ends in a newline. The second says how many runs gave up, where any did; then comes the finishing time or the
/// progress.
std::string text_report(const Summary& summary, const ReportOptions& options);

/// `options.faults`, as a report of any study shows them.
std::string fault_files_text(const ReportOptions& options);

/// The first line of the report: the share of the time that trained the model, with its interval.
std::string answer_line(const Summary& summary);

}  // namespace gauntlet
