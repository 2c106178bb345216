#include "commands/compare/answer.hpp"

#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kMostReasons = 4;
constexpr double kMostOfIt =
    0.8;  // reasons that explain so much are enough; a part that is so much stands for the whole

double size_of(const LossDifference& loss) { return std::abs(loss.of.difference.value_or(0)); }

std::string name_of(Phase phase) { return std::string(kPhaseNames[static_cast<std::size_t>(phase)]); }

// How many of the largest differences it takes to come near to their sum.
std::size_t needed(const std::vector<LossDifference>& losses) {
  double all = 0, so_far = 0;
  for (const LossDifference& loss : losses) all += loss.of.difference.value_or(0);
  std::size_t count = 0;
  while (count < losses.size() && std::abs(all - so_far) > (1 - kMostOfIt) * std::abs(all))
    so_far += losses[count++].of.difference.value_or(0);
  return count;
}

// By whichever takes fewer words: the phases, or the causes.
const std::vector<LossDifference>& reasons_of(const Comparison& comparison) {
  return needed(comparison.by_cause) < needed(comparison.by_phase) ? comparison.by_cause
                                                                   : comparison.by_phase;
}

// A part of the difference in words.
struct Reason {
  double difference = 0;
  std::string name;
};

// "hang undetected"; "checkpoint_stall", whose cause is in its name.
std::string in_words(const LossDifference& of) {
  const std::string phase = name_of(*of.phase);
  return phase.starts_with(of.cause) ? phase : of.cause + " " + phase;
}

// "hang undetected", where one pair is most of a group; else the group with its largest members.
Reason reason_of(const LossDifference& group, const Comparison& comparison, const Unit& unit) {
  std::vector<const LossDifference*> members;  // with the group's sign, the largest first
  const double difference = group.of.difference.value_or(0);
  for (const LossDifference& part : comparison.because)
    if ((group.phase ? part.phase == group.phase : part.cause == group.cause) &&
        part.of.difference.value_or(0) * difference > 0)
      members.push_back(&part);
  const std::string own = group.phase ? name_of(*group.phase) : group.cause;
  if (members.empty()) return {difference, own};
  if (size_of(*members[0]) >= kMostOfIt * size_of(group))
    return {*members[0]->of.difference, in_words(*members[0])};
  const auto member = [&](const LossDifference& part) {
    return fmt::format("{} {}", group.phase ? part.cause : name_of(*part.phase), unit.number(size_of(part)));
  };
  std::string text = own + " (" + member(*members[0]);
  if (members.size() > 1) text += ", " + member(*members[1]);
  if (members.size() > 2)
    text +=
        ", " + counted(static_cast<double>(members.size() - 2), group.phase ? "more cause" : "more phase");
  return {difference, text + ")"};
}

// ": 7.8 h of it in hang undetected; ...", for a difference of `whole`.
std::string reasons(const Comparison& comparison, double whole, const Unit& unit) {
  const std::vector<LossDifference>& all = reasons_of(comparison);
  std::vector<Reason> told;
  for (std::size_t i = 0; i < std::min({needed(all), kMostReasons, all.size()}); ++i)
    if (distinguishable(all[i].of)) told.push_back(reason_of(all[i], comparison, unit));
  if (told.empty()) return "";
  const bool parts_of_it = std::ranges::all_of(told, [&](const Reason& each) {
    return each.difference * whole > 0 && std::abs(each.difference) <= std::abs(whole);
  });
  std::string text;
  for (const Reason& each : told) {
    const std::string size = unit.number(std::abs(each.difference)) + " " + unit.name;
    text += text.empty() ? ": " : "; ";
    text += parts_of_it ? fmt::format("{} of it in {}", size, each.name)
                        : fmt::format("{} {} in {}", size, each.difference > 0 ? "more" : "less", each.name);
  }
  return text;
}

std::string name_of(const CompareResult& result, std::size_t number) {
  constexpr std::size_t kShort = 60;
  const std::string& label = result.scenarios[number].label;
  return label.size() > kShort ? scenario_letter(number)
                               : fmt::format("{} ({})", scenario_letter(number), label);
}

// What is compared in the first place: the time lost, or the time taken.
const PairedDifference& headline(const Comparison& comparison) {
  const MetricDifference* wall = comparison.find("wall_time_s");
  return comparison.basis == Basis::work && wall != nullptr ? wall->of : comparison.lost.of;
}

std::string over_what(const CompareResult& result, const Comparison& comparison) {
  const double first = result.scenarios[0].summary.mean("wall_time_s").value_or(0);
  const double second = result.scenarios[comparison.second].summary.mean("wall_time_s").value_or(0);
  switch (comparison.basis) {
    case Basis::run:
      return " in " + time_text(first);
    case Basis::work:
      return fmt::format(" for the same work ({} against {})", time_text(second), time_text(first));
    case Basis::day:
      return " per day";
  }
  return "";
}

}  // namespace

std::string scenario_letter(std::size_t number) {
  return number < 26 ? std::string(1, static_cast<char>('A' + number)) : std::to_string(number + 1);
}

bool distinguishable(const PairedDifference& of) {
  if (!of.difference || *of.difference == 0) return false;
  return !of.ci95 || of.ci95->low > 0 || of.ci95->high < 0;
}

std::string size_text(const PairedDifference& of, const Unit& unit) {
  std::string text =
      unit.number(std::abs(of.difference.value_or(0))) + (unit.name == "%" ? "" : " ") + unit.name;
  if (of.ci95 && of.se != 0) text += " +- " + unit.number((of.ci95->high - of.ci95->low) / 2);
  return text;
}

std::string answer_line(const CompareResult& result, const Comparison& comparison) {
  const PairedDifference& of = headline(comparison);
  const std::string first = name_of(result, 0), second = name_of(result, comparison.second);
  const std::string over = over_what(result, comparison);
  if (!of.difference)
    return fmt::format("{} and {}: no time has passed, so there is no answer.", second, first);
  if (*of.difference == 0 && of.se.value_or(0) == 0)
    return fmt::format("{} and {} lose the same time in every replica{}.", second, first, over);
  const double width = half_width(of.ci95);
  const Unit unit = time_unit(std::max(std::abs(*of.difference), width)).fine_enough_for(width);
  const bool work = comparison.basis == Basis::work;
  const std::string size = size_text(of, unit);
  const std::string more = work                 ? (*of.difference > 0 ? "longer" : "less")
                           : *of.difference > 0 ? "more"
                                                : "less";
  const std::string does = work ? "takes" : "loses";
  const std::string few =
      of.ci95 ? ""
              : fmt::format("; {} {} too few for an interval", counted(result.replicas, "replica"),
                            result.replicas == 1 ? "is" : "are");
  if (!distinguishable(of))
    return fmt::format("The difference of {} and {} is within chance: {} {} {} {}{}.", second, first,
                       scenario_letter(comparison.second), does, size, more, over);
  return fmt::format("{} {} {} {} than {}{}{}{}.", second, does, size, more, first, over,
                     reasons(comparison, *of.difference, unit), few);
}

std::string consequence(const CompareResult& result, const Comparison& comparison) {
  const std::string first = scenario_letter(0), second = scenario_letter(comparison.second);
  std::string text;
  const auto sentence = [&](const std::string& words) { text += (text.empty() ? "" : " ") + words; };
  const Summary &a = result.scenarios[0].summary, &b = result.scenarios[comparison.second].summary;
  const MetricDifference* steps = comparison.find("steps");
  if (comparison.basis != Basis::work && steps != nullptr && steps->first && steps->second &&
      distinguishable(steps->of)) {
    const double in_a = *steps->first * a.facts.tokens_per_step,
                 in_b = *steps->second * b.facts.tokens_per_step;
    const Unit unit = amount_unit(in_a, "tokens").fine_enough_for(std::abs(in_b - in_a) / 10);
    if (comparison.basis == Basis::run)
      sentence(fmt::format("In that time {} trains {} {}, and {} {}.", second, unit.number(in_b), unit.name,
                           first, unit.number(in_a)));
    else
      sentence(fmt::format("{} trains {} {} in {}, {} {} in {}.", second, unit.number(in_b), unit.name,
                           time_text(b.mean("wall_time_s").value_or(0)), first, unit.number(in_a),
                           time_text(a.mean("wall_time_s").value_or(0))));
  }
  const MetricDifference* cost = comparison.find("cost");
  if (cost != nullptr && distinguishable(cost->of)) {
    const Unit unit = amount_unit(*cost->of.difference, a.facts.currency);
    sentence(fmt::format("{} costs {} {}.", second, size_text(cost->of, unit),
                         *cost->of.difference > 0 ? "more" : "less"));
  }
  return text;
}

}  // namespace gauntlet
