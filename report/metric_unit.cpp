#include "report/metric_unit.hpp"

#include "study/summary/metrics.hpp"

#include <fmt/format.h>

namespace gauntlet {

Unit metric_unit(std::string_view metric, double size, const std::string& currency) {
  if (is_share(metric)) return percent();
  if (metric == "goodput_tokens_per_s") return amount_unit(size, "tokens/s");
  if (metric == "cost.per_effective_gpu_hour") return {.divisor = 1, .name = currency, .decimals = 2};
  if (metric.starts_with("cost")) return amount_unit(size, currency);
  if (is_time(metric)) return time_unit(size);
  return amount_unit(size, "");
}

std::string missed_text(std::string_view metric, double reached, double asked, const std::string& currency) {
  constexpr int kFewestDigits = 2, kMostDigits = 9;
  const Unit unit = metric_unit(metric, asked, currency);
  const auto digits = [&](double value, int count) {
    return fmt::format("{:.{}g}{}{}", value / unit.divisor, count,
                       unit.name.empty() || unit.name == "%" ? "" : " ", unit.name);
  };
  std::string text;
  for (int count = kFewestDigits; count <= kMostDigits; ++count) {
    text = digits(reached, count);
    if (text != digits(asked, count)) break;
  }
  return fmt::format("{} +- {} on the longer side of its interval, and +- {} was asked for", metric, text,
                     digits(asked, kMostDigits));
}

}  // namespace gauntlet
