// Differences between points that met the same faults: replica by replica, so that what both have in common cancels.
#pragma once

#include "study/summary/metrics.hpp"
#include "study/summary/paired_difference.hpp"

#include <cstdint>
#include <span>

namespace gauntlet {

/// Replica i of both met the same faults; there are equally many. A metric that is a ratio has the difference of the
/// ratios of totals, with the error of the paired residuals (delta method, as in study/statistics.hpp). Where some pairs
/// have equal values, fewer than kFewestDifferent others give no interval; where all are equal it is [0, 0]. What happens in a
/// run or does not has an interval by its pairs that differ, however few (study/binomial.hpp). `value`: the metric's.
PairedDifference paired_difference(std::span<const Fraction> first, std::span<const Fraction> second,
                                   RunValue value = RunValue::amount);

/// The same of pairs that are not kept: shown twice in one order, for the means and then for the scatter around them.
class PairedStatistics {
 public:
  PairedStatistics() = default;
  explicit PairedStatistics(RunValue value) : value_(value) {}
  void add_mean(const Fraction& first, const Fraction& second);
  /// After the last add_mean.
  void add_scatter(const Fraction& first, const Fraction& second);
  /// Of the two means; absent where one is unknown. Needs no scatter.
  std::optional<double> mean_difference() const;
  PairedDifference difference() const;

 private:
  // One side's mean, by the recurrences of MetricStatistics, so that the difference is that of the two printed means.
  struct Side {
    double numerator = 0, denominator = 0;
    std::uint64_t defined = 0;  // replicas with a value of their own

    void add(const Fraction& of, double n);
    double value() const { return numerator / denominator; }
    double residual(const Fraction& of) const {
      return (of.numerator - value() * of.denominator) / denominator;
    }
  };

  RunValue value_ = RunValue::amount;
  Side first_, second_;
  std::uint64_t pairs_ = 0, different_ = 0;
  std::uint64_t first_only_ = 0, second_only_ = 0;  // pairs in which it happened on that side alone
  double apart_ = 0, paired_ = 0;                   // squares of the residuals, and of their differences
};

}  // namespace gauntlet
