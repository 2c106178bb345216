#include "commands/rank/chart.hpp"

#include "commands/rank/text.hpp"
#include "report/levers/levers.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

namespace gauntlet {

ChartPage chart_of(const RankResult& result, const std::string& command) {
  const ScenarioFacts& facts = result.as_given.facts;
  ChartPage page{.title = answer_line(result),
                 .subtitle = fmt::format("{}: {} and more; 95% intervals, {}; seed {}. {}", facts.name,
                                         counted(result.ranking.replicas, "replica"), kIntervalCovers,
                                         facts.seed, facts.question),
                 .lines = {},
                 .maps = {},
                 .note = command};
  if (!result.ranking.levers.empty()) page.lines.push_back(lever_chart(result.ranking));
  return page;
}

}  // namespace gauntlet
