// Differences between points that met the same faults: replica by replica, so that what both have in common cancels.
#pragma once

#include "study/controlled_ratio.hpp"
#include "study/mean_interval.hpp"
#include "study/summary/metrics.hpp"
#include "study/summary/paired_difference.hpp"

#include <cstdint>
#include <span>

namespace gauntlet {

/// Of the replicas of each side, as their own means have them.
struct PairedControls {
  Controls first{}, second{};
};

/// Replica i of both met the same faults; there are equally many. A metric that is a ratio has the difference of the
/// ratios of totals, with the error of the paired residuals (study/controlled_ratio.hpp, study/mean_interval.hpp). Where some pairs
/// have equal values, fewer than kFewestDifferent others give no interval; where all are equal it is [0, 0]. What happens in a
/// run or does not has an interval by its pairs that differ, however few (study/binomial.hpp). `value`: the metric's.
PairedDifference paired_difference(std::span<const Fraction> first, std::span<const Fraction> second,
                                   RunValue value = RunValue::amount, const PairedControls& controls = {});

/// The same of pairs that are not kept: shown twice in one order, for the means and then for the scatter around them.
class PairedStatistics {
 public:
  PairedStatistics() = default;
  explicit PairedStatistics(RunValue value, const PairedControls& controls = {});
  void add_mean(const Fraction& first, const Fraction& second);
  /// After the last add_mean.
  void add_scatter(const Fraction& first, const Fraction& second);
  /// Of the two means; absent where one is unknown. Needs no scatter.
  std::optional<double> mean_difference() const;
  /// The two; absent where no replica defines it.
  std::optional<double> first_mean() const { return first_.mean(); }
  std::optional<double> second_mean() const { return second_.mean(); }
  PairedDifference difference() const;

 private:
  // One side's mean as MetricStatistics has it, so that the difference is that of the two printed means.
  struct Side {
    ControlledRatio ratio;
    std::uint64_t defined = 0;  // replicas with a value of their own

    void add(const Fraction& of);
    std::optional<double> mean() const { return defined > 0 ? std::optional(ratio.value()) : std::nullopt; }
  };

  RunValue value_ = RunValue::amount;
  Side first_, second_;
  std::uint64_t pairs_ = 0, different_ = 0, scattered_ = 0;
  bool equal_ = true;                               // in every pair, both parts of the fractions
  std::uint64_t first_only_ = 0, second_only_ = 0;  // pairs in which it happened on that side alone
  double apart_ = 0, together_ = 0;                 // squares of the residuals, and of their differences
  ResidualMoments paired_;                          // of the differences
};

}  // namespace gauntlet
