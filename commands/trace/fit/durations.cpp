#include "commands/trace/fit/durations.hpp"

#include "core/contract.hpp"
#include "core/math/elementary.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {

Durations::Durations(std::vector<double> durations) {
  std::ranges::sort(durations);
  expect(durations.empty() || durations.front() >= 0, "a duration is not negative");
  for (const double value : durations) {
    if (values_.empty() || value > values_.back()) {
      values_.push_back(value);
      logs_.push_back(math_log(value));
      counts_.push_back(0);
    }
    ++counts_.back();
  }
  size_ = static_cast<double>(durations.size());
  if (durations.empty()) return;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    mean_ += counts_[i] * values_[i];
    mean_log_ += counts_[i] * logs_[i];
  }
  mean_ /= size_;
  mean_log_ /= size_;
  double squares = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    variance_ += counts_[i] * (values_[i] - mean_) * (values_[i] - mean_);
    squares += counts_[i] * (logs_[i] - mean_log_) * (logs_[i] - mean_log_);
  }
  variance_ /= size_;
  sd_log_ = std::sqrt(squares / size_);
}

double Durations::median() const {
  expect(size_ > 0, "there is a middle");
  const double middle = size_ / 2;
  double upto = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    upto += counts_[i];
    if (upto > middle) return values_[i];
    if (upto == middle) return 0.5 * (values_[i] + values_[i + 1]);
  }
  return values_.back();
}

}  // namespace gauntlet
