#include "commands/tune/words.hpp"

#include "report/metric_unit.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gauntlet {
namespace {

constexpr double kTimes = 2;  // times the loss; from here on a multiplier is plainer than a percentage

}  // namespace

std::string objective_name(const TuneResult& result) {
  return result.metric == "ettr" ? "ETTR" : result.metric;
}

Unit objective_unit(const TuneResult& result) {
  if (!result.best) return metric_unit(result.metric, 0, result.currency);
  const Statistics& of = result.points[*result.best].objective;
  return metric_unit(result.metric, of.mean.value_or(0), result.currency)
      .fine_enough_for(of.ci95 && of.mean ? longer_side(*of.ci95, *of.mean) : 0);
}

std::string loss_name(const TuneResult& result) {
  switch (loss_kind(result.metric)) {
    case LossKind::missing:
      return result.metric == "ettr" ? "the lost time" : fmt::format("100% less {}", result.metric);
    case LossKind::lost:
      return result.metric == "wall_time_s" ? "the lost time"
                                            : fmt::format("the lost part of {}", result.metric);
    case LossKind::itself:
      return result.metric;
  }
  return result.metric;
}

std::string reference_name(const TuneResult& result, const TunedField& field) {
  if (field.whole)
    return result.bounds.empty() ? "the row that lost least"
           : result.meets        ? "the row that lost least of those that meet the bounds"
                                 : "the row that is nearest to the bounds";
  const bool beside_whole = std::ranges::any_of(result.fields, &TunedField::whole);
  const bool fitted =
      beside_whole ? !field.alike && result.window_points > 0 : result.regret && *result.regret <= kFlat;
  return fitted ? "the lowest value of the curve that is fitted through the rows"
                : "the row that lost least when the search ended";
}

bool any_below_reference(const TuneResult& result) {
  return std::ranges::any_of(result.fields, [&](const TunedField& field) {
    for (std::size_t k = 0; k < field.curve.size(); ++k)
      if (!result.points[field.curve[k]].gives_up_more && field.worse[k] &&
          field.worse[k]->difference.value_or(0) < 0)
        return true;
    return false;
  });
}

std::string share_text(double share) {
  const double size = std::abs(share);
  if (size >= kTimes) return fmt::format("{:.1f} times", share);
  if (size < 0.5e-4) return "less than 0.01%";
  return fmt::format("{:.{}f}%", share * 100, size >= 0.0995 ? 0 : size >= 0.00995 ? 1 : 2);
}

std::string share_of_loss(const TuneResult& result, double share) {
  return fmt::format("{}{} {}", share_text(share), std::abs(share) >= kTimes ? "" : " of", loss_name(result));
}

std::string difference_text(const PairedDifference& of, const Unit& unit) {
  const double width = of.ci95 ? longer_side(*of.ci95, *of.difference) : 0;
  const Unit fine = unit.fine_enough_for(of.ci95 ? width : std::abs(*of.difference));
  const std::string name = unit.name.empty() ? "" : unit.name == "%" ? " percentage points" : " " + unit.name;
  const std::string number = fine.number(std::abs(*of.difference)) + name;
  return of.ci95 ? fmt::format("{} +- {}", number, fine.number(width)) : number;
}

std::string settings_text(const TuneResult& result, const TunedPoint& point) {
  std::string text;
  for (const auto& [path, value] : result.settings_of(point))
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", path, value);
  return text;
}

}  // namespace gauntlet
