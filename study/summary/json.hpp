// JSON of what all studies report. Keys keep their order, so that the same results are the same bytes.
#pragma once

#include "study/summary/facts.hpp"
#include "study/summary/summary.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace gauntlet {

using Json = nlohmann::ordered_json;

/// null where there is none.
Json json_of(std::optional<double> value);
/// [low, high], or null.
Json json_of(const std::optional<Interval>& interval);
/// {"mean", "sd", "se", "ci95": [low, high], "p1", "p5", "p50", "p95", "p99", "worst_5_mean", "n"}; what is unknown is null. Where runs gave up, a metric of
/// whole runs has their number in "gave_up": a percentile among them is null.
Json json_of(const Statistics& of);
/// {"ettr": {"mean", ...}, ...}: every metric, in their order.
Json metrics_json(const Summary& summary);
/// {"handled_share", "recall", ..., "by_kind": {FAULT: {"met", "detected", ...}, ...}}: the means of what the metrics say of
/// detection.
Json detection_json(const Summary& summary);
/// {"name", "gpus", "gpus_held", "hosts", "spares", "window_s", "steps"}: what sets scenarios of one study apart.
Json facts_json(const ScenarioFacts& facts);
/// {"checkpoint.interval": "10min", ...}
Json settings_json(std::span<const std::pair<std::string, std::string>> settings);

/// With two spaces of indent and a newline at the end. Bytes that are not UTF-8 are replaced.
std::string document(const Json& json);
/// The same with an array of so many elements in the place of `key`, which is null in `json`. Each element is made and written alone: a tree
/// of points takes several times as much memory as its text.
std::string document(const Json& json, const std::string& key, std::size_t elements,
                     const std::function<Json(std::size_t)>& element);

}  // namespace gauntlet
