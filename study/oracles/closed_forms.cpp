#include "study/oracles/closed_forms.hpp"

#include "core/contract.hpp"
#include "core/math/elementary.hpp"
#include "core/math/special.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

double period(const TwoLevelPoint& of, double last_checkpoint) {
  const double rate = of.light + of.grave;
  const double segment = of.work / of.segments;
  double fixed = 0, again = 0;  // T_i = fixed + again T_0, from the last segment to the first
  for (std::uint32_t i = of.segments; i-- > 0;) {
    const double length = segment + (i + 1 == of.segments ? last_checkpoint : of.quick);
    const double fails = -math_expm1(-rate * length);
    const double own = 1 - fails * of.light / rate;
    fixed = (fails / rate + (1 - fails) * fixed) / own;
    again = ((1 - fails) * again + fails * of.grave / rate) / own;
  }
  return fixed / (1 - again);
}

}  // namespace

double segment_time(const SegmentPoint& of) {
  return math_exp(of.restart / of.mtbf) * (of.mtbf + of.down) *
         math_expm1((of.work + of.checkpoint) / of.mtbf);
}

double first_start_time(const SegmentPoint& of) {
  return (of.mtbf + of.down) * math_expm1(of.restart / of.mtbf);
}

double segment_time_on_training_clock(const SegmentPoint& of) {
  return (of.mtbf + of.down + of.restart) * math_expm1((of.work + of.checkpoint) / of.mtbf);
}

double two_level_period(const TwoLevelPoint& of) { return period(of, of.safe); }
double two_level_last_period(const TwoLevelPoint& of) { return period(of, 0); }

double stall_with_crews(std::uint32_t active, std::uint32_t spares, std::uint32_t crews, double failure,
                        double repair) {
  double weight = 1, sum = 1;
  for (std::uint32_t out = 0; out <= spares; ++out) {
    weight *= active * failure / (std::min(out + 1, crews) * repair);
    sum += weight;
  }
  return weight / sum;
}

double weibull_cv2(double shape) {
  const double mean = gamma_function(1 + 1 / shape);
  return gamma_function(1 + 2 / shape) / (mean * mean) - 1;
}

double weibull_count_variance(double shape, double lives) {
  const double mean = gamma_function(1 + 1 / shape);
  const double cv2 = weibull_cv2(shape);
  const double third = gamma_function(1 + 3 / shape) / (mean * mean * mean) - 3 * cv2 - 1;
  return cv2 * lives + 1.0 / 6 + cv2 * cv2 / 2 - third / 3;
}

CountMoments erlang2_counts(double lives) {
  const double events = 2 * lives;
  const double odd = -math_expm1(-2 * events) / 2;
  // The Poisson count is twice the renewals and one where it is odd; it has the covariance x exp(-2x) with that.
  return {.mean = (events - odd) / 2,
          .variance = (events + odd * (1 - odd) - 2 * events * math_exp(-2 * events)) / 4};
}

}  // namespace gauntlet
