#include "commands/rank/text.hpp"

#include "report/gave_up.hpp"
#include "report/levers/levers.hpp"
#include "report/style.hpp"
#include "report/units.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <limits>

namespace gauntlet {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

/// A loss says that the other direction may gain.
std::string losses(const LeverRanking& ranking) {
  std::string text;
  for (const RankedLever& lever : ranking.levers)
    if (lever.effect == LeverEffect::loss) text += (text.empty() ? "" : ", ") + lever_text(lever);
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
  const std::string interrupted = ranking.interrupted ? ", interrupted" : "";
  const RankedLever* best = ranking.best();
  if (best == nullptr)
    return fmt::format("{}: none of {} has a certain gain ({}, {}{}).", name, of,
                       counted(ranking.most_replicas, "replica"), kIntervalCovers, interrupted);
  return fmt::format("{}: of {}, {} (95% intervals, {}, {}{}).", name, of, best_lever_text(ranking),
                     kIntervalCovers, counted(best->replicas, "replica"), interrupted);
}

std::string text_report(const RankResult& result, const ReportOptions& options) {
  const LeverRanking& ranking = result.ranking;
  const ScenarioFacts& facts = result.as_given.facts;
  std::string text = headline(options, wrapped(answer_line(result)));
  text += wrapped(fmt::format("Seed {}; gauntlet {}.", facts.seed, facts.version));
  text += fault_files_text(options);
  if (const std::string warning = replay_warning(facts); !warning.empty()) text += wrapped(warning);
  if (result.as_given.replicas > 0)
    if (const std::string gave_up = gave_up_line(result.as_given); !gave_up.empty()) text += wrapped(gave_up);
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
