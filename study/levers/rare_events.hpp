// How few events the scatter of a paired difference is made of: whether Student's interval of it can be trusted.
#pragma once

#include "study/summary/metrics.hpp"

#include <span>

namespace gauntlet {

/// (sum r^2)^3 / (sum r^3)^2 of the paired residuals r (study/paired.hpp), which is the number of pairs over the square of
/// their skewness: k where k of many pairs differ from the others by the same, as by a failure; without bound where the
/// scatter is symmetric, or none. The error of a t interval's coverage goes with its inverse (P. Hall, "The Bootstrap and
/// Edgeworth Expansion", 1992, sec. 2.6).
double rare_events(std::span<const Fraction> first, std::span<const Fraction> second);

}  // namespace gauntlet
