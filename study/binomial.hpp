// Exact intervals for what happens in a run or does not.
#pragma once

#include "study/summary/summary.hpp"

#include <cstdint>

namespace gauntlet {

/// The exact central interval for the probability of something that happened in `hits` of `runs` > 0 independent trials
/// (Clopper and Pearson, Biometrika 26(4), 1934, https://doi.org/10.1093/biomet/26.4.404). `level`: 0.95. Of runs that are
/// not independent: as many as would scatter so, which need not be a whole number.
Interval clopper_pearson(double hits, double runs, double level);

/// The 95% interval for P(second) - P(first) of `pairs` > 0 independent pairs, of which it happened in the second alone in
/// `second_only`, in the first alone in `first_only`. Each of these two shares has its exact interval, and both are
/// combined by the method of variance estimates recovery (Zou and Donner, Statistics in Medicine 27(10), 2008,
/// https://doi.org/10.1002/sim.3095, with the correlation of two shares of one multinomial). For the correlation each share has
/// one hit and one miss more, so that it stays on the safe side where a share is nothing. Over all pairs of probabilities
/// the interval holds the true difference with 95% or more (tests/study/binomial_test.cpp). Without a pair that differs it is
/// not [0, 0]: the next pair may be one.
Interval paired_share_interval(std::uint64_t first_only, std::uint64_t second_only, std::uint64_t pairs);

}  // namespace gauntlet
