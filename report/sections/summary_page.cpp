#include "report/sections/summary_page.hpp"

#include "report/gave_up.hpp"
#include "report/text.hpp"

namespace gauntlet {

Page summary_page(const Summary& summary, const std::string& command, const ReportOptions& options) {
  Page page{.name = command + ": " + summary.facts.name,
            .answer = answer_line(summary),
            .figures = main_figures(summary),
            .command = options.command,
            .currency = summary.facts.currency};
  page.lines = {gave_up_line(summary), gave_up_reason(summary)};
  for (std::string& line : setting_lines(summary, options)) page.lines.push_back(std::move(line));
  return page;
}

}  // namespace gauntlet
