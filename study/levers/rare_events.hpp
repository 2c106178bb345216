// How few events the scatter of a paired difference is made of: whether Student's interval of it can be trusted.
#pragma once

#include "study/summary/metrics.hpp"

#include <span>

namespace gauntlet {

/// The mean of second - first, a difference of ratios of totals, and how it scatters (study/paired.hpp).
struct PairedScatter {
  double difference = 0;
  double error = 0;     // standard error of the difference; zero where all pairs differ by the same
  double skewness = 0;  // of the difference, not of a pair: sum r^3 / (sum r^2)^1.5 of the paired residuals r
  double largest = 0;   // |r|: what the pair that is furthest from the others adds to the difference
};

/// There are equally many, and two at least.
PairedScatter paired_scatter(std::span<const Fraction> first, std::span<const Fraction> second);

/// 1 / skewness^2, which is the number of pairs over the square of their own skewness: k where k of many pairs differ from the
/// others by the same, as by a failure; without bound where the scatter is symmetric, or none. The error of a t interval's
/// coverage goes with its inverse (P. Hall, "The Bootstrap and Edgeworth Expansion", 1992, sec. 2.6).
double rare_events(std::span<const Fraction> first, std::span<const Fraction> second);

}  // namespace gauntlet
