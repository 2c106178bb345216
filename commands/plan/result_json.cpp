#include "commands/plan/result.hpp"
#include "commands/plan/words.hpp"
#include "study/summary/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gauntlet {
namespace {

Json finish_json(const FinishTimes& of, const PlanResult& result) {
  Json json;
  for (const std::size_t percent : result.percents)
    json[fmt::format("p{}", percent)] = json_of(known_at(of, percent));
  json["worst_5_mean"] = json_of(of.worst_5_mean);
  return json;
}

Json intervals_json(const FinishTimes& of, const PlanResult& result) {
  Json json;
  for (const std::size_t percent : result.percents)
    json[fmt::format("p{}", percent)] = json_of(of.ci95_at(percent));
  return json;
}

/// Null without the first day of the job.
Json dates_json(const FinishTimes& of, const PlanResult& result) {
  if (!result.start) return nullptr;
  Json json;
  const auto date = [&](const std::optional<double>& at) {
    return at ? Json(to_text(day_after(*result.start, *at))) : Json(nullptr);
  };
  for (const std::size_t percent : result.percents)
    json[fmt::format("p{}", percent)] = date(known_at(of, percent));
  json["worst_5_mean"] = date(of.worst_5_mean);
  return json;
}

/// The days in which the ends of the intervals are.
Json interval_dates_json(const FinishTimes& of, const PlanResult& result) {
  if (!result.start) return nullptr;
  Json json;
  for (const std::size_t percent : result.percents) {
    const std::optional<Interval> ci95 = of.ci95_at(percent);
    Json& each = json[fmt::format("p{}", percent)] = nullptr;
    if (ci95)
      each = {to_text(day_after(*result.start, ci95->low)), to_text(day_after(*result.start, ci95->high))};
  }
  return json;
}

Json change_json(const Change& of) {
  Json json;
  json["by"] = json_of(of.by);
  json["ci95"] = json_of(of.ci95);
  return json;
}

Json outcome_json(const PlanOutcome& of, const PlanResult& result) {
  Json json;
  json["gpus"] = of.size.gpus;
  json["dp"] = of.size.replicas;
  json["hosts"] = of.size.hosts;
  json["spares"] = of.size.spares;
  json["global_batch"] = of.size.global_batch;
  json["steps"] = of.size.steps;
  json["crew"] = of.size.crew > 0 ? Json(of.size.crew) : Json(nullptr);
  const auto bandwidth = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  json["storage_write"] = bandwidth(of.size.storage_write);
  json["storage_read"] = bandwidth(of.size.storage_read);
  Json& settings = json["settings"] = Json::object();
  for (const Setting& setting : of.settings) settings[setting.path] = setting.value;
  Json& share = json["share_by_date"];
  share["value"] = json_of(of.by_date.value());
  share["ci95"] = json_of(of.by_date.ci95);
  share["n"] = of.by_date.runs;
  share["first_replica"] = of.first;
  json["runs_never_done"] = of.finish.never;
  json["runs_gave_up"] = of.gpu_hours.gave_up;
  json["finish_s"] = finish_json(of.finish, result);
  json["finish_ci95_s"] = intervals_json(of.finish, result);
  json["finish_date"] = dates_json(of.finish, result);
  json["cost"] = json_of(of.cost);
  json["gpu_hours"] = json_of(of.gpu_hours);
  return json;
}

Json optional_json(const std::optional<PlanOutcome>& of, const PlanResult& result) {
  return of ? outcome_json(*of, result) : Json(nullptr);
}

Json purchase_json(const Purchase& of) {
  Json json;
  json["what"] = of.what;
  json["share_by_date"] = change_json(of.share);
  json["finish_p95_s"] = change_json(of.p95);
  json["finish_mean_s"] = change_json(of.mean);
  json["cost"] = change_json(of.cost);
  return json;
}

Json tornado_json(const Tornado& of) {
  Json json;
  json["target"] = of.target;
  json["interval"] = kIntervalCovers;
  json["replicas"] = of.replicas;
  json["fields"] = Json::array();
  for (const Sensitivity& bar : of.bars) {
    Json field;
    field["path"] = bar.path;
    field["low"] = bar.low;
    field["high"] = bar.high;
    field["at_low"] = change_json(bar.at_low);
    field["at_high"] = change_json(bar.at_high);
    json["fields"].push_back(std::move(field));
  }
  return json;
}

Json metric_json(const UncertainMetric& of) {
  Json json;
  json["known"] = json_of(of.known);
  json["mean"] = json_of(of.mean);
  json["ci95"] = json_of(of.ci95);
  json["parameter_variance"] = of.parameter_variance;
  json["run_variance"] = of.run_variance;
  json["p5"] = json_of(of.p5);
  json["p50"] = json_of(of.p50);
  json["p95"] = json_of(of.p95);
  if (of.gave_up > 0) {
    json["gave_up"] = of.gave_up;
    json["runs"] = of.runs;
  }
  return json;
}

Json step_error_json(const std::optional<StepTimeError>& of) {
  if (!of) return nullptr;
  Json json;
  json["stack"] = of->stack;
  json["median"] = of->median();
  json["low"] = of->low;
  json["high"] = of->high;
  json["degrees"] = of->degrees;
  json["steps"] = of->steps;
  json["publications"] = of->sources;
  json["other_stacks_steps"] = of->other_steps;
  json["other_stacks_publications"] = of->other_sources;
  json["beyond"] = of->beyond;
  return json;
}

/// The largest share first; null where no run differs from another.
Json sources_json(const Uncertainty& of) {
  if (!of.finish_variance) return nullptr;
  Json json;
  json["variance_s2"] = of.finish_variance->variance;
  json["shares"] = Json::array();
  for (const RankedSource& source : ranked_sources(of)) {
    Json each;
    each["source"] = source.name;
    each["share"] = source.share;
    each["ci95"] = json_of(source.ci95);
    json["shares"].push_back(std::move(each));
  }
  return json;
}

Json uncertainty_json(const std::optional<Uncertainty>& of, const PlanResult& result) {
  if (!of) return nullptr;
  Json json;
  json["interval"] = kWithParameters;
  json["draws"] = of->draws;
  json["replicas_each"] = of->replicas_each;
  json["share_by_date"] = json_of(of->share_by_date);
  json["share_by_date_ci95_monte_carlo"] = json_of(of->share_ci95);
  json["runs_never_done"] = of->finish.never;
  json["runs"] = of->finish.runs;
  json["finish_s"] = finish_json(of->finish, result);
  json["finish_ci95_s_monte_carlo"] = intervals_json(of->finish, result);
  json["finish_date"] = dates_json(of->finish, result);
  json["finish_date_ci95_monte_carlo"] = interval_dates_json(of->finish, result);
  json["finish_sources"] = sources_json(*of);
  json["step_time_error"] = step_error_json(of->step_error);
  json["metrics"] = Json::object();
  for (const UncertainMetric& metric : of->metrics) json["metrics"][metric.name] = metric_json(metric);
  json["parameters"] = Json::array();
  for (const UncertainParameter& parameter : of->parameters) {
    Json each;
    each["path"] = parameter.path;
    each["given"] = parameter.given;
    each["low"] = parameter.low;
    each["high"] = parameter.high;
    each["distribution"] = parameter.distribution;
    if (!parameter.cut.empty()) each["cut"] = parameter.cut;
    json["parameters"].push_back(std::move(each));
  }
  return json;
}

}  // namespace

std::string to_json(const PlanResult& result) {
  Json json;
  json["command"] = "plan";
  json["scenario"] = result.facts.name;
  json["version"] = result.facts.version;
  json["seed"] = result.facts.seed;
  json["currency"] = result.facts.currency;
  json["tokens"] = result.tokens;
  json["finish_by_s"] = json_of(result.finish_by_s);
  json["start"] = result.start ? Json(to_text(*result.start)) : Json(nullptr);
  json["confidence"] = result.confidence;
  json["replicas"] = result.replicas;
  if (result.interrupted) json["interrupted"] = true;
  json["interval"] = kIntervalCovers;
  json["as_given"] = outcome_json(result.as_given, result);
  json["enough"] = optional_json(result.enough, result);
  json["too_few_runs"] = result.too_few;
  json["best"] = optional_json(result.best, result);
  json["best_by_s"] = json_of(result.best_by_s);
  json["one_more"] = Json::array();
  for (const Purchase& purchase : result.one_more) json["one_more"].push_back(purchase_json(purchase));
  json["enough_one_more"] = Json::array();
  for (const Purchase& purchase : result.enough_one_more)
    json["enough_one_more"].push_back(purchase_json(purchase));
  json["levers"] = json_of(result.levers);
  json["sensitivity"] = tornado_json(result.tornado);
  json["uncertainty"] = uncertainty_json(result.uncertainty, result);
  json["enough_uncertainty"] = uncertainty_json(result.enough_uncertainty, result);
  json["best_uncertainty"] = uncertainty_json(result.best_uncertainty, result);
  json["notes"] = result.notes;
  return document(json);
}

}  // namespace gauntlet
