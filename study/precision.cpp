#include "study/precision.hpp"

#include "config/toml/nearest.hpp"
#include "study/field_range.hpp"
#include "study/option_problem.hpp"
#include "study/summary/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

ParsedPrecision parse_precision(std::string_view text, const ScenarioFacts& facts) {
  const std::string option = "--precision", what = fmt::format("\"{}\"", text);
  const std::size_t equals = text.find('=');
  // A half-width alone is that of the answer.
  const std::string metric(equals == std::string_view::npos ? "ettr" : text.substr(0, equals));
  std::vector<std::string> known;
  for (const Metric& each : metrics_of(facts)) known.push_back(each.name);
  if (std::ranges::find(known, metric) == known.end()) {
    const std::optional<std::string> near = nearest_name(metric, known);
    return {
        .goal = {},
        .problem = option_problem(option, what, fmt::format("names no metric: there is no \"{}\"", metric),
                                  near ? fmt::format("did you mean \"{}\"?", *near)
                                       : "`gauntlet list metrics` names them, such as ettr or wall_time_s")};
  }
  const std::vector<Metric> all = metrics_of(facts);
  const auto named = std::ranges::find(all, metric, &Metric::name);
  if (named->pool)
    return {.goal = {},
            .problem = option_problem(option, what,
                                      "names a quantile of all latencies together, which has no interval",
                                      "choose a mean, such as detection_latency_s")};
  std::string_view value = equals == std::string_view::npos ? text : text.substr(equals + 1);
  const std::string_view named_metric = text.substr(0, text.size() - value.size());  // "ettr=", or nothing
  double unit = 1;
  if (value.ends_with('%')) {
    value.remove_suffix(1);
    unit = 0.01;
  }
  const bool in_seconds = is_time(metric);
  const std::string example = fmt::format(fmt::runtime(in_seconds         ? "{0}=3600 or {0}=1h"
                                                       : is_share(metric) ? "{0}=0.002 or {0}=0.2%"
                                                                          : "{0}=0.5"),
                                          metric);
  if (unit != 1 && !is_share(metric))
    return {.goal = {},
            .problem = option_problem(option, what, fmt::format("has a %, and {} is not a share", metric),
                                      "write the half-width in its own unit, for example " + example)};
  std::optional<double> number = number_of(value, FieldKind::number);
  if (number) *number *= unit;
  if (!number && in_seconds && unit == 1) number = number_of(value, FieldKind::duration);
  if (!number && equals == std::string_view::npos)
    return {.goal = {},
            .problem = option_problem(
                option, what,
                std::ranges::find(known, text) != known.end() ? "has no value" : "is not a half-width",
                "write --precision ettr=0.002, or --precision 0.2%")};
  if (!number || !(*number > 0))
    return {.goal = {},
            .problem = option_problem(option, what, "is not a half-width",
                                      "write a number above zero, for example " + example)};
  if (is_share(metric) && *number >= 1)
    return {.goal = {},
            .problem = option_problem(
                option, what,
                fmt::format("is a half-width of {:g} percentage points, which every interval of {} has",
                            100 * *number, metric),
                unit == 1 ? fmt::format("write it as a percentage, such as {}0.05%", named_metric)
                          : fmt::format("ask for less, such as {}0.05%", named_metric))};
  std::string note;
  if (is_share(metric) && unit == 1)
    note = fmt::format(
        "--precision {} asks for a half-width of {:g} percentage points; {}{}% would ask for {} points.",
        text, 100 * *number, named_metric, value, value);
  return {
      .goal = PrecisionGoal{.metric = metric, .half_width = *number}, .note = std::move(note), .problem = {}};
}

}  // namespace gauntlet
