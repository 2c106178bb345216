#include "study/search/lowest.hpp"

#include "core/contract.hpp"

#include <nlopt.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace gauntlet {
namespace {

constexpr double kClose = 1e-5;     // of a logarithm: a thousandth of a percent of a setting
constexpr double kWithin = 1e-9;    // bounds are met as far as rounding allows
constexpr int kStepsPerAxis = 100;  // some 50 do where the bounds can be met; elsewhere it would never end

double call(const std::vector<double>& point, std::vector<double>&, void* response) {
  return (*static_cast<const Response*>(response))(point);
}

Position search(const Response& response, std::span<const Response> bounds, const Box& box, Position start) {
  nlopt::opt search(nlopt::LN_COBYLA, static_cast<unsigned>(start.size()));
  search.set_lower_bounds(box.low);
  search.set_upper_bounds(box.high);
  search.set_min_objective(call, const_cast<Response*>(&response));
  for (const Response& bound : bounds)
    search.add_inequality_constraint(call, const_cast<Response*>(&bound), kWithin);
  std::vector<double> steps(start.size());
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = std::max((box.high[i] - box.low[i]) / 4, kClose);
  search.set_initial_step(steps);
  search.set_xtol_abs(kClose);
  search.set_maxeval(kStepsPerAxis * static_cast<int>(start.size()));
  double reached = 0;
  try {
    search.optimize(start, reached);
  } catch (const nlopt::roundoff_limited&) {  // as near as it gets; `start` holds where that is
  }
  return box.nearest(std::move(start));
}

/// By how much the worst bound is broken.
double broken(std::span<const Response> bounds, const Position& point) {
  double most = 0;
  for (const Response& bound : bounds) most = std::max(most, bound(point));
  return most <= kWithin ? 0 : most;
}

}  // namespace

bool Box::holds(const Position& point) const {
  for (std::size_t i = 0; i < point.size(); ++i)
    if (!(point[i] >= low[i] && point[i] <= high[i])) return false;
  return true;
}

Position Box::nearest(Position point) const {
  for (std::size_t i = 0; i < point.size(); ++i) point[i] = std::clamp(point[i], low[i], high[i]);
  return point;
}

Position lowest(const Response& response, std::span<const Response> bounds, const Box& box,
                std::span<const Position> starts) {
  expect(!starts.empty(), "a search starts somewhere");
  std::optional<Position> best;
  double best_broken = 0, best_value = 0;
  const auto offer = [&](const Position& point) {
    const double breaks = broken(bounds, point), value = response(point);
    if (best && (breaks > best_broken || (breaks == best_broken && !(value < best_value)))) return;
    best = point;
    best_broken = breaks;
    best_value = value;
  };
  for (const Position& start : starts) {
    const Position inside = box.nearest(start);
    offer(inside);
    offer(search(response, bounds, box, inside));
  }
  return *best;
}

}  // namespace gauntlet
