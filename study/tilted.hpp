// Rare events by importance sampling: in half of the runs faults strike more often, and every run has a weight.
//
// Half of the runs are of the scenario as it is, half of a tilted one, whose stops come `tilt` times as often. A run of either
// half weighs p / ((p + q) / 2), where p and q are the likelihoods of its faults at their own rates and at the tilted ones (the
// balance heuristic: Veach and Guibas, SIGGRAPH 1995, https://doi.org/10.1145/218380.218498). No weight is above 2. So the mean weight of
// the runs in which something happened is its probability, and runs that are late by something else than many faults count as they
// are. Only kinds that can_be_tilted() are; whatever else happens is drawn as it is.
#pragma once

#include "study/experiment.hpp"
#include "study/point.hpp"
#include "study/summary/summary.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace gauntlet {

/// Makes kinds that can_be_tilted() strike `tilt` times as often, above zero.
void tilt_faults(World& world, double tilt);
/// The point with such faults.
std::shared_ptr<const Point> tilted(const Point& point, double tilt);

/// Fewer runs in which it happened, weighed by what they tell (the square of the sum of the weights over the sum of their squares;
/// Kish, Survey Sampling, 1965, sec. 8.2), give no interval.
inline constexpr double kFewestEffective = 10;

/// The probability of something rare.
struct RareShare {
  double share = 0;
  double se = 0;
  std::optional<Interval> ci95;      // study/mean_interval.hpp, within [0, 1]; absent below kFewestEffective
  std::uint32_t runs = 0, hits = 0;  // of both halves
};

/// Of the first `count` replicas of a point and of the same one tilted: those in which it happened.
RareShare rare_share(const Experiment& experiment, PointNumber point, PointNumber tilted, std::uint32_t count,
                     const std::function<bool(const Figures&)>& happened);

/// The tilt that moves the mean of a value of a run by `by`, as the regression of the value on the strikes of the first `count` replicas has
/// it. Between 1 / kMostTilt and kMostTilt; 1 where the strikes do not move the value.
inline constexpr double kMostTilt = 4;
double tilt_that_moves(const Experiment& experiment, PointNumber point, std::uint32_t count,
                       const std::function<double(const Figures&)>& value, double by);

}  // namespace gauntlet
