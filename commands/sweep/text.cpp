#include "commands/sweep/text.hpp"

#include "commands/sweep/table.hpp"
#include "core/giving_up.hpp"
#include "report/style.hpp"
#include "report/tails.hpp"
#include "report/words.hpp"
#include "score/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace gauntlet {
namespace {

constexpr std::size_t kNamed = 6;  // rivals that are named one by one

std::string replicas_text(const SweepResult& result) {
  const auto [low, high] = std::ranges::minmax_element(
      result.points, {}, [](const SweptPoint& point) { return point.summary.replicas; });
  const std::uint32_t fewest = low->summary.replicas, most = high->summary.replicas;
  return fewest == most ? counted(most, "replica") + " per point"
                        : fmt::format("{} to {} per point", count_text(fewest), counted(most, "replica"));
}

/// Of a difference: percentage points, or money.
std::string difference_text(const PairedDifference& of, const Unit& unit) {
  const Unit fine =
      unit.fine_enough_for(of.ci95 ? (of.ci95->high - of.ci95->low) / 2 : std::abs(*of.difference));
  const std::string name = unit.name == "%" ? " percentage points" : " " + unit.name;
  if (!of.ci95) return fine.number(*of.difference) + name;
  return fmt::format("{} +- {}{}", fine.number(*of.difference),
                     fine.number((of.ci95->high - of.ci95->low) / 2), name);
}

/// Of a sweep of one field the value is enough to name a point.
std::string short_name(const SweepResult& result, const SweptPoint& point) {
  return result.fields.size() == 1 ? result.fields[0].values[point.at[0]] : result.settings_text(point);
}

/// How sure the best point is: by how much the second best trails it, and which others may be better.
std::string certainty(const SweepResult& result) {
  if (!result.best || !result.second) return "";
  if (result.nothing_changes())
    return "The varied keys change nothing: every replica is the same at every point.";
  const SweptPoint& second = result.points[*result.second];
  if (!second.behind || !second.behind->difference) return "";
  if (second.all_gave_up() && !result.points[*result.best].all_gave_up())
    return "All runs of the other points gave up, so none of these points is the best.";
  std::string text = fmt::format("The second best, {}, trails the best by {}.", short_name(result, second),
                                 trails_text(result, second));
  if (!second.behind->ci95) return text + " There are too few replicas for an interval of this difference.";
  std::vector<std::string> rivals;
  for (std::size_t i = 0; i < result.points.size(); ++i)
    if (i != *result.best && result.points[i].may_be_best)
      rivals.push_back(short_name(result, result.points[i]));
  if (rivals.empty()) return text + " With 95% confidence no other point is as good.";
  if (rivals.size() <= kNamed)
    return text + fmt::format(" Not distinguishable from the best: {}.", fmt::join(rivals, "; "));
  return text + fmt::format(" {} points are not distinguishable from the best (marked \"may be best\").",
                            count_text(static_cast<double>(rivals.size())));
}

std::string common_numbers(const SweepResult& result) {
  if (!result.variance_factor || result.nothing_changes()) return "";
  const double factor = *result.variance_factor;
  const std::string number = fmt::format("{:.{}f}", factor, factor < 9.95 ? 1 : 0);
  return fmt::format(
      "Common random numbers make the variance of a difference to the best {} times smaller than between "
      "independent replicas (median over the points).",
      number);
}

/// What the worst point loses more than the best, and in which phase.
std::string why(const SweepResult& result) {
  if (!result.best || result.points.size() < 2) return "";
  const auto loss = [](const Summary& summary) { return 1 - summary.mean("ettr").value_or(0); };
  const auto worst = std::ranges::max_element(result.points, {},
                                              [&](const SweptPoint& point) { return loss(point.summary); });
  const SweptPoint& best = result.points[*result.best];
  const double more = loss(worst->summary) - loss(best.summary);
  const double wall = worst->summary.mean("wall_time_s").value_or(0);
  const double best_wall = best.summary.mean("wall_time_s").value_or(0);
  if (!(more > 0 && wall > 0 && best_wall > 0)) return "";
  std::string phase;
  double largest = 0;
  for (const std::string_view name : kPhaseNames) {
    const std::string metric = "lost_s." + std::string(name);
    const double difference =
        worst->summary.mean(metric).value_or(0) / wall - best.summary.mean(metric).value_or(0) / best_wall;
    if (difference > largest) {
      largest = difference;
      phase = name;
    }
  }
  if (phase.empty()) return "";
  return fmt::format(
      "The point that trains least, {}, loses {} percentage points more of its wall time than the best; `{}` "
      "alone takes {} more.",
      short_name(result, *worst), percent().number(more), phase, percent().number(largest));
}

/// Where the best is the last value of a range, the range may end too early.
std::string at_an_end(const SweepResult& result) {
  if (!result.best || result.points.size() < 3 || result.nothing_changes()) return "";
  std::string text;
  for (std::size_t i = 0; i < result.fields.size(); ++i) {
    const SweptField& field = result.fields[i];
    const std::size_t at = result.points[*result.best].at[i];
    const bool end = at == 0 || at + 1 == field.values.size();
    if (!field.ranged || field.values.size() < 3 || !end) continue;
    text += fmt::format("{}The best {} is the {} value of its range: the optimum may lie beyond.",
                        text.empty() ? "" : " ", field.path, at == 0 ? "first" : "last");
  }
  return text;
}

std::string missed(const SweepResult& result) {
  std::vector<std::string> names;
  bool no_interval = false;
  for (const SweptPoint& point : result.points) {
    if (point.precise) continue;
    names.push_back(short_name(result, point));
    no_interval = no_interval || point.without_interval;
  }
  if (names.empty()) return "";
  std::vector<std::string> goals;
  for (const PrecisionGoal& goal : result.precision)
    goals.push_back(fmt::format("{} +- {}", goal.metric, goal.half_width));
  const auto count = names.size();
  if (count > kNamed) {
    names.resize(kNamed);
    names.push_back("...");
  }
  const std::string_view reason = result.interrupted    ? "the sweep was interrupted"
                                  : result.budget_spent ? "the budget was spent"
                                  : no_interval         ? "more replicas than 1,000 gave no interval"
                                                        : "--replicas allows no more";
  return fmt::format("{} did not reach the precision ({}), because {}: {}.",
                     counted(static_cast<double>(count), "point"), fmt::join(goals, ", "), reason,
                     fmt::join(names, "; "));
}

/// With a precision points have different numbers of replicas.
std::string pairing(const SweepResult& result) {
  const auto [low, high] = std::ranges::minmax_element(
      result.points, {}, [](const SweptPoint& point) { return point.summary.replicas; });
  if (low->summary.replicas == high->summary.replicas) return "";
  return "\"trails by\" compares the replicas that both this point and the best have run.";
}

std::string gave_up(const SweepResult& result) {
  const auto count = std::ranges::count_if(
      result.points, [](const SweptPoint& point) { return point.summary.mean("gave_up").value_or(0) > 0; });
  if (count == 0) return "";
  return fmt::format("At {} some runs gave up: they {}.", counted(static_cast<double>(count), "point"),
                     kGaveUpBecause);
}

std::string refused(const SweepResult& result) {
  if (result.refused.empty()) return "";
  return fmt::format("{} left out, because the scenario refuses {}: {}.",
                     counted(static_cast<double>(result.refused.size()), "more point") +
                         (result.refused.size() == 1 ? " was" : " were"),
                     result.refused.size() == 1 ? "it" : "them; the first", result.refused.front().why);
}

std::string tails_of_best(const SweepResult& result) {
  if (!result.best) return "";
  std::vector<TailRow> rows;
  const Summary& best = result.points[*result.best].summary;
  add_tails(rows, best, result.objective, result.nothing_changes() ? "every point" : "best",
            objective_name(result));
  return tails_table(rows);
}

std::string setting(const SweepResult& result) {
  const std::string points = counted(static_cast<double>(result.points.size()), "point");
  const std::string of = result.points.size() == result.asked_points
                             ? points
                             : fmt::format("{} of {}", count_text(static_cast<double>(result.points.size())),
                                           counted(result.asked_points, "point"));
  const std::string design = result.design == "grid" ? "" : " of a Latin hypercube";
  const ScenarioFacts& facts = result.points.front().summary.facts;
  const std::string text =
      fmt::format("{}{}, {} replicas in total; seed {}; gauntlet {}.", of, design,
                  count_text(static_cast<double>(result.replicas())), result.seed, facts.version);
  if (result.nothing_changes()) return text;
  return fmt::format("{} The best is the {} {}{}.", text, result.smallest ? "lowest" : "highest",
                     objective_name(result),
                     result.smallest ? ", because the points hold different numbers of GPUs" : "");
}

}  // namespace

std::string answer_line(const SweepResult& result) {
  if (!result.best) return fmt::format("{}: no point has run, so there is no answer.", result.scenario);
  const SweptPoint& best = result.points[*result.best];
  const Statistics& of = *best.summary.find(result.objective);
  const std::string interval = of.ci95 ? fmt::format("95% interval, {}, ", kIntervalCovers) : "no interval, ";
  const std::string value = value_text(of, objective_unit(result));
  const std::string basis =
      fmt::format("({}{}{})", interval, replicas_text(result), result.interrupted ? ", interrupted" : "");
  if (result.nothing_changes()) {
    std::vector<std::string> paths;
    for (const SweptField& field : result.fields) paths.push_back(field.path);
    return fmt::format("{} {} nothing: every point gives the same {}, {} {}.", fmt::join(paths, " and "),
                       paths.size() == 1 ? "changes" : "change", objective_name(result), value, basis);
  }
  return fmt::format("{} gives the {} {}, {} {}.", result.settings_text(best),
                     result.smallest ? "lowest" : "best", objective_name(result), value, basis);
}

std::vector<std::string> remarks(const SweepResult& result) {
  std::vector<std::string> out = {certainty(result), common_numbers(result), why(result),
                                  at_an_end(result), missed(result),         pairing(result),
                                  gave_up(result)};
  std::erase(out, "");
  return out;
}

std::string trails_text(const SweepResult& result, const SweptPoint& point) {
  if (!point.behind || !point.behind->difference) return "";
  return difference_text(*point.behind, objective_unit(result));
}

std::string text_report(const SweepResult& result, const ReportOptions& options) {
  std::string text = headline(options, answer_line(result));
  const auto add = [&](const std::string& paragraph) {
    if (!paragraph.empty()) text += wrapped(paragraph);
  };
  if (!result.points.empty()) {
    add(setting(result));
    text += fault_files_text(options);
    add(replay_warning(result.points.front().summary.facts));
    add(refused(result));
    for (const std::string& note : result.notes) add(note);
    text += "\n";
    for (const std::string& each : remarks(result)) add(each);
    text += "\n" + points_table(result);
    if (const std::string tails = tails_of_best(result); !tails.empty()) text += "\n" + tails;
  }
  return text + reproduce_text(options);
}

}  // namespace gauntlet
