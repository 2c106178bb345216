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

/// Those that surely lose, and all down to the last one that surely gains.
std::vector<bool> in_table(const LeverRanking& ranking) {
  std::vector<bool> in(ranking.levers.size());
  bool above = false;
  for (std::size_t i = in.size(); i-- > 0;) {
    above = above || ranking.levers[i].gains_surely();
    in[i] = above || ranking.levers[i].loses_surely();
  }
  return in;
}

template <class Levers>
std::string list_of(const Levers& levers) {
  std::string text;
  for (const auto& lever : levers) text += (text.empty() ? "" : ", ") + lever_text(lever);
  return text;
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
  return wrapped(text);
}

std::string lever_order(const LeverRanking& ranking) {
  if (ranking.replicas < kFewestForInterval)
    return wrapped(
        fmt::format("Fewer than {} replicas give no intervals, so no order: run it with more --replicas.",
                    kFewestForInterval));
  std::string text;
  if (ranking.claimed == 0)
    text += wrapped("No lever surely gains.");
  else if (ranking.certain == ranking.claimed)
    text += wrapped(ranking.claimed == 1
                        ? "The first place is certain (95%)."
                        : fmt::format("The order of the first {} is certain (95% for all of them together).",
                                      ranking.claimed));
  else if (ranking.certain > 0)
    text += wrapped(ranking.certain == 1
                        ? "Only the first place is certain (95%)."
                        : fmt::format("Only the order of the first {} is certain (95%).", ranking.certain));
  for (const RankedLever& lever : ranking.levers) {
    if (lever.not_told_from.empty()) continue;
    constexpr std::size_t kNamed = 4;
    std::vector<RankedLever> others;
    const std::size_t count = lever.not_told_from.size();
    for (std::size_t i = 0; i < (count > kNamed + 1 ? kNamed : count); ++i)
      others.push_back(ranking.levers[lever.not_told_from[i]]);
    const std::size_t unnamed = count - others.size();
    text += wrapped(fmt::format("{} is not told apart from {}{}.", lever_text(lever), list_of(others),
                                unnamed > 0 ? fmt::format(" and {} others", unnamed) : ""));
  }
  return text;
}

std::string other_levers(const LeverRanking& ranking) {
  std::string text;
  const auto add = [&](const std::string& label, const std::string& levers) {
    if (!levers.empty()) text += wrapped(fmt::format("{}: {}.", label, levers));
  };
  std::vector<RankedLever> close, without = ranking.without_effect;
  const std::vector<bool> in = in_table(ranking);
  for (std::size_t i = 0; i < in.size(); ++i)
    if (!in[i]) close.push_back(ranking.levers[i]);
  add("Not told from no effect on goodput", list_of(close));
  add(fmt::format("No effect in {}",
                  ranking.replicas == 1 ? "the replica" : "any of " + counted(ranking.replicas, "replica")),
      list_of(without));
  for (const UntriedLever& lever : ranking.untried)
    text += wrapped(fmt::format("Not tried: `{}` ({}): {}.", lever.path, lever.change, lever.why));
  return text;
}

LineChart lever_chart(const LeverRanking& ranking) {
  ChartSeries series{.name = "", .points = {}, .line = false};
  for (const RankedLever& lever : ranking.levers) {
    const Gain& saved = lever.gains.time_s;
    if (!saved.by) continue;
    ChartPoint point{.x = 0,
                     .x_text = fmt::format("{} ({})", lever.path, lever.change),
                     .y = *saved.by,
                     .low = {},
                     .high = {},
                     .details = {{"goodput, %", gain_text(lever.gains.goodput, percent())},
                                 {"replicas", count_text(lever.replicas)}}};
    if (saved.ci95) {
      point.low = saved.ci95->low;
      point.high = saved.ci95->high;
    }
    series.points.push_back(std::move(point));
  }
  return {.title = "What each lever saves, alone",
          .x = {"lever, the most valuable first", ChartUnit::number, ChartScale::category},
          .y = {"wall time saved", ChartUnit::duration},
          .series_title = "",
          .series = {std::move(series)},
          .marks = {}};
}

}  // namespace gauntlet
