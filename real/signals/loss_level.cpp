#include "real/signals/loss_level.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kMost = 64, kFewest = 8;
constexpr double kNormal = 1.4826;  // 1 / the upper quartile of the standard normal distribution
constexpr double kLeastScatter = 1e-6;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace

std::optional<double> LossLevel::on_loss(double loss) {
  if (!std::isfinite(loss)) return std::numeric_limits<double>::quiet_NaN();
  std::optional<double> level;
  if (losses_.size() >= kFewest) {
    const double middle = median({losses_.begin(), losses_.end()});
    std::vector<double> off;
    for (const double each : losses_) off.push_back(std::abs(each - middle));
    const double scatter = std::max({kNormal * median(std::move(off)), kLeastScatter * std::abs(middle),
                                     std::numeric_limits<double>::min()});
    level = (loss - middle) / scatter;
  }
  losses_.push_back(loss);
  if (losses_.size() > kMost) losses_.pop_front();
  return level;
}

}  // namespace gauntlet
