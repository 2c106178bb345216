// What is measured, a line for each, for people who look for the name of a metric.
#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace gauntlet {

/// Every name of `metrics_of` (study/summary/metrics.hpp, which defines them), in its order, and what it is. One for each
/// phase, cause or fault stands for all of them: "lost_s.<phase>".
std::span<const std::pair<std::string_view, std::string_view>> metric_words();

}  // namespace gauntlet
