#include "commands/trace/fit/law_fit.hpp"
#include "core/contract.hpp"
#include "core/infinity.hpp"
#include "core/math/elementary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

/// log(weight / (1 - weight)), log of the first mean, log of the second: every point is a law.
using Point = std::array<double, 3>;

constexpr double kFarthestOdds = 30;  // a weight of 1e-13 is none
constexpr int kTrialSteps = 10;       // from each start, before the best one goes on
constexpr int kMostRounds = 2000;     // of two steps and an extrapolation; a tenth of it is common
constexpr double kConverged = 1e-9;   // a step's length, relative in each parameter

double weight_of(double odds) { return 1 / (1 + math_exp(-odds)); }

struct Step {
  Point next;
  double log_likelihood;  // at the point that it started from
};

/// One round of expectation and maximization.
Step step_from(const Point& at, const Durations& sample) {
  const double weight = weight_of(at[0]);
  const double first_rate = math_exp(-at[1]), second_rate = math_exp(-at[2]);
  const double first_log = math_log(weight) - at[1], second_log = math_log(1 - weight) - at[2];
  double likelihood = 0, ones = 0, first_sum = 0, second_sum = 0;
  for (std::size_t i = 0; i < sample.values().size(); ++i) {
    const double x = sample.values()[i], count = sample.counts()[i];
    const double first = first_log - x * first_rate, second = second_log - x * second_rate;
    const double rest = math_exp(-std::abs(first - second));  // the smaller density over the larger
    const double larger = 1 / (1 + rest);
    const double share = first > second ? larger : 1 - larger;  // that it is of the first phase
    likelihood += count * (std::max(first, second) + math_log1p(rest));
    ones += count * share;
    first_sum += count * share * x;
    second_sum += count * (1 - share) * x;
  }
  const double others = sample.size() - ones;
  Point next = at;
  if (ones > 0 && others > 0 && first_sum > 0 && second_sum > 0)
    next = {std::clamp(math_log(ones / others), -kFarthestOdds, kFarthestOdds), math_log(first_sum / ones),
            math_log(second_sum / others)};
  return {next, likelihood};
}

/// The sample cut at a rank: a phase for the values below, one for those above.
Point cut_at(const Durations& sample, double share) {
  double count = 0, sum = 0;
  std::size_t i = 0;
  for (; i + 1 < sample.values().size() && (i == 0 || count < share * sample.size()); ++i) {
    count += sample.counts()[i];
    sum += sample.counts()[i] * sample.values()[i];
  }
  const double rest = sample.size() - count;
  return {math_log(count / rest), math_log(sum / count),
          math_log((sample.mean() * sample.size() - sum) / rest)};
}

/// Two phases with the sample's mean and variance that take equal shares of the time (Whitt, "Approximating a point process by a
/// renewal process, I", Oper. Res. 30, 1982, sec. 3.1); two equal phases where it varies too little for that.
Point balanced(const Durations& sample) {
  const double squared = sample.variance() / (sample.mean() * sample.mean());
  const double weight = 0.5 * (1 + std::sqrt(std::max(0.01, (squared - 1) / (squared + 1))));
  return {math_log(weight / (1 - weight)), math_log(sample.mean() / (2 * weight)),
          math_log(sample.mean() / (2 * (1 - weight)))};
}

double length(const Point& point) {
  return std::sqrt(point[0] * point[0] + point[1] * point[1] + point[2] * point[2]);
}

Point best_start(const Durations& sample) {
  Point best{};
  double highest = -kInfinity;
  for (Point at : {balanced(sample), cut_at(sample, 0.5), cut_at(sample, 0.9)}) {
    for (int i = 0; i < kTrialSteps; ++i) at = step_from(at, sample).next;
    if (const double reached = step_from(at, sample).log_likelihood; reached > highest) {
      highest = reached;
      best = at;
    }
  }
  return best;
}

}  // namespace

HyperexponentialFit fit_hyperexponential(const Durations& sample) {
  expect(sample.values().size() > 1 && !sample.has_zero(), "two different values, none of them zero");
  Point at = best_start(sample);
  for (int round = 0; round < kMostRounds; ++round) {
    const Point once = step_from(at, sample).next;
    const Step second = step_from(once, sample);
    Point step{}, bend{};
    for (std::size_t i = 0; i < 3; ++i) {
      step[i] = once[i] - at[i];
      bend[i] = second.next[i] - once[i] - step[i];
    }
    if (length(step) <= kConverged) break;
    // At least the two steps themselves; further where they went nearly straight.
    const double stretch = length(bend) > 0 ? std::max(1.0, length(step) / length(bend)) : 1.0;
    Point far = at;
    for (std::size_t i = 0; i < 3; ++i) far[i] += 2 * stretch * step[i] + stretch * stretch * bend[i];
    far[0] = std::clamp(far[0], -kFarthestOdds, kFarthestOdds);
    const Step tried = step_from(far, sample);
    at = tried.log_likelihood >= second.log_likelihood ? tried.next : second.next;
  }
  HyperexponentialFit fit{.weight = weight_of(at[0]),
                          .first_mean = math_exp(at[1]),
                          .second_mean = math_exp(at[2]),
                          .log_likelihood = step_from(at, sample).log_likelihood};
  if (fit.first_mean > fit.second_mean) {
    std::swap(fit.first_mean, fit.second_mean);
    fit.weight = weight_of(-at[0]);
  }
  return fit;
}

}  // namespace gauntlet
