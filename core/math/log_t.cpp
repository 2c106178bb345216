#include "core/math/log_t.hpp"

#include "core/contract.hpp"
#include "core/math/elementary.hpp"
#include "core/math/special.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

constexpr double kTail = 0.05;  // outside each of low and high

}  // namespace

double LogT::at(double p) const {
  expect(low > 0 && high > low && degrees >= 1 && p >= 0 && p <= 1, "the distribution has two ends");
  const double from = math_log(low), to = math_log(high);
  const double scale = (to - from) / (2 * student_t_quantile(1 - kTail, degrees));
  return math_exp((from + to) / 2 + scale * student_t_quantile(std::clamp(p, kCutOff, 1 - kCutOff), degrees));
}

}  // namespace gauntlet
