#include "study/uncertainty_effects.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {
namespace {

Fraction sum_of(std::span<const Fraction> values) {
  Fraction sum{.numerator = 0, .denominator = 0};
  for (const Fraction& each : values) {
    sum.numerator += each.numerator;
    sum.denominator += each.denominator;
  }
  return sum;
}

/// The replicas are the same for every draw, so what chance leaves in the mean effect does not become less with more draws:
/// the variance of that mean over replicas.
double common_variance(std::span<const std::optional<DrawEffect>> effects, double known) {
  std::vector<double> of_replica;
  for (const auto& each : effects) {
    if (!each) continue;
    of_replica.resize(std::max(of_replica.size(), each->residuals.size()));
    for (std::size_t i = 0; i < each->residuals.size(); ++i) of_replica[i] += each->residuals[i] / known;
  }
  const double n = static_cast<double>(of_replica.size());
  double squares = 0;
  for (const double each : of_replica) squares += each * each;
  return n > 1 ? squares / (n - 1) / n : 0;
}

}  // namespace

std::optional<DrawEffect> effect_of(std::span<const Fraction> base, std::span<const Fraction> drawn) {
  const auto before = sum_of(base).value(), after = sum_of(drawn).value();
  if (!before || !after) return std::nullopt;
  const double n = static_cast<double>(base.size());
  const double base_size = sum_of(base).denominator / n, drawn_size = sum_of(drawn).denominator / n;
  DrawEffect out{.effect = *after - *before};
  double squares = 0;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const double a = (base[i].numerator - *before * base[i].denominator) / base_size;
    const double b = (drawn[i].numerator - *after * drawn[i].denominator) / drawn_size;
    squares += (b - a) * (b - a);
    out.residuals.push_back(b - a);
  }
  if (n > 1) out.variance = squares / (n - 1) / n;
  return out;
}

DrawEffects summed_up(std::span<const std::optional<DrawEffect>> effects) {
  DrawEffects out;
  double known = 0, scattered = 0, by_chance = 0, squares = 0;
  for (const auto& each : effects) {
    if (!each) continue;
    ++known;
    out.mean += each->effect;
    if (!each->variance) continue;
    ++scattered;
    by_chance += *each->variance;
  }
  out.unknown = effects.size() - static_cast<std::size_t>(known);
  if (known > 0) out.mean /= known;
  if (scattered > 0) by_chance /= scattered;
  for (const auto& each : effects)
    if (each) squares += (each->effect - out.mean) * (each->effect - out.mean);
  const double total = known > 1 ? squares / (known - 1) : 0;
  out.variance = std::max(0.0, total - by_chance);
  out.variance_by_runs = common_variance(effects, known);
  out.variance_of_mean = (known > 0 ? total / known : 0) + out.variance_by_runs;
  // What chance added to the scatter of the effects is taken out of it again.
  const double shrink = total > 0 ? std::sqrt(out.variance / total) : 0;
  for (const auto& each : effects)
    out.each.push_back(each ? out.mean + shrink * (each->effect - out.mean) : out.mean);
  return out;
}

}  // namespace gauntlet
