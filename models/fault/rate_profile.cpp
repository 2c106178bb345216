#include "models/fault/rate_profile.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gauntlet {
namespace {

constexpr Duration kDay = std::chrono::hours(24);

/// cos(2 pi x) for |x| <= 1/2, within a few units of the last place: 1 - 2 sin^2(pi x), the sine by its series, whose next
/// term is below 2^-59 of it. The C library's cosine differs between machines.
double cosine_of_turn(double x) {
  const double angle = std::numbers::pi * x, square = angle * angle;
  double sum = 1;
  for (int n = 20; n >= 2; n -= 2) sum = 1 - square * (1.0 / (n * (n + 1))) * sum;
  const double sine = angle * sum;
  return 1 - 2 * sine * sine;
}

}  // namespace

bool RateProfile::flat() const {
  const auto unit = [](const auto& each) { return each.factor == 1; };
  return (lemons.share == 0 || lemons.factor == 1) && daily.amplitude == 0 &&
         std::all_of(batches.begin(), batches.end(), unit) &&
         std::all_of(curve.begin(), curve.end(), [](const auto& point) { return point.second == 1; });
}

double RateProfile::of_day(Time at) const {
  const Duration since_peak = (at - kStart) % kDay - daily.peak % kDay;  // within a day, either way
  const double turns = static_cast<double>(since_peak.count()) / static_cast<double>(kDay.count());
  return 1 + daily.amplitude * cosine_of_turn(turns > 0.5 ? turns - 1 : turns < -0.5 ? turns + 1 : turns);
}

double RateProfile::accumulated(double seconds) const {
  const double day = to_seconds(kDay), peak = to_seconds(daily.peak);
  // Of the factor of the day alone: the cosine integrates to a sine, which is a cosine a quarter of a day later.
  const auto of_days = [&](double until) {
    if (daily.amplitude == 0) return until;
    const double turns = (until - peak) / day - 0.25;
    return until + daily.amplitude * day / (2 * std::numbers::pi) * cosine_of_turn(turns - std::round(turns));
  };
  double from = 0, height = 1, area = 0;
  for (const auto& [at, factor] : curve) {
    const double until = std::min(to_seconds(at - kStart), seconds);
    area += height * (of_days(until) - of_days(from));
    if (until == seconds) return area;
    from = until;
    height = factor;
  }
  return area + height * (of_days(seconds) - of_days(from));
}

double RateProfile::time_on_curve(double seconds) const {
  double from = 0, height = 1, area = 0;
  for (const auto& [at, factor] : curve) {
    const double until = to_seconds(at - kStart);
    const double more = (until - from) * height;
    if (area + more > seconds) break;
    area += more;
    from = until;
    height = factor;
  }
  return height > 0 ? from + (seconds - area) / height : kInfinity;
}

}  // namespace gauntlet
