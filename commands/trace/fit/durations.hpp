// A sample of durations.
#pragma once

#include <vector>

namespace gauntlet {

/// Durations in seconds, sorted; equal ones are one value with its count (traces are written down by the minute).
class Durations {
 public:
  /// None negative, in any order.
  explicit Durations(std::vector<double> durations);

  const std::vector<double>& values() const { return values_; }  // ascending, each once
  const std::vector<double>& logs() const { return logs_; }      // of them; minus infinity of zero
  const std::vector<double>& counts() const { return counts_; }
  double size() const { return size_; }
  double mean() const { return mean_; }
  double mean_log() const { return mean_log_; }  // of size() > 0; minus infinity with a zero
  double sd_log() const { return sd_log_; }      // divided by n: the maximum-likelihood estimate
  double variance() const { return variance_; }  // divided by n
  double median() const;                         // of an even number the mean of the middle two
  bool has_zero() const { return !values_.empty() && values_.front() == 0; }

 private:
  std::vector<double> values_, logs_, counts_;
  double size_ = 0, mean_ = 0, mean_log_ = 0, sd_log_ = 0, variance_ = 0;
};

}  // namespace gauntlet
