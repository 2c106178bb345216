// The sample that is shipped in scenarios/catalog/traces, made from a seed.
#pragma once

#include <cstdint>
#include <string>

namespace gauntlet {

/// Two years of a made-up cluster of 64 nodes as CSV, start,end,node,cause: each node fails by a Weibull law of shape 0.7, a
/// twelfth of the nodes five times as often as the others, and repairs are lognormal. To the minute, sorted.
std::string sample_trace(std::uint64_t seed);

inline constexpr std::uint64_t kSampleSeed = 7;
inline constexpr const char* kSampleFile = "scenarios/catalog/traces/sample-64-nodes.csv";

}  // namespace gauntlet
