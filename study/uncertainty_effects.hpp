// What draws of the parameters do to a figure: paired differences, and what of their scatter is chance.
#pragma once

#include "study/results/metrics.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace gauntlet {

/// Enough runs to be combined with every draw; more would change no digit that is shown.
inline constexpr std::size_t kMostCombined = 2000;

/// The effect of one draw, from paired replicas, and the variance of that effect by chance.
struct DrawEffect {
  double effect = 0;
  std::optional<double> variance = std::nullopt;  // unknown of fewer than two replicas
  std::vector<double> residuals = {};             // what each replica adds to it, of mean zero
};

/// drawn - base, replica i of both having met the same faults. Nothing without replicas.
std::optional<DrawEffect> effect_of(std::span<const Fraction> base, std::span<const Fraction> drawn);

/// What the draws do to a figure: one effect a draw, and how much of their variance is chance.
struct DrawEffects {
  std::vector<double> each;  // without what chance adds to their scatter
  double mean = 0;
  double variance = 0;          // of the parameters alone, not below zero
  double variance_of_mean = 0;  // what draws and replicas leave to chance in `mean`
  double variance_by_runs = 0;  // the replicas' part of that: they are the same for every draw
  std::size_t unknown = 0;      // draws without an effect: they are given the mean of the others
};

/// One-way analysis of variance: Searle, Casella and McCulloch, Variance Components, 1992, sec. 3.6.
DrawEffects summed_up(std::span<const std::optional<DrawEffect>> effects);

}  // namespace gauntlet
