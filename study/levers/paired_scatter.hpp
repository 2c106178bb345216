// How a paired difference scatters, and how few events its scatter is made of.
#pragma once

#include "study/summary/metrics.hpp"

#include <span>

namespace gauntlet {

/// The mean of second - first, a difference of ratios of totals, and how it scatters (study/paired.hpp).
struct PairedScatter {
  double difference = 0;
  double error = 0;  // standard error of the difference; zero where all pairs differ by the same
  /// Of the difference, not of a pair: sum r^3 / (sum r^2)^1.5 of the paired residuals r. 1 / skewness^2 is the number of events that make
  /// the scatter: k where k of many pairs differ from the others by the same, as by a failure. The error of the coverage of a t interval goes
  /// with its inverse (P. Hall, "The Bootstrap and Edgeworth Expansion", 1992, sec. 2.6).
  double skewness = 0;
  double largest = 0;  // |r|: what the pair that is furthest from the others adds to the difference
};

/// There are equally many, and two at least.
PairedScatter paired_scatter(std::span<const Fraction> first, std::span<const Fraction> second);

}  // namespace gauntlet
