// What draws of the parameters do to a figure: paired differences, and what of their scatter is chance.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace gauntlet {

/// Enough runs to be combined with every draw; more would change no digit that is shown.
inline constexpr std::size_t kMostCombined = 2000;

/// The effect of one draw, from paired runs, and the variance of that effect by chance.
struct DrawEffect {
  double effect = 0;
  std::optional<double> variance = std::nullopt;  // unknown of fewer than two runs
};

/// The mean of drawn - given, run i of both having met the same faults. Nothing without runs.
std::optional<DrawEffect> effect_of(std::span<const double> given, std::span<const double> drawn);

/// What the draws do to a figure: one effect a draw.
struct DrawEffects {
  std::vector<double>
      each;  // without what chance adds to their scatter; the mean of the others where it is unknown
  double variance_by_runs = 0;  // of the mean effect: what the runs leave to chance
};

/// One-way analysis of variance (Searle, Casella and McCulloch, Variance Components, 1992, sec. 3.6); the effects are of
/// different runs.
DrawEffects summed_up(std::span<const std::optional<DrawEffect>> effects);

}  // namespace gauntlet
