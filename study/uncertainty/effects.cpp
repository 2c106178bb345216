#include "study/uncertainty/effects.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {

std::optional<DrawEffect> effect_of(std::span<const double> given, std::span<const double> drawn) {
  if (drawn.empty()) return std::nullopt;
  const double n = static_cast<double>(drawn.size());
  DrawEffect out;
  for (std::size_t i = 0; i < drawn.size(); ++i) out.effect += (drawn[i] - given[i]) / n;
  double squares = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const double residual = drawn[i] - given[i] - out.effect;
    squares += residual * residual;
  }
  if (n > 1) out.variance = squares / (n - 1) / n;
  return out;
}

DrawEffects summed_up(std::span<const std::optional<DrawEffect>> effects) {
  DrawEffects out;
  double mean = 0, known = 0, scattered = 0, by_chance = 0, squares = 0;
  for (const auto& each : effects) {
    if (!each) continue;
    ++known;
    mean += each->effect;
    if (!each->variance) continue;
    ++scattered;
    by_chance += *each->variance;
  }
  if (known > 0) mean /= known;
  if (scattered > 0) by_chance /= scattered;
  for (const auto& each : effects)
    if (each) squares += (each->effect - mean) * (each->effect - mean);
  const double total = known > 1 ? squares / (known - 1) : 0;
  out.variance_by_runs = known > 0 ? by_chance / known : 0;
  // What chance added to the scatter of the effects is taken out of it again.
  const double shrink = total > 0 ? std::sqrt(std::max(0.0, total - by_chance) / total) : 0;
  for (const auto& each : effects) out.each.push_back(each ? mean + shrink * (each->effect - mean) : mean);
  return out;
}

}  // namespace gauntlet
