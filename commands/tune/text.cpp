#include "commands/tune/text.hpp"

#include "commands/tune/table.hpp"
#include "commands/tune/words.hpp"
#include "core/giving_up.hpp"
#include "report/advice.hpp"
#include "report/metric_unit.hpp"
#include "report/style.hpp"
#include "report/tails.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

namespace gauntlet {
namespace {

const TunedPoint& best_of(const TuneResult& result) { return result.points[*result.best]; }

std::string objective_text(const TuneResult& result) {
  const Statistics& of = best_of(result).objective;
  if (!of.mean) return "of which none of its runs has a value";
  const Unit unit = objective_unit(result);
  const std::string mean = fmt::format("{}{}{}", unit.number(*of.mean),
                                       unit.name == "%" || unit.name.empty() ? "" : " ", unit.name);
  return of.ci95 ? fmt::format("{} +- {}", mean, unit.number(longer_side(*of.ci95, *of.mean))) : mean;
}

/// Whether no other value of the field has run, so that nothing is known of it.
bool stands_alone(const TuneResult& result, const TunedField& field) {
  return std::ranges::none_of(
      field.curve, [&](std::size_t i) { return i != field.lowest && result.points[i].replicas > 0; });
}

/// "3 to 12, but not 5,"; "3 to 200, but not 13, 21 and 7 others,"
std::string alike_text(const TunedField& field) {
  constexpr std::size_t kNamed = 2;
  const std::string span = fmt::format("{} to {}", field.alike->low, field.alike->high);
  const std::vector<std::string>& others = field.not_alike;
  if (others.empty()) return span;
  if (others.size() <= kNamed + 1) return fmt::format("{}, but not {},", span, fmt::join(others, ", "));
  return fmt::format("{}, but not {} and {} others,", span, fmt::join(std::span(others).first(kNamed), ", "),
                     others.size() - kNamed);
}

/// "checkpoint.interval = 53min (95% interval 51min to 55min)"
std::string field_answer(const TuneResult& result, const TunedField& field, bool first) {
  if (!field.matters)
    return fmt::format("{} = {} (no other value tried differs by more than chance)", field.path, field.best);
  if (field.plateau)
    return fmt::format("{} = {} ({}flat from {} to {})", field.path, field.best,
                       field.best == field.today ? "today's value; " : "", field.flat.low, field.flat.high);
  if (stands_alone(result, field))
    return fmt::format("{} = {} (no other value has run)", field.path, field.best);
  if (field.alike && !(field.whole && field.interval))
    return fmt::format("{} = {} ({} are not told apart)", field.path, field.best, alike_text(field));
  if (!field.interval && field.flat_known && result.end == TuneResult::End::settled)
    return fmt::format("{} = {} (flat from {} to {})", field.path, field.best, field.flat.low,
                       field.flat.high);
  if (!field.interval)
    return fmt::format("{} = {} (too few replicas for an interval)", field.path, field.best);
  return fmt::format("{} = {} ({}{} to {})", field.path, field.best, first ? "95% interval " : "",
                     field.interval->low, field.interval->high);
}

/// Whether hardly anything is left of the budget. A search ends before that where its next step needs more than is left.
bool is_spent(const TuneResult& result) {
  constexpr double kHardlyAnything = 0.1;
  return static_cast<double>(result.replicas) >= (1 - kHardlyAnything) * static_cast<double>(result.budget);
}

std::string_view caveat(const TuneResult& result) {
  switch (result.end) {
    case TuneResult::End::settled:
      return "";
    case TuneResult::End::budget:
      return is_spent(result) ? ", budget spent" : ", budget too small";
    case TuneResult::End::interrupted:
      return ", interrupted";
  }
  return "";
}

/// Of bound number i at a point: by how much it is met, or missed where that is negative.
std::optional<double> slack(const TuneResult& result, const TunedPoint& point, std::size_t i) {
  if (i >= point.figures.size() || !point.figures[i]) return std::nullopt;
  const TunedBound& bound = result.bounds[i];
  return bound.upper ? bound.limit - *point.figures[i] : *point.figures[i] - bound.limit;
}

/// "wall_time_s.p95<60d is missed by 1.2 days (61.2 days)"
std::string bound_text(const TuneResult& result, const TunedPoint& point, std::size_t i) {
  const TunedBound& bound = result.bounds[i];
  const std::optional<double> left = slack(result, point, i);
  if (!left) return fmt::format("{}: no run has a {}", bound.text, bound.metric);
  if (std::isinf(*left))
    return fmt::format("{} is {}: so many runs gave up", bound.text, *left > 0 ? "met" : "missed");
  const Unit unit = metric_unit(bound.metric, *point.figures[i], result.currency).fine_enough_for(*left);
  const std::string gap = unit.name == "%" || unit.name.empty() ? "" : " ";
  const std::string by = unit.name == "%" ? " percentage points" : gap + unit.name;
  return fmt::format("{} is {} by {}{} ({}{}{})", bound.text, *left >= 0 ? "met" : "missed",
                     unit.number(std::abs(*left)), by, unit.number(*point.figures[i]), gap, unit.name);
}

/// The bound that the best point misses by most, as a share of its limit.
std::size_t worst_bound(const TuneResult& result) {
  std::size_t worst = 0;
  double most = 0;
  for (std::size_t i = 0; i < result.bounds.size(); ++i) {
    const double size = result.bounds[i].limit != 0 ? std::abs(result.bounds[i].limit) : 1;
    const double missed = -slack(result, best_of(result), i).value_or(0) / size;
    if (missed > most) {
      most = missed;
      worst = i;
    }
  }
  return worst;
}

/// Those that the best point misses.
std::vector<std::string> missed_bounds(const TuneResult& result) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < result.bounds.size(); ++i)
    if (slack(result, best_of(result), i).value_or(0) < 0) out.push_back(result.bounds[i].text);
  return out;
}

bool only_today_ran(const TuneResult& result) {
  return std::ranges::all_of(result.points, [&](const TunedPoint& point) {
    return point.replicas == 0 || &point == &result.points[result.today];
  });
}

/// None of the fields matters.
std::string no_difference(const TuneResult& result) {
  std::vector<std::string> paths;
  for (const TunedField& field : result.fields) paths.push_back(field.path);
  const std::string best = fmt::format("{}", fmt::join(best_of(result).values, ", "));
  return fmt::format("{} {} no difference to {} beyond chance: {}, with {} ({}{}).", fmt::join(paths, ", "),
                     paths.size() == 1 ? "makes" : "make", objective_name(result),
                     result.best == result.today ? "it stays at " + best : best + " is as good as any tried",
                     objective_text(result), kIntervalCovers, caveat(result));
}

/// Of what the named point is the best.
std::string_view of_which(const TuneResult& result) {
  const bool alike =
      std::ranges::any_of(result.fields, [](const auto& field) { return field.alike.has_value(); });
  if (any_below_reference(result) && result.window_points == 0) return " within chance";
  if (any_below_reference(result)) return alike ? " within chance" : " by the fitted curve";
  return alike ? " of those tried" : "";
}

std::string setting(const TuneResult& result) {
  std::string text = fmt::format(
      "{}, {} in total; seed {}; gauntlet {}.", counted(static_cast<double>(result.points.size()), "point"),
      counted(static_cast<double>(result.replicas), "replica"), result.seed, result.version);
  if (result.window_points > 0)
    text += fmt::format(" The fitted curve uses {} with {} each.", counted(result.window_points, "point"),
                        counted(result.window_replicas, "replica"));
  if (result.common_replicas > 0)
    text += fmt::format(" Each row of a table uses at most {}. Replica N has the same faults in all rows.",
                        counted(result.common_replicas, "replica"));
  return fmt::format("{} 95% intervals, {}.", text, kIntervalCovers);
}

bool anything_matters(const TuneResult& result) {
  return std::ranges::any_of(result.fields, &TunedField::matters);
}

std::string budget_text(const TuneResult& result) {
  if (is_spent(result))
    return "The budget was spent before the search was as precise as it aims for: --budget allows more "
           "replicas.";
  return fmt::format(
      "The search stopped before it was as precise as it aims for: its next step needs {} replicas, those "
      "for "
      "the tables below included, and {} of the budget's {} are left. --budget allows more replicas.",
      count_text(static_cast<double>(result.lacked)),
      count_text(static_cast<double>(result.budget - result.replicas)),
      count_text(static_cast<double>(result.budget)));
}

std::string certainty(const TuneResult& result) {
  if (!result.meets && !result.bounds.empty())  // what others save says nothing of those that meet the bounds
    return result.end == TuneResult::End::budget ? budget_text(result) : "";
  if (!result.regret)
    return "Too few values have run to say how much others save." +
           (result.end == TuneResult::End::budget ? " " + budget_text(result) : "");
  const std::string bound = share_of_loss(result, *result.regret);
  const bool tiny = bound.starts_with("less than");  // "less than 0.01% of the lost time"
  // A bound of each field's rows, and one of the surface, are added up.
  const bool by_field = result.fields.size() > 1 && std::ranges::any_of(result.fields, &TunedField::whole);
  std::string text = fmt::format("With 95% confidence{} {} {}.", by_field ? " for each field by itself," : "",
                                 tiny ? "every other point saves" : "no point saves more than", bound);
  if (result.end == TuneResult::End::budget) text += " " + budget_text(result);
  return text;
}

std::string best_is_an_end(const TunedField& field) {
  const bool is = field.range_given && (field.best == field.range.low || field.best == field.range.high);
  return is ? " The best is the end of the range that was given: the optimum may lie beyond." : "";
}

/// Which value of a plateau is named, by the rule of run_profiles (commands/tune/profile.hpp).
std::string why_named(const TuneResult& result, const TunedField& field) {
  const auto axis = static_cast<std::size_t>(&field - result.fields.data());
  if (!field.plateau) return "";
  if (field.best == field.today)
    return fmt::format(" Today's {} lies in that range, so nothing speaks for a change.", field.best);
  if (field.best == result.points[field.lowest].values[axis]) return "";
  return fmt::format(
      " {} is the middle of that range on a logarithmic axis, as today's {} lies outside of it{}.",
      field.best, field.today, result.bounds.empty() ? "" : " or misses a bound");
}

std::string flatness(const TuneResult& result, const TunedField& field) {
  if (!field.matters)
    return fmt::format(
        "{} does not matter: from {} to {} no value tried differs from {} by more than chance.", field.path,
        field.flat.low, field.flat.high, field.best);
  if (stands_alone(result, field))
    return fmt::format("Nothing is known of other values of {}: none has run beside {}.", field.path,
                       field.best);
  const auto axis = static_cast<std::size_t>(&field - result.fields.data());
  if (field.alike)
    return fmt::format(
        "The flat range around {} = {} is not known: no value tried from {} is worse than it by more "
        "than chance.{}",
        field.path, field.best, alike_text(field), best_is_an_end(field));
  const auto end = [](const std::string& value, bool reached) {
    return reached ? fmt::format("{} (the last that was tried)", value) : value;
  };
  std::string text =
      field.flat_known ? fmt::format("Flat range: {} from {} to {} adds at most {:.0f}% to {} of {}, {}.",
                                     field.path, end(field.flat.low, field.flat_to_low),
                                     end(field.flat.high, field.flat_to_high), 100 * kFlat, loss_name(result),
                                     result.points[field.lowest].values[axis], reference_name(result, field))
                       : fmt::format("The flat range around {} = {} is not known: too few points ran.",
                                     field.path, field.best);
  text += why_named(result, field);
  for (const auto& cliff : {field.cliff_below, field.cliff_above}) {
    if (!cliff) continue;
    const bool refused = std::ranges::any_of(field.curve, [&](std::size_t i) {
      return result.points[i].refused && result.points[i].values[axis] == *cliff;
    });
    text += fmt::format(" {} is {}.", *cliff, refused ? "refused" : "beyond a cliff: it costs far more");
  }
  return text + best_is_an_end(field);
}

std::string of_today(const TuneResult& result) {
  const TunedPoint& today = result.points[result.today];
  if (result.best == result.today)
    return std::ranges::any_of(result.fields, &TunedField::plateau) ? "" : "Today's values are the best.";
  if (today.gives_up_more)
    return fmt::format("With today's {}, {} of the runs gave up.", fmt::join(today.values, ", "),
                       share_text(today.gave_up));
  if (today.refused || !today.worse || !today.worse->difference) return "";
  const double difference = *today.worse->difference;
  const std::vector<std::string>& values = today.values;
  if (difference == 0)
    return fmt::format("Today's {} {} the same.", fmt::join(values, ", "),
                       values.size() == 1 ? "costs" : "cost");
  const bool by_chance = !today.worse->ci95 || today.worse->ci95->high >= 0;
  return fmt::format("Today's {} {} {} than {} by {}: {} of {}{}.", fmt::join(values, ", "),
                     values.size() == 1 ? "costs" : "cost", difference >= 0 ? "more" : "less",
                     fmt::join(best_of(result).values, ", "),
                     share_of_loss(result, std::abs(difference) / result.scale),
                     difference_text(*today.worse, objective_unit(result)), objective_name(result),
                     difference < 0 && by_chance ? ", as much as chance explains" : "");
}

/// How much the choice matters: the worst value of a field, the others at their best.
std::string stakes(const TuneResult& result, const TunedField& field) {
  if (!field.matters || !result.best) return "";
  const TunedPoint* worst = nullptr;
  for (const std::size_t i : field.curve) {
    const TunedPoint& point = result.points[i];
    if (point.worse && point.worse->difference && !point.gives_up_more &&
        (!worst || *point.worse->difference > *worst->worse->difference))
      worst = &point;
  }
  if (!worst || !(*worst->worse->difference > 0)) return "";
  const auto axis = static_cast<std::size_t>(&field - result.fields.data());
  return fmt::format("The worst {} tried, {}, costs more than {} by {}.", field.path, worst->values[axis],
                     field.best, share_of_loss(result, *worst->worse->difference / result.scale));
}

std::string formula_text(const TuneResult& result, const AnalyticOptimum& optimum) {
  if (optimum.regret)
    return fmt::format("{} {} ({})", optimum.name, optimum.value, share_text(*optimum.regret));
  const TunedPoint& point = result.points[optimum.point];
  if (point.refused || !point.worse || !point.worse->difference)
    return fmt::format("{} {}", optimum.name, optimum.value);
  return fmt::format("{} {} ({})", optimum.name, optimum.value,
                     share_text(*point.worse->difference / result.scale));
}

/// The formulas' answers, and what they would cost.
std::string formulas(const TuneResult& result) {
  if (result.analytic.empty() || !anything_matters(result)) return "";
  std::vector<std::string> all;
  const bool fitted =
      std::ranges::all_of(result.analytic, [](const auto& each) { return each.regret.has_value(); });
  for (const AnalyticOptimum& optimum : result.analytic) all.push_back(formula_text(result, optimum));
  // Those that did not run have no extra.
  const bool any = std::ranges::any_of(all, [](const std::string& each) { return each.ends_with(')'); });
  const std::string brackets = fmt::format(" (in brackets the extra, as a share of {}{})", loss_name(result),
                                           fitted ? "; an upper bound with 95% confidence" : "");
  return fmt::format("The formulas, for one failure per {} and {} per checkpoint{}: {}.",
                     time_text(result.mtbf_s), time_text(result.checkpoint_cost_s), any ? brackets : "",
                     fmt::join(all, ", "));
}

std::string bounds_text(const TuneResult& result) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < result.bounds.size(); ++i)
    all.push_back(bound_text(result, best_of(result), i));
  return all.empty() ? "" : fmt::format("Bounds: {}.", fmt::join(all, "; "));
}

std::string gave_up_text(const TuneResult& result) {
  const double share = best_of(result).gave_up;
  if (share <= 0) return "";
  return fmt::format("{}% of the best point's runs gave up: they {}.", percent().number(share),
                     kGaveUpBecause);
}

std::string refused_text(const TuneResult& result) {
  const auto refused = std::ranges::count_if(result.points, &TunedPoint::refused);
  if (refused == 0) return "";
  return fmt::format("{} {} refused, the first with: {}", counted(static_cast<double>(refused), "point"),
                     refused == 1 ? "was" : "were", result.refusal);
}

std::string tails_of_best(const TuneResult& result) {
  std::vector<TailRow> rows;
  const bool plateau = std::ranges::any_of(result.fields, &TunedField::plateau);
  if (result.summary)
    add_tails(rows, *result.summary, result.metric, plateau ? "recommended" : "best", objective_name(result));
  return tails_table(rows);
}

std::string body(const TuneResult& result, const ReportOptions& options) {
  std::string text;
  const auto add = [&](const std::string& paragraph) {
    if (!paragraph.empty()) text += wrapped(paragraph);
  };
  add(setting(result));
  text += fault_files_text(options);
  text += "\n";
  add(bounds_text(result));
  add(gave_up_text(result));
  if (result.summary) add(why_text(*result.summary));
  if (!only_today_ran(result)) {
    if (anything_matters(result)) add(certainty(result));
    for (const TunedField& field : result.fields) add(flatness(result, field));
  }
  add(of_today(result));
  for (const TunedField& field : result.fields) add(stakes(result, field));
  add(formulas(result));
  add(refused_text(result));
  for (const std::string& note : result.notes) add(note);
  text += curve_tables(result);
  if (const std::string tails = tails_of_best(result); !tails.empty()) text += "\n" + tails;
  return text;
}

}  // namespace

std::string answer_line(const TuneResult& result) {
  if (!result.best) return fmt::format("{}: no point has run, so there is no answer.", result.scenario);
  const TunedPoint& best = best_of(result);
  if (!result.meets && !result.bounds.empty())
    return fmt::format("No point that was tried meets {}: at the nearest one, {}, {}.",
                       fmt::join(missed_bounds(result), " and "), settings_text(result, best),
                       bound_text(result, best, worst_bound(result)));
  if (!result.has_value())
    return fmt::format("No run has a value of {}, so no point is better than another.", result.metric);
  if (only_today_ran(result))
    return fmt::format("Nothing but today's {} can run: {}", settings_text(result, best), result.refusal);
  if (!anything_matters(result)) return no_difference(result);
  std::vector<std::string> fields;
  for (const TunedField& field : result.fields) fields.push_back(field_answer(result, field, fields.empty()));
  if (std::ranges::any_of(result.fields, &TunedField::plateau))
    return fmt::format("{}: {} {}, which no value in {} changes by more than {:.0f}% of {} ({}{}).",
                       fmt::join(fields, ", "), objective_name(result), objective_text(result),
                       fields.size() == 1 ? "that range" : "the flat ranges", 100 * kFlat, loss_name(result),
                       kIntervalCovers, caveat(result));
  return fmt::format("{} {} the {} {}{}, {} ({}{}).", fmt::join(fields, ", "),
                     fields.size() == 1 ? "gives" : "give", result.maximise ? "highest" : "lowest",
                     objective_name(result), of_which(result), objective_text(result), kIntervalCovers,
                     caveat(result));
}

std::string text_report(const TuneResult& result, const ReportOptions& options) {
  std::string text = headline(options, answer_line(result));
  if (result.best && result.has_value()) text += body(result, options);
  return text + reproduce_text(options);
}

}  // namespace gauntlet
