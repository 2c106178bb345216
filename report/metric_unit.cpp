#include "report/metric_unit.hpp"

#include "study/summary/metrics.hpp"

namespace gauntlet {

Unit metric_unit(std::string_view metric, double size, const std::string& currency) {
  if (is_share(metric)) return percent();
  if (metric == "goodput_tokens_per_s") return amount_unit(size, "tokens/s");
  if (metric == "cost.per_effective_gpu_hour") return {.divisor = 1, .name = currency, .decimals = 2};
  if (metric.starts_with("cost")) return amount_unit(size, currency);
  if (is_time(metric)) return time_unit(size);
  return amount_unit(size, "");
}

}  // namespace gauntlet
