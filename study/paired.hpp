// Differences between points that met the same faults: replica by replica, so that what both have in common cancels.
#pragma once

#include "study/results/metrics.hpp"
#include "study/results/paired_difference.hpp"

#include <span>

namespace gauntlet {

/// Replica i of both met the same faults; there are equally many. A metric that is a ratio has the difference of the
/// ratios of totals, with the error of the paired residuals (delta method, as in study/statistics.hpp).
PairedDifference paired_difference(std::span<const Fraction> first, std::span<const Fraction> second);

}  // namespace gauntlet
