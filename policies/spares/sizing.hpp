// How many hosts stand by.
#pragma once

#include <cstdint>

namespace gauntlet {

/// The fewest hosts that are enough with probability `quantile` for those of `hosts` that fail in a day, each with
/// probability `daily_failure` on its own: the smallest s with P(Binomial(hosts, daily_failure) <= s) >= quantile. At
/// 0.0012 and p99 it gives 2 for 128 hosts and 3 for 512, as ByteRobust sizes its warm standby
/// (https://arxiv.org/abs/2509.16293). `daily_failure` and `quantile` are in [0, 1); at most `hosts`.
std::uint32_t spares_for_quantile(std::uint32_t hosts, double daily_failure, double quantile);

/// The probability that at least `k` of `n` are up, each with probability `up` on its own: the upper tail of the binomial.
double at_least_k_of_n(std::uint32_t k, std::uint32_t n, double up);

}  // namespace gauntlet
