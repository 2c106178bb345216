// A sample as JSON, from the process that took it to the one that judges it.
#pragma once

#include "real/probes/sample.hpp"

#include <nlohmann/json_fwd.hpp>

namespace gauntlet {

void to_json(nlohmann::ordered_json& json, const PartSample& part);
void from_json(const nlohmann::ordered_json& json, PartSample& part);
void to_json(nlohmann::ordered_json& json, const ProbeSample& sample);
void from_json(const nlohmann::ordered_json& json, ProbeSample& sample);

}  // namespace gauntlet
