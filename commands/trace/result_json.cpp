#include "commands/trace/result.hpp"
#include "study/summary/json.hpp"

#include <nlohmann/json.hpp>

namespace gauntlet {
namespace {

Json source_json(const TraceSource& source) {
  Json json;
  json["file"] = source.file;
  json["format"] = source.format;
  json["read"] = source.read;
  json["used"] = source.used;
  json["rejected"] = source.rejected_count();
  json["rejected_by"] = Json::object();
  for (const auto& [reason, count] : source.rejected) json["rejected_by"][reason] = count;
  json["out_of_order"] = source.out_of_order;
  json["without_end"] = source.without_end;
  json["without_node"] = source.without_node;
  json["other_duration"] = source.other_duration;
  json["duplicates"] = source.duplicates;
  json["unread_columns"] = source.unread_columns;
  json["selection"] = source.selection;
  json["selected"] = source.selected;
  json["first"] = source.first;
  json["last"] = source.last;
  json["warnings"] = source.warnings;
  json["problems"] = Json::array();
  for (const Problem& problem : source.problems) json["problems"].push_back(problem.text());
  return json;
}

Json fit_json(const LawFit& fit) {
  Json json;
  json["law"] = fit.law;
  for (const auto& [name, value] : fit.parameters) json["parameters"][name] = value;
  json["shape_se"] = json_of(fit.shape_error);
  json["log_likelihood"] = fit.log_likelihood;
  json["aic"] = fit.aic;
  json["kolmogorov_smirnov"] = fit.kolmogorov_smirnov;
  json["anderson_darling"] = json_of(fit.anderson_darling);
  return json;
}

Json durations_json(const FittedDurations& durations) {
  Json json;
  json["of"] = durations.of.empty() ? "all" : durations.of;
  json["records"] = durations.records;
  json["count"] = durations.count;
  json["zeros"] = durations.zeros;
  json["mean_with_zeros_s"] = json_of(durations.mean_with_zeros_s);
  json["used"] = durations.used;
  json["mean_s"] = json_of(durations.mean_s);
  json["median_s"] = json_of(durations.median_s);
  json["variation"] = json_of(durations.variation);
  json["best"] = durations.best ? Json(durations.fits[*durations.best].law) : Json(nullptr);
  json["fits"] = Json::array();
  for (const LawFit& fit : durations.fits) json["fits"].push_back(fit_json(fit));
  return json;
}

Json all_json(const std::vector<FittedDurations>& all) {
  Json json = Json::array();
  for (const FittedDurations& durations : all) json.push_back(durations_json(durations));
  return json;
}

Json causes_json(const std::vector<CauseShare>& causes) {
  Json json = Json::object();
  for (const CauseShare& cause : causes) json[cause.cause] = cause.failures;
  return json;
}

Json node_json(const NodeShare& share) {
  Json json;
  json["system"] = share.system;
  json["failures"] = share.failures;
  json["nodes"] = share.nodes;
  json["nodes_stated"] = share.stated;
  json["top_1"] = {{"nodes", share.top_nodes_1}, {"share", share.on_top_1}};
  json["top_5"] = {{"nodes", share.top_nodes_5}, {"share", share.on_top_5}};
  json["dispersion"] = share.dispersion;
  json["p_value"] = json_of(share.p_value);
  return json;
}

}  // namespace

std::string to_json(const TraceFit& result) {
  Json json;
  json["command"] = "trace fit";
  json["version"] = result.source.version;
  json["source"] = source_json(result.source);
  json["zero_gaps"] = result.zeros;
  json["gaps_of"] = result.by_node ? "nodes" : "systems";
  json["causes"] = causes_json(result.causes);
  json["systems"] = all_json(result.systems);
  json["by_cause"] = all_json(result.by_cause);
  json["repairs"] = all_json(result.repairs);
  json["nodes"] = Json::array();
  for (const NodeShare& share : result.nodes) json["nodes"].push_back(node_json(share));
  json["warnings"] = result.warnings;
  return document(json);
}

std::string to_json(const TraceImport& result) {
  Json json;
  json["command"] = "trace import";
  json["version"] = result.source.version;
  json["source"] = source_json(result.source);
  json["out"] = result.out;
  json["written"] = result.written;
  json["without_node"] = result.without_node;
  json["zero_repairs"] = result.zero_repairs;
  json["hosts"] = result.hosts;
  json["origin"] = result.origin;
  json["causes"] = causes_json(result.causes);
  return document(json);
}

}  // namespace gauntlet
