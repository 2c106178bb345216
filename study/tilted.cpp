#include "study/tilted.hpp"

#include "core/math/elementary.hpp"
#include "study/mean_interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace gauntlet {
namespace {

/// The balance heuristic: p / ((p + q) / 2).
double weight_of(const Figures& figures, double tilt) {
  const double tilted_over_own =
      math_exp(figures.tiltable_strikes * math_log(tilt) - (tilt - 1) * figures.tiltable_expected);
  return 2 / (1 + tilted_over_own);
}

}  // namespace

void tilt_faults(World& world, double tilt) {
  for (FaultKind& kind : world.faults) {
    if (!can_be_tilted(kind)) continue;
    kind.life = kind.life.scaled(1 / tilt);
    kind.tilt *= tilt;
  }
}

std::shared_ptr<const Point> tilted(const Point& point, double tilt) {
  auto out = std::make_shared<Point>(point);
  tilt_faults(out->scenario.world, tilt);
  out->tilt *= tilt;
  out->label = fmt::format("stops {:.4g} times as often", tilt);
  out->text += fmt::format("# with stops {} times as often, and weights\n", tilt);
  return out;
}

RareShare rare_share(const Experiment& experiment, PointNumber point, PointNumber tilted, std::uint32_t count,
                     const std::function<bool(const Figures&)>& happened) {
  const double tilt = experiment.point(tilted).tilt;
  RareShare out;
  out.runs = 2 * count;
  if (count == 0) return out;
  // Replica i of both has the same streams, so the two are one value.
  std::vector<double> values(count, 0);
  for (const PointNumber each : {point, tilted}) {
    std::size_t next = 0;
    experiment.visit(each, count, [&](std::uint32_t, const Figures& figures) {
      const bool hit = happened(figures);
      out.hits += hit ? 1 : 0;
      values[next++] += hit ? weight_of(figures, tilt) / 2 : 0;
    });
  }
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  out.share = std::min(1.0, sum / count);
  if (count < 2) return out;
  ResidualMoments residuals;
  for (const double value : values) residuals.add(value - sum / count);
  out.se = residuals.deviation() / std::sqrt(static_cast<double>(count));
  if (sum * sum <= kFewestEffective * squares) return out;  // nothing, where no run is a hit
  const Interval interval = mean_interval(sum / count, out.se, residuals, count - 1.0);
  out.ci95 = Interval{std::clamp(interval.low, 0.0, 1.0), std::clamp(interval.high, 0.0, 1.0)};
  return out;
}

double tilt_that_moves(const Experiment& experiment, PointNumber point, std::uint32_t count,
                       const std::function<double(const Figures&)>& value, double by) {
  double mean_strikes = 0, mean_value = 0, products = 0, squares = 0, n = 0;
  experiment.visit(point, count, [&](std::uint32_t, const Figures& figures) {
    const double strikes = figures.tiltable_strikes - figures.tiltable_expected, of = value(figures),
                 away = strikes - mean_strikes;
    n += 1;
    mean_strikes += away / n;
    mean_value += (of - mean_value) / n;
    products += away * (of - mean_value);
    squares += away * (strikes - mean_strikes);
  });
  // The variance of a compensated count is what was expected, so that is also by how many a tilt of 2 would move it.
  if (!(squares > 0) || products == 0) return 1;
  const double tilt = 1 + by / (products / squares) / (squares / (n - 1));
  return std::clamp(tilt, 1 / kMostTilt, kMostTilt);
}

}  // namespace gauntlet
