#include "core/contract.hpp"
#include "core/math/elementary.hpp"
#include "policies/checkpoint/interval.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {
namespace {

/// Checkpoints that cost nothing would want no end of segments. A bound of the search and of the type, not of the model: a week
/// of steps of 600 ms has as many.
constexpr double kMostSegments = 1e6;

/// Of a period: Q = log prod_i (1 + (l2 / L) (exp(L d_i) - 1)), and its derivatives by the work of a segment.
struct Growth {
  double log, first, second;
};

class Periods {
 public:
  explicit Periods(const TwoLevels& levels)
      : levels_(levels),
        rate_(levels.quick_rate + levels.storage_rate),
        outlived_(levels.quick_rate / rate_) {
    expect(levels.storage_rate > 0 && levels.quick_rate >= 0, "some failures need storage");
  }

  /// Work over time.
  double efficiency(double segments, double w) const {
    return segments * w * levels_.storage_rate / math_expm1(growth(segments, w).log);
  }

  double first_order_work(double segments) const {
    const double cost = (segments - 1) * levels_.quick_cost + levels_.storage_cost;
    return std::sqrt(2 * cost / (levels_.quick_rate / segments + levels_.storage_rate)) / segments;
  }

  /// Newton's method on w Q'(w) - 1 + exp(-Q(w)), which rises with w: Q is convex.
  double best_work(double segments, double shortest) const {
    double w = first_order_work(segments);
    for (int step = 0; step < 50 && w > 0; ++step) {
      const Growth q = growth(segments, w);
      const double stay = -math_expm1(-q.log);
      const double next = std::max(w - (w * q.first - stay) / (q.first * stay + w * q.second), w / 2);
      const double change = std::fabs(next - w);
      w = next;
      if (change <= 1e-6 * w) break;  // it squares the error: the next would be below 1e-12
    }
    return std::max(w, shortest);
  }

 private:
  Growth growth(double segments, double w) const {
    const Growth quick = growth_of_one(w + levels_.quick_cost);
    const Growth last = growth_of_one(w + levels_.storage_cost);
    return {(segments - 1) * quick.log + last.log, (segments - 1) * quick.first + last.first,
            (segments - 1) * quick.second + last.second};
  }
  /// 1 + (l2 / L) (exp(L d) - 1) = exp(L d) (1 + (l1 / L) (exp(-L d) - 1)), which has no overflow.
  Growth growth_of_one(double d) const {
    const double rest = outlived_ * math_expm1(-rate_ * d);
    const double first = levels_.storage_rate / (1 + rest);
    return {rate_ * d + math_log1p(rest), first, first * (rate_ - first)};
  }

  TwoLevels levels_;
  double rate_;      // L
  double outlived_;  // l1 / L
};

}  // namespace

double two_level_efficiency(const TwoLevels& levels, const TwoLevelPlan& plan) {
  expect(plan.segments > 0, "a period has segments");
  return Periods(levels).efficiency(plan.segments, to_seconds(plan.segment));
}

TwoLevelPlan two_level_optimum(const TwoLevels& levels, Duration shortest) {
  expect(shortest > Duration::zero(), "segments take time");
  const Periods periods(levels);
  const double least = to_seconds(shortest);
  const auto efficiency = [&](double n) { return periods.efficiency(n, periods.best_work(n, least)); };

  const double ratio = levels.quick_rate * levels.storage_cost / levels.storage_rate;
  const double free = std::sqrt(2 * levels.storage_cost / levels.storage_rate) / least;
  const double first_order =
      levels.quick_cost > 0 ? std::fmin(std::sqrt(ratio / levels.quick_cost), free) : free;
  double n = std::clamp(std::floor(first_order + 0.5), 1.0, kMostSegments);
  double best = efficiency(n);
  const auto better = [&](double next) {
    const double there = next >= 1 && next <= kMostSegments ? efficiency(next) : -1;
    if (there <= best) return false;
    n = next;
    best = there;
    return true;
  };
  // Ever longer strides as long as they lead up, then ever shorter ones.
  for (double stride = 1; stride >= 1;)
    stride = better(n + stride) || better(n - stride) ? 2 * stride : std::floor(stride / 2);
  return {from_seconds(periods.best_work(n, least)), static_cast<std::uint32_t>(n)};
}

}  // namespace gauntlet
