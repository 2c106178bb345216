// Rare events by importance sampling: faults strike more often, and each run weighs as much less as its faults were more likely.
//
// A run whose faults were drawn at `tilt` times their rates has the likelihood ratio exp(Figures::log_weight). The mean of that
// ratio over the runs in which something happened is the probability of the thing at the true rates, without bias (Glynn and
// Iglehart, Management Science 35(11), 1989, https://doi.org/10.1287/mnsc.35.11.1367). Only kinds of exponential lives are
// tilted; whatever else happens is drawn as it is.
#pragma once

#include "study/experiment.hpp"
#include "study/point.hpp"
#include "study/summary/summary.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace gauntlet {

/// Makes every kind of exponential life strike `tilt` times as often.
void tilt_faults(World& world, double tilt);
/// The point with every kind of exponential life striking `tilt` times as often, above zero.
std::shared_ptr<const Point> tilted(const Point& point, double tilt);
/// Whether there is such a kind.
bool can_be_tilted(const Point& point);

/// Fewer runs in which it happened give no interval: their weights may be unlike those of the others.
inline constexpr std::uint32_t kFewestWeighted = 20;

/// The probability of something rare.
struct RareShare {
  double share = 0;
  double se = 0;
  std::optional<Interval> ci95;  // by Student's t, within [0, 1]; absent with fewer than kFewestWeighted hits
  std::uint32_t runs = 0, hits = 0;
  double tilt = 1;
};

/// Of `count` replicas of a tilted point, from `first` on: those in which it happened.
RareShare rare_share(const Experiment& experiment, PointNumber point, std::uint32_t first,
                     std::uint32_t count, const std::function<bool(const Figures&)>& happened);

/// By how much the mean of a value of a run is to be moved, `by`, as the regression of the value on the compensated counts of plain replicas
/// has it: the tilt that does so. Between 1/kMostTilt and kMostTilt; 1 where the counts do not move it.
inline constexpr double kMostTilt = 4;
double tilt_that_moves(const Experiment& experiment, PointNumber point, std::uint32_t count,
                       const std::function<double(const Figures&)>& value, double by);

}  // namespace gauntlet
