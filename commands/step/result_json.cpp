#include "commands/step/result.hpp"
#include "study/summary/json.hpp"

#include <nlohmann/json.hpp>

namespace gauntlet {
namespace {

Json breakdown_json(const StepBreakdown& time) {
  Json json;
  json["compute"] = to_seconds(time.compute);
  json["recompute"] = to_seconds(time.recompute);
  json["bubble"] = to_seconds(time.bubble);
  json["tp"] = {{"bandwidth", to_seconds(time.tensor_bandwidth)},
                {"latency", to_seconds(time.latency)}};  // of cp and ep too
  json["cp"] = to_seconds(time.context);
  json["ep"] = to_seconds(time.expert);
  json["pp"] = to_seconds(time.pipeline);
  json["dp"] = to_seconds(time.data);
  json["optimizer"] = to_seconds(time.optimizer);
  json["exposed_communication"] = to_seconds(time.exposed_communication());
  return json;
}

Json memory_json(const StepMemory& memory) {
  return {{"weights_and_gradients_bytes", memory.weights.value},
          {"optimizer_bytes", memory.optimizer.value},
          {"activations_bytes", memory.activations.value},
          {"total_bytes", memory.total().value},
          {"capacity_bytes", memory.capacity.value}};
}

Json layout_json(const Layout& layout) {
  return {{"tp", layout.tp}, {"pp", layout.pp}, {"dp", layout.dp}, {"virtual_stages", layout.virtual_stages},
          {"cp", layout.cp}, {"ep", layout.ep}};
}

Json bandwidths_json(const StepReport& report) {
  Json json = Json::object();
  for (const StepBandwidth& each : report.bandwidths)
    json[std::string(short_name(each.dimension))] = {{"members", each.members},
                                                     {"bytes_per_s", each.healthy.value},
                                                     {"slowest_bytes_per_s", each.slowest.value},
                                                     {"over", each.over_nics ? "nics" : "nvlink"}};
  return json;
}

Json degraded_json(const Degradation& of) {
  return {{"said", of.said},
          {"component", of.component},
          {"kind", name_of(of.kind)},
          {"segment", of.segment.empty() ? Json(nullptr) : Json(of.segment)},
          {"value", of.value}};
}

Json critical_json(const std::optional<StepCritical>& critical) {
  if (!critical) return nullptr;
  return {{"host", critical->host ? Json(*critical->host) : Json(nullptr)},
          {"stage", critical->stage},
          {"replica", critical->replica},
          {"saves_s", to_seconds(critical->saves)},
          {"equally_late", critical->equally_late}};
}

}  // namespace

std::string_view short_name(Dimension dimension) {
  switch (dimension) {
    case Dimension::tensor:
      return "tp";
    case Dimension::context:
      return "cp";
    case Dimension::expert:
      return "ep";
    case Dimension::data:
      return "dp";
    case Dimension::pipeline:
      return "pp";
  }
  return "";
}

std::string_view name_of(DegradationKind kind) {
  switch (kind) {
    case DegradationKind::slow:
      return "slow";
    case DegradationKind::stall:
      return "stall";
    case DegradationKind::degrade:
      return "degrade";
    case DegradationKind::jitter:
      return "jitter";
  }
  return "";
}

std::string to_json(const StepReport& report) {
  Json json;
  json["command"] = "step";
  json["scenario"] = report.scenario;
  json["version"] = report.version;
  json["gpus"] = report.gpus();
  json["network"] = report.network;
  json["step_time_s"] = report.seconds();
  json["formula_s"] = to_seconds(report.formula);
  json["healthy_step_time_s"] = to_seconds(report.healthy);
  if (report.factor != 1) json["step_time_factor"] = report.factor;
  json["slowdown"] = report.slowdown();
  json["mfu"] = report.mfu;
  json["tflops_per_gpu"] = report.flops_per_gpu() / 1e12;
  json["model_flops"] = report.model_flops.value;
  json["tokens_per_s"] = report.tokens_per_s();
  json["bubble_share"] = report.bubble_share();
  json["micro_batches"] = report.micro_batches;
  json["memory_per_gpu"] = memory_json(report.memory);
  json["breakdown"] = breakdown_json(report.time);
  json["critical"] = critical_json(report.critical);
  json["layout"] = layout_json(report.layout);
  json["bandwidths"] = bandwidths_json(report);
  Json& degraded = json["degraded"] = Json::array();
  for (const Degradation& each : report.degraded) degraded.push_back(degraded_json(each));
  return document(json);
}

}  // namespace gauntlet
