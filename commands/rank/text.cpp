#include "commands/rank/text.hpp"

#include "report/gave_up.hpp"
#include "report/levers/levers.hpp"
#include "report/style.hpp"
#include "report/units.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace gauntlet {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

/// A loss says that the other direction may gain.
std::string losses(const LeverRanking& ranking) {
  std::string text;
  for (const RankedLever& lever : ranking.levers)
    if (lever.loses_surely()) text += (text.empty() ? "" : ", ") + lever_text(lever);
  return text.empty() ? "" : wrapped(fmt::format("These lose, so the other direction may gain: {}.", text));
}

}  // namespace

std::string answer_line(const RankResult& result) {
  const LeverRanking& ranking = result.ranking;
  const std::string& name = result.as_given.facts.name;
  if (ranking.replicas == 0)
    return fmt::format("{}: no lever has all its replicas, so there is no answer.", name);
  const std::size_t tried = ranking.levers.size() + ranking.without_effect.size();
  const std::string of = counted(static_cast<double>(tried), "lever");
  if (tried == 0) return fmt::format("{}: there is nothing to improve; no lever could be tried.", name);
  const auto first = std::ranges::find_if(ranking.levers, &RankedLever::gains_surely);
  if (first == ranking.levers.end())
    return fmt::format("{}: none of {} surely gains anything ({}, {}{}).", name, of,
                       counted(ranking.most_replicas, "replica"), kIntervalCovers,
                       ranking.interrupted ? ", interrupted" : "");
  const Gain& goodput = first->gains.goodput;
  const Unit share = percent().fine_enough_for(half_width(goodput.ci95));
  const std::string dearer = dearer_text(*first, ranking.currency);
  return fmt::format(
      "{}: of {}, {} {} the most: it saves {} per run for the same work, {}% +- {} more goodput{} (95% "
      "intervals, {}, {}{}).",
      name, of, lever_text(*first), ranking.certain > 0 ? "gains" : "may gain", saved_text(*first),
      share.number(*goodput.by), share.number(half_width(goodput.ci95)),
      dearer.empty() ? "" : ", and " + dearer, kIntervalCovers, counted(first->replicas, "replica"),
      ranking.interrupted ? ", interrupted" : "");
}

std::string text_report(const RankResult& result, const ReportOptions& options) {
  const LeverRanking& ranking = result.ranking;
  const ScenarioFacts& facts = result.as_given.facts;
  std::string text = headline(options, wrapped(answer_line(result)));
  text += wrapped(fmt::format("Seed {}; gauntlet {}.", facts.seed, facts.version));
  text += fault_files_text(options);
  if (const std::string warning = replay_warning(facts); !warning.empty()) text += wrapped(warning);
  if (result.as_given.replicas > 0) text += gave_up_line(result.as_given);
  if (ranking.replicas > 0) {
    text += lever_terms(ranking);
    if (const std::string table = lever_table(ranking, kAll); !table.empty())
      text += heading(options, "Ranking of levers") + table;
    text += heading(options, "What the ranking can tell") + lever_order(ranking) + losses(ranking) +
            other_levers(ranking);
  }
  if (!result.try_next.empty()) text += "Try next: " + result.try_next + "\n";
  return text + reproduce_text(options);
}

}  // namespace gauntlet
