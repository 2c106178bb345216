// Hosts that do the same work, compared with each other: the median, how far they scatter around it, and the band beyond
// which one of them is slow.
#pragma once

#include <cstdint>
#include <vector>

namespace gauntlet {

/// Of fewer hosts that do the same work nothing is said: of four, two slow ones are as many as the others.
inline constexpr std::uint32_t kFewestPeers = 5;

/// The middle value, of an even number the mean of the two in the middle. Not empty.
double median(std::vector<double> values);

/// The longest time that is not slow: the median plus the larger of `deviations` robust standard deviations and
/// `least_excess` of the median. A robust standard deviation is 1.4826 times the median of the absolute deviations (MAD),
/// which is a standard deviation where deviations are normal; 3.5 of them is the usual mark of an outlier (Iglewicz and
/// Hoaglin, "How to Detect and Handle Outliers", ASQC 1993).
double slow_beyond(const std::vector<double>& peers, double deviations, double least_excess);

}  // namespace gauntlet
