#include "commands/tune/bound.hpp"

#include "config/toml/nearest.hpp"
#include "core/infinity.hpp"
#include "core/quantity.hpp"
#include "core/text.hpp"
#include "study/statistics.hpp"
#include "study/value_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <tuple>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::string_view kSubjectTo = "--subject-to";
constexpr std::string_view kExample = "write for example --subject-to 'wall_time_s.p95<60d'";

constexpr std::array<std::pair<std::string_view, Statistic>, 4> kStatistics = {
    {{"mean", Statistic::mean}, {"p5", Statistic::p5}, {"p50", Statistic::p50}, {"p95", Statistic::p95}}};

Problem wrong_bound(std::string what, std::string why, std::string suggestion,
                    std::string_view option = kSubjectTo) {
  return {.file = std::string(option),
          .what = std::move(what),
          .why = std::move(why),
          .suggestion = std::move(suggestion)};
}

Parsed<double> plain_limit(std::string_view text) {
  const bool percentage = text.ends_with('%');
  const std::string_view digits = trimmed(text.substr(0, text.size() - (percentage ? 1 : 0)));
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value))
    return {std::nullopt, "is not a number", "write a number, or a percentage such as 1%"};
  return {percentage ? value / 100 : value, "", ""};
}

Parsed<double> parse_limit(std::string_view text, std::string_view metric, std::string_view currency) {
  if (is_time(metric)) return parse_seconds(text);
  if (metric.starts_with("cost")) {
    const Parsed<Price> price = parse_price(text);
    if (!price.value) return {std::nullopt, price.why, price.suggestion};
    if (price.value->amount.value > 0 && price.value->currency != currency)
      return {std::nullopt,
              fmt::format("is in {}, and the scenario's costs are in {}", price.value->currency, currency),
              fmt::format("write the limit in {}; no exchange rates are known", currency)};
    return {price.value->amount.value, "", ""};
  }
  return plain_limit(text);
}

/// "wall_time_s.p95" in its parts. A metric whose own name ends so comes first.
std::pair<std::string, Statistic> split_figure(std::string_view text, std::span<const std::string> metrics) {
  if (std::find(metrics.begin(), metrics.end(), text) == metrics.end())
    for (const auto& [name, statistic] : kStatistics)
      if (text.ends_with(name) && text.size() > name.size() && text[text.size() - name.size() - 1] == '.')
        return {std::string(text.substr(0, text.size() - name.size() - 1)), statistic};
  return {std::string(text), Statistic::mean};
}

/// Of a metric with something behind it that is not a statistic, or where none can be: "wall_time_s.p90".
std::optional<Problem> problem_of_statistic(std::string_view text, std::span<const std::string> metrics,
                                            std::string_view option) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view metric = text.substr(0, dot), statistic = text.substr(dot + 1);
  if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) return std::nullopt;
  if (option == kSubjectTo)
    return wrong_bound(in_quotes(text), fmt::format("asks for a statistic that {} does not have", metric),
                       fmt::format("{0}.mean, {0}.p5, {0}.p50 and {0}.p95 are known", metric), option);
  return wrong_bound(in_quotes(text), "is not a metric: the objective is the mean of a metric",
                     fmt::format("write {} {}, and bound the statistic: --subject-to '{}.{}<...'", option,
                                 metric, metric, statistic),
                     option);
}

}  // namespace

std::string_view name_of(Statistic statistic) {
  return kStatistics[static_cast<std::size_t>(statistic)].first;
}

std::optional<double> statistic_of(std::span<const Fraction> values, Statistic statistic) {
  if (statistic == Statistic::mean) {
    double numerator = 0, denominator = 0;
    for (const Fraction& value : values) {
      numerator += value.numerator;
      denominator += value.denominator;
    }
    return denominator > 0 ? std::optional(numerator / denominator) : std::nullopt;
  }
  std::vector<double> own;
  std::uint64_t beyond = 0;
  for (const Fraction& value : values) {
    const auto of_one = value.value();
    if (of_one && std::isinf(*of_one))
      ++beyond;
    else if (of_one)
      own.push_back(*of_one);
  }
  if (own.empty() && beyond == 0) return std::nullopt;
  std::sort(own.begin(), own.end());
  const double p = statistic == Statistic::p5 ? 0.05 : statistic == Statistic::p50 ? 0.5 : 0.95;
  return quantile_below(own, beyond, p).value_or(kInfinity);
}

std::optional<Problem> problem_of_metric(std::string_view metric, std::span<const std::string> metrics,
                                         std::string_view option) {
  if (std::find(metrics.begin(), metrics.end(), metric) != metrics.end()) return std::nullopt;
  if (auto statistic = problem_of_statistic(metric, metrics, option)) return statistic;
  return wrong_bound(in_quotes(metric), "is not a metric", suggest_names(metric, metrics), option);
}

ParsedBound parse_bound(std::string_view text, std::span<const std::string> metrics,
                        std::string_view currency) {
  const std::size_t sign = text.find_first_of("<>");
  if (sign == std::string_view::npos)
    return {{}, wrong_bound(in_quotes(text), "has neither < nor >", std::string(kExample))};
  std::string_view limit = text.substr(sign + 1);
  if (limit.starts_with('=')) limit.remove_prefix(1);
  limit = trimmed(limit);
  if (limit.find_first_of("<>=") != std::string_view::npos)
    return {{}, wrong_bound(in_quotes(text), "has two signs", "give --subject-to once for each bound")};
  Bound bound;
  bound.text = std::string(trimmed(text));
  bound.upper = text[sign] == '<';
  std::tie(bound.metric, bound.statistic) = split_figure(trimmed(text.substr(0, sign)), metrics);
  if (auto wrong = problem_of_metric(bound.metric, metrics, kSubjectTo)) return {{}, std::move(wrong)};
  const Parsed<double> value = parse_limit(limit, bound.metric, currency);
  if (!value.value)
    return {{}, wrong_bound(fmt::format("\"{}\": \"{}\"", bound.text, limit), value.why, value.suggestion)};
  bound.limit = *value.value;
  return {std::move(bound), {}};
}

std::vector<std::string> metric_names(const ScenarioFacts& facts) {
  std::vector<std::string> names;
  for (Metric& metric : metrics_of(facts)) names.push_back(std::move(metric.name));
  return names;
}

}  // namespace gauntlet
