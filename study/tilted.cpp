#include "study/tilted.hpp"

#include "core/math/elementary.hpp"
#include "core/math/special.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

bool is_tilted(const FaultKind& kind) {
  return kind.life.name() == "exponential" && kind.trace.empty() && kind.clock != FaultClock::start;
}

}  // namespace

bool can_be_tilted(const Point& point) { return std::ranges::any_of(point.scenario.world.faults, is_tilted); }

void tilt_faults(World& world, double tilt) {
  for (FaultKind& kind : world.faults) {
    if (!is_tilted(kind)) continue;
    kind.life = kind.life.scaled(1 / tilt);
    kind.tilt *= tilt;
  }
}

std::shared_ptr<const Point> tilted(const Point& point, double tilt) {
  auto out = std::make_shared<Point>(point);
  tilt_faults(out->scenario.world, tilt);
  out->tilt *= tilt;
  out->label = fmt::format("faults {} times as often", tilt);
  out->text += fmt::format("# with faults {} times as often, and weights\n", tilt);
  return out;
}

RareShare rare_share(const Experiment& experiment, PointNumber point, std::uint32_t first,
                     std::uint32_t count, const std::function<bool(const Figures&)>& happened) {
  RareShare out;
  for (const FaultKind& kind : experiment.point(point).scenario.world.faults)
    if (is_tilted(kind)) out.tilt = kind.tilt;
  double mean = 0, squares = 0;
  experiment.visit(point, first, count, [&](std::uint32_t, const Figures& figures) {
    const bool hit = happened(figures);
    out.hits += hit ? 1 : 0;
    const double weight = hit ? math_exp(figures.log_weight) : 0, before = weight - mean;
    mean += before / ++out.runs;
    squares += before * (weight - mean);
  });
  out.share = mean;
  if (count < 2) return out;
  out.se = std::sqrt(squares / (count - 1.0) / count);
  if (out.hits < kFewestWeighted) return out;
  const double half_width = student_t_quantile(0.975, count - 1.0) * out.se;
  out.ci95 = Interval{std::max(0.0, mean - half_width), std::min(1.0, mean + half_width)};
  return out;
}

double tilt_that_moves(const Experiment& experiment, PointNumber point, std::uint32_t count,
                       const std::function<double(const Figures&)>& value, double by) {
  const World& world = experiment.point(point).scenario.world;
  double counts = 0, values = 0, products = 0, squares = 0, n = 0;
  experiment.visit(point, count, [&](std::uint32_t, const Figures& figures) {
    double sum = 0;
    for (std::size_t kind = 0; kind < world.faults.size(); ++kind)
      if (is_tilted(world.faults[kind])) sum += figures.compensated[kind];
    const double of = value(figures), away = sum - counts;
    n += 1;
    counts += away / n;
    values += (of - values) / n;
    products += away * (of - values);
    squares += away * (sum - counts);
  });
  // The variance of a compensated count is what was expected, so that is also by how many a tilt of 2 would move it.
  if (!(squares > 0) || products == 0) return 1;
  const double tilt = 1 + by / (products / squares) / (squares / (n - 1));
  return std::clamp(tilt, 1 / kMostTilt, kMostTilt);
}

}  // namespace gauntlet
