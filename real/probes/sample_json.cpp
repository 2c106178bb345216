#include "real/probes/sample_json.hpp"

#include <nlohmann/json.hpp>

namespace gauntlet {

void to_json(nlohmann::ordered_json& json, const PartSample& part) {
  json = {{"part", part.part},     {"kind", part.kind},           {"values", part.values},
          {"remark", part.remark}, {"neighbour", part.neighbour}, {"excuse", part.excuse}};
}

void from_json(const nlohmann::ordered_json& json, PartSample& part) {
  json.at("part").get_to(part.part);
  json.at("kind").get_to(part.kind);
  json.at("values").get_to(part.values);
  json.at("remark").get_to(part.remark);
  json.at("neighbour").get_to(part.neighbour);
  json.at("excuse").get_to(part.excuse);
}

void to_json(nlohmann::ordered_json& json, const ProbeSample& sample) {
  json = {{"parts", sample.parts},
          {"errors", sample.errors},
          {"unsupported", sample.unsupported},
          {"inconclusive", sample.inconclusive},
          {"facts", sample.facts}};
}

void from_json(const nlohmann::ordered_json& json, ProbeSample& sample) {
  json.at("parts").get_to(sample.parts);
  json.at("errors").get_to(sample.errors);
  json.at("unsupported").get_to(sample.unsupported);
  json.at("inconclusive").get_to(sample.inconclusive);
  json.at("facts").get_to(sample.facts);
}

}  // namespace gauntlet
