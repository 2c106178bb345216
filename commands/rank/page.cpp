#include "commands/rank/page.hpp"

#include "commands/rank/text.hpp"
#include "report/levers/levers.hpp"
#include "report/sections/cost.hpp"
#include "report/sections/figures.hpp"
#include "report/sections/lost_time.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <utility>

namespace gauntlet {

Page page_of(const RankResult& result, const ReportOptions& options) {
  const ScenarioFacts& facts = result.as_given.facts;
  Page page{.name = "gauntlet rank: " + facts.name,
            .answer = answer_line(result),
            .lines = {facts.question, fmt::format("{} and more; 95% intervals, {}; seed {}; gauntlet {}.",
                                                  counted(result.ranking.replicas, "replica"),
                                                  kIntervalCovers, facts.seed, facts.version)},
            .command = options.command,
            .currency = facts.currency};
  page.figures = main_figures(result.as_given);
  page.sections.push_back(lever_section(result.ranking));
  Section lost = lost_time_section(result.as_given, {});
  lost.heading = "Where the time goes, as given";
  page.sections.push_back(std::move(lost));
  page.sections.push_back(cost_section(result.as_given));
  return page;
}

}  // namespace gauntlet
