#include "commands/tune/result.hpp"
#include "study/summary/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace gauntlet {
namespace {

Json span_json(const ValueSpan& span) { return Json::array({span.low, span.high}); }

Json worse_json(const std::optional<PairedDifference>& worse) {
  if (!worse) return nullptr;
  Json json;
  json["difference"] = json_of(worse->difference);
  json["se"] = json_of(worse->se);
  json["ci95"] = json_of(worse->ci95);
  return json;
}

Json field_json(const TunedField& field) {
  Json json;
  json["path"] = field.path;
  json["range"] = span_json(field.range);
  json["today"] = field.today;
  json["best"] = field.best;
  json["ci95"] = field.interval ? span_json(*field.interval) : Json(nullptr);
  json["matters"] = field.matters;
  json["plateau"] = field.plateau;
  json["flat"] = field.flat_known ? span_json(field.flat) : Json(nullptr);
  json["flat_to_the_end"] = Json::array({field.flat_to_low, field.flat_to_high});
  json["not_told_apart"] = field.alike ? span_json(*field.alike) : Json(nullptr);
  json["cliff_below"] = field.cliff_below ? Json(*field.cliff_below) : Json(nullptr);
  json["cliff_above"] = field.cliff_above ? Json(*field.cliff_above) : Json(nullptr);
  json["curve"] = field.curve;
  json["lowest"] = field.lowest;
  return json;
}

Json point_json(const TuneResult& result, const TunedPoint& point) {
  Json json;
  json["settings"] = settings_json(result.settings_of(point));
  if (const std::string name = point.full_name(); !name.empty()) json["name"] = name;
  if (point.refused) {
    json["refused"] = true;
    return json;
  }
  json["replicas"] = point.replicas;
  json["dropped"] = point.dropped;
  json["mean"] = json_of(point.objective.mean);
  json["ci95"] = json_of(point.objective.ci95);
  json["worse_than_best"] = worse_json(point.worse);
  json["gave_up"] = point.gave_up;
  json["gives_up_more"] = point.gives_up_more;
  if (result.bounds.empty()) return json;
  json["meets"] = point.meets;
  Json& figures = json["bounds"] = Json::array();
  for (const std::optional<double>& figure : point.figures) figures.push_back(json_of(figure));
  return json;
}

Json bound_json(const TunedBound& bound) {
  Json json;
  json["bound"] = bound.text;
  json["metric"] = bound.metric;
  json["statistic"] = bound.statistic;
  json["is"] = bound.upper ? "below" : "above";
  json["limit"] = bound.limit;
  return json;
}

Json best_json(const TuneResult& result) {
  if (!result.best) return nullptr;
  const TunedPoint& best = result.points[*result.best];
  Json json;
  json["point"] = *result.best;
  json["settings"] = settings_json(result.settings_of(best));
  json["meets_bounds"] = result.meets;
  json["mean"] = json_of(best.objective.mean);
  json["ci95"] = json_of(best.objective.ci95);
  json["loss"] = result.scale;
  json["regret_share_of_loss"] = json_of(result.regret);
  json["today"] = worse_json(result.points[result.today].worse);
  if (result.summary) json["metrics"] = metrics_json(*result.summary);
  return json;
}

Json analytic_json(const TuneResult& result) {
  Json json;
  json["mtbf_s"] = result.mtbf_s;
  json["checkpoint_cost_s"] = result.checkpoint_cost_s;
  for (const AnalyticOptimum& optimum : result.analytic)
    json[optimum.name] = Json{{"value", optimum.value},
                              {"point", optimum.point},
                              {"excess_share_of_loss", json_of(optimum.excess)},
                              {"regret_share_of_loss", json_of(optimum.regret)}};
  return json;
}

std::string_view name_of(TuneResult::End end) {
  switch (end) {
    case TuneResult::End::settled:
      return "settled";
    case TuneResult::End::budget:
      return "budget";
    case TuneResult::End::interrupted:
      return "interrupted";
  }
  return "";
}

}  // namespace

LossKind loss_kind(std::string_view metric) {
  constexpr std::array<std::string_view, 2> kShares = {"ettr", "training_rate"};
  constexpr std::array<std::string_view, 6> kWhole = {
      "wall_time_s", "gpu_hours", "cost", "cost.per_effective_gpu_hour", "mfu", "goodput_tokens_per_s"};
  if (std::ranges::find(kShares, metric) != kShares.end()) return LossKind::missing;
  return std::ranges::find(kWhole, metric) != kWhole.end() ? LossKind::lost : LossKind::itself;
}

std::string TunedPoint::full_name() const {
  std::string all = name;
  for (const std::string& formula : formulas) all += (all.empty() ? "" : ", ") + formula;
  return all;
}

std::vector<std::pair<std::string, std::string>> TuneResult::settings_of(const TunedPoint& point) const {
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t i = 0; i < fields.size(); ++i) out.emplace_back(fields[i].path, point.values[i]);
  return out;
}

std::string to_json(const TuneResult& result) {
  Json json;
  json["command"] = "tune";
  json["scenario"] = result.scenario;
  json["version"] = result.version;
  json["seed"] = result.seed;
  json["currency"] = result.currency;
  json["interval"] = kIntervalCovers;
  json["objective"] = Json{{"metric", result.metric}, {"is", result.maximise ? "highest" : "lowest"}};
  json["end"] = name_of(result.end);
  if (result.end == TuneResult::End::interrupted) json["interrupted"] = true;
  json["replicas"] = result.replicas;
  json["common_replicas"] = result.common_replicas;
  Json& bounds = json["bounds"] = Json::array();
  for (const TunedBound& bound : result.bounds) bounds.push_back(bound_json(bound));
  json["best"] = best_json(result);
  Json& fields = json["fields"] = Json::array();
  for (const TunedField& field : result.fields) fields.push_back(field_json(field));
  if (!result.analytic.empty()) json["analytic"] = analytic_json(result);
  Json& points = json["points"] = Json::array();
  for (const TunedPoint& point : result.points) points.push_back(point_json(result, point));
  if (!result.refusal.empty()) json["refusal"] = result.refusal;
  json["notes"] = result.notes;
  return document(json);
}

}  // namespace gauntlet
