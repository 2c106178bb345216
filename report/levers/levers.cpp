#include "report/levers/levers.hpp"

#include "report/table.hpp"
#include "report/units.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace gauntlet {
namespace {

/// "+17.90 +- 0.12"; enough digits for the interval to show.
std::string gain_text(const Gain& gain, const Unit& unit) {
  if (!gain.by) return "unknown";
  constexpr double kRounding = 1e-9;  // what is left where nothing is to chance
  double error = half_width(gain.ci95);
  if (error < kRounding * std::abs(*gain.by)) error = 0;
  if (error == 0 && *gain.by == 0) return "0";
  const Unit shown = unit.fine_enough_for(error > 0 ? error : std::abs(*gain.by));
  return signed_number(shown, *gain.by) + (error > 0 ? " +- " + shown.number(error) : "");
}

double largest(const std::vector<const RankedLever*>& levers, Gain LeverGains::*of) {
  double most = 0;
  for (const RankedLever* lever : levers) most = std::max(most, std::abs((lever->gains.*of).by.value_or(0)));
  return most;
}

/// Hours, so that rows can be held against each other; of short runs seconds or less.
Unit time_unit_of(double largest) {
  constexpr double kHour = 3600;
  return largest >= kHour / 10 || largest == 0 ? Unit{.divisor = kHour, .name = "h", .decimals = 1}
                                               : time_unit(largest);
}

std::string named(std::string_view what, const Unit& unit) {
  return unit.name.empty() ? std::string(what) : fmt::format("{}, {}", what, unit.name);
}

/// Those that certainly lose, and all down to the last one that certainly gains.
std::vector<bool> in_table(const LeverRanking& ranking) {
  std::vector<bool> in(ranking.levers.size());
  bool above = false;
  for (std::size_t i = in.size(); i-- > 0;) {
    above = above || ranking.levers[i].effect == LeverEffect::gain;
    in[i] = above || ranking.levers[i].effect == LeverEffect::loss;
  }
  return in;
}

template <class Levers>
std::string list_of(const Levers& levers) {
  std::string text;
  for (const auto& lever : levers) text += (text.empty() ? "" : ", ") + lever_text(lever);
  return text;
}

/// Those at `positions`: a few of many by name.
std::string some_of(const LeverRanking& ranking, const std::vector<std::size_t>& positions) {
  constexpr std::size_t kNamed = 4;
  std::vector<RankedLever> named;
  const std::size_t count = positions.size();
  for (std::size_t i = 0; i < (count > kNamed + 1 ? kNamed : count); ++i)
    named.push_back(ranking.levers[positions[i]]);
  const std::size_t unnamed = count - named.size();
  return list_of(named) + (unnamed > 0 ? fmt::format(" and {} others", unnamed) : "");
}

/// How much of the order is certain.
std::string certain_places(const LeverRanking& ranking) {
  if (ranking.claimed == 0) return wrapped("No lever has a certain gain.");
  if (ranking.certain == 0) return wrapped("The first place is not certain.");
  const std::string only = ranking.certain < ranking.claimed ? "Only the " : "The ";
  // Levers in front of it may gain, and have no place.
  const auto first = std::ranges::find(ranking.levers, LeverEffect::gain, &RankedLever::effect);
  if (ranking.claimed == 1)
    return wrapped(fmt::format("Only {} gains for certain (95%).", lever_text(*first)));
  const std::string places = ranking.certain == 1 ? fmt::format("first place, {},", lever_text(*first))
                                                  : fmt::format("order of the first {}", ranking.certain);
  const bool all = ranking.unplaced.empty();
  return wrapped(fmt::format("{}{} is certain{} (95%{}).", only, places,
                             all ? "" : " among the levers with a certain gain",
                             ranking.certain == 1 ? "" : " for all of them together"));
}

/// Levers whose order the replicas do not tell.
std::string unordered_levers(const LeverRanking& ranking) {
  std::string text;
  for (const RankedLever& lever : ranking.levers) {
    if (lever.not_told_from.empty()) continue;
    std::uint32_t replicas = lever.replicas;
    for (const std::size_t other : lever.not_told_from)
      replicas = std::min(replicas, ranking.levers[other].replicas);
    text += wrapped(fmt::format("{} {} {}{} with {}.", lever_text(lever),
                                lever.not_told_from.size() == 1 ? "and" : "cannot be ordered relative to",
                                some_of(ranking, lever.not_told_from),
                                lever.not_told_from.size() == 1 ? " cannot be ordered" : "",
                                counted(replicas, "replica")));
  }
  return text;
}

/// Levers that have no place yet.
std::string unplaced_levers(const LeverRanking& ranking) {
  if (ranking.unplaced.empty()) return "";
  std::uint32_t replicas = ranking.levers[ranking.unplaced.front()].replicas;
  for (const std::size_t each : ranking.unplaced)
    replicas = std::max(replicas, ranking.levers[each].replicas);
  return wrapped(
      fmt::format("With {} it is not certain that {} {}, which may gain as much as a lever that does. Run "
                  "`gauntlet rank` "
                  "with more --replicas.",
                  counted(replicas, "replica"), some_of(ranking, ranking.unplaced),
                  ranking.unplaced.size() == 1 ? "gains" : "gain"));
}

std::string replicas_text(const LeverRanking& ranking) {
  if (ranking.most_replicas == ranking.replicas)
    return counted(ranking.replicas, "replica") + " of every lever";
  return fmt::format("{} to {} of a lever", count_text(ranking.replicas),
                     counted(ranking.most_replicas, "replica"));
}

}  // namespace

std::string lever_text(const RankedLever& lever) {
  return fmt::format("`{}` ({})", lever.path, lever.change);
}

std::string saved_text(const RankedLever& lever) {
  const Gain& saved = lever.gains.time_s;
  if (!saved.by) return "an unknown time";
  const Unit unit = time_unit_of(std::abs(*saved.by)).fine_enough_for(half_width(saved.ci95));
  const double error = half_width(saved.ci95);
  return fmt::format("{} {}{}", unit.number(*saved.by), unit.name,
                     error > 0 ? " +- " + unit.number(error) : "");
}

std::string dearer_text(const RankedLever& lever, const std::string& currency) {
  const Gain& saved = lever.gains.cost;
  if (!saved.ci95 || saved.ci95->high >= 0) return "";
  const Unit unit = amount_unit(*saved.by, currency).fine_enough_for(half_width(saved.ci95));
  return fmt::format("costs {} {} +- {} more per run", unit.number(-*saved.by), unit.name,
                     unit.number(half_width(saved.ci95)));
}

std::string lever_table(const LeverRanking& ranking, std::size_t most) {
  std::vector<const RankedLever*> levers;
  const std::vector<bool> in = in_table(ranking);
  for (std::size_t i = 0; i < in.size(); ++i)
    if (in[i]) levers.push_back(&ranking.levers[i]);
  if (levers.size() > most) levers.resize(most);
  const Unit time = time_unit_of(largest(levers, &LeverGains::time_s)),
             tokens = amount_unit(largest(levers, &LeverGains::tokens), ""),
             money = amount_unit(largest(levers, &LeverGains::cost), ranking.currency), goodput = percent();
  const double widest = largest(levers, &LeverGains::goodput);
  TextTable table;
  table.header = {"lever", "change", named("time saved", time), named("tokens", tokens)};
  if (ranking.cost) table.header.push_back(named("cost saved", money));
  table.header.insert(table.header.end(), {named("goodput", goodput), ""});
  for (const RankedLever* lever : levers) {
    const LeverGains& of = lever->gains;
    std::vector<std::string> row = {lever->path, lever->change, gain_text(of.time_s, time),
                                    gain_text(of.tokens, tokens)};
    if (ranking.cost) row.push_back(gain_text(of.cost, money));
    const double by = of.goodput.by.value_or(0);
    row.insert(row.end(), {gain_text(of.goodput, goodput), bar_text(by, by, widest)});
    table.rows.push_back(std::move(row));
  }
  return to_text(table);
}

std::string lever_terms(const LeverRanking& ranking) {
  const Unit tokens = amount_unit(ranking.work_tokens, "");
  std::string text = fmt::format(
      "Each lever is moved alone. {} saved for the {} tokens that a run trains as given; tokens are those "
      "trained "
      "more in its {}. Intervals are 95%, {}, over {} under the same faults.",
      ranking.cost ? "Time and cost are" : "Time is", tokens.number(ranking.work_tokens) + tokens.name,
      time_text(ranking.wall_s), kIntervalCovers, replicas_text(ranking));
  if (ranking.looks > 1)
    text += fmt::format(" They hold whenever the study stops, at one of {} looks.", ranking.looks);
  text += " All gains and losses that are called certain hold together with 95%.";
  return wrapped(text);
}

std::string best_lever_text(const LeverRanking& ranking) {
  const RankedLever* best = ranking.best();
  if (best == nullptr) return "";
  const Gain& goodput = best->gains.goodput;
  const Unit share = percent().fine_enough_for(half_width(goodput.ci95));
  const std::string dearer = dearer_text(*best, ranking.currency);
  // Its place is certain; those that may gain more have no certain gain.
  const bool first_is_certain = ranking.certain > 0, all_placed = ranking.unplaced.empty();
  return fmt::format("{} {} the most: it saves {} per run for the same work, {}% +- {} more goodput{}{}",
                     lever_text(*best), first_is_certain && all_placed ? "gains" : "may gain",
                     saved_text(*best), share.number(*goodput.by), share.number(half_width(goodput.ci95)),
                     first_is_certain && !all_placed ? ", the most of the levers with a certain gain" : "",
                     dearer.empty() ? "" : ", and " + dearer);
}

std::string lever_order(const LeverRanking& ranking) {
  if (ranking.replicas < kFewestForInterval)
    return wrapped(
        fmt::format("Fewer than {} replicas give no intervals, so no order: run it with more --replicas.",
                    kFewestForInterval));
  return certain_places(ranking) + unordered_levers(ranking) + unplaced_levers(ranking);
}

std::string other_levers(const LeverRanking& ranking) {
  std::string text;
  const auto add = [&](const std::string& label, const std::vector<RankedLever>& levers) {
    if (!levers.empty()) text += wrapped(fmt::format("{}: {}.", label, list_of(levers)));
  };
  std::vector<RankedLever> unclear, unmeasured;
  const std::vector<bool> in = in_table(ranking);
  for (std::size_t i = 0; i < in.size(); ++i)
    if (!in[i] && std::ranges::find(ranking.unplaced, i) == ranking.unplaced.end())
      (ranking.levers[i].effect == LeverEffect::unmeasured ? unmeasured : unclear)
          .push_back(ranking.levers[i]);
  add("No certain effect on goodput", unclear);
  add(ranking.replicas < kFewestForInterval
          ? "Too few replicas to measure the effect on goodput"
          : "The same gain in all replicas, and not certain, since no event was seen that may change it",
      unmeasured);
  add(fmt::format("No effect on goodput in {}",
                  ranking.replicas == 1 ? "the replica" : "any of " + counted(ranking.replicas, "replica")),
      ranking.without_effect);
  for (const UntriedLever& lever : ranking.untried)
    text += wrapped(fmt::format("Not tried: `{}` ({}): {}.", lever.path, lever.change, lever.why));
  return text;
}

BarChart lever_chart(const LeverRanking& ranking) {
  BarChart chart{.title = "What each lever saves, moved alone",
                 .bars_title = "lever",
                 .value = {.title = "wall time saved per run", .unit = ChartUnit::duration}};
  constexpr std::size_t kMostBars = 24;  // and those that certainly lose, which come last
  for (const RankedLever& lever : ranking.levers) {
    const Gain& saved = lever.gains.time_s;
    if (!saved.by || (chart.bars.size() >= kMostBars && lever.effect != LeverEffect::loss)) continue;
    BarPart part{.value = *saved.by,
                 .details = {{"goodput, %", gain_text(lever.gains.goodput, percent())},
                             {"replicas", count_text(lever.replicas)}}};
    if (saved.ci95) {
      part.low = saved.ci95->low;
      part.high = saved.ci95->high;
    }
    chart.bars.push_back(
        {.name = fmt::format("{} ({})", lever.path, lever.change), .parts = {std::move(part)}});
  }
  return chart;
}

Section lever_section(const LeverRanking& ranking) {
  Section section{.heading = "Ranking of levers"};
  if (ranking.levers.empty()) {
    section.add(Paragraph{ranking.replicas == 0 ? "Interrupted before a lever was tried."
                                                : "No lever has an effect that was measured."});
    return section;
  }
  if (const std::string best = best_lever_text(ranking); !best.empty()) section.add(Paragraph{best + "."});
  section.add(Chart(lever_chart(ranking)));
  section.add(Verbatim{lever_terms(ranking) + lever_order(ranking) + other_levers(ranking),
                       "What the ranking can tell"});
  return section;
}

}  // namespace gauntlet
