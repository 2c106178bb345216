#include "report/metric_unit.hpp"

#include <algorithm>
#include <array>

namespace gauntlet {

Unit metric_unit(std::string_view metric, double size, const std::string& currency) {
  constexpr std::array<std::string_view, 5> kShares = {"ettr", "training_rate", "mfu", "gave_up",
                                                       "spares.waited"};
  constexpr std::array<std::string_view, 3> kSharesByName = {"recall", "precision", "handled_share"};
  const auto ends = [&](std::string_view name) { return metric.ends_with(name); };
  if (std::ranges::find(kShares, metric) != kShares.end()) return percent();
  if (std::ranges::any_of(kSharesByName, ends)) return percent();
  if (metric == "goodput_tokens_per_s") return amount_unit(size, "tokens/s");
  if (metric == "cost.per_effective_gpu_hour") return {.divisor = 1, .name = currency, .decimals = 2};
  if (metric.starts_with("cost")) return amount_unit(size, currency);
  if (metric.ends_with("_s") || metric.starts_with("lost_s.")) return time_unit(size);
  return amount_unit(size, "");
}

}  // namespace gauntlet
