// Over what a count of failures was observed: "54d x 2048 hosts".
#pragma once

#include "core/id.hpp"
#include "core/quantity.hpp"

#include <string_view>

namespace gauntlet {

struct Exposure {
  double seconds = 0;     // how long they were watched, all at the same time
  double components = 0;  // how many
  ComponentKind kind = ComponentKind::host;
};

/// A duration, "x", a count and what was counted: host(s), gpu(s), nic(s), rack(s), tor(s), aggregation(s), spine(s), power
/// (domains) or job(s).
Parsed<Exposure> parse_exposure(std::string_view text);

/// What a count of failures says of the count that was to be expected: the value with the probability `p`, 0 < p < 1, below
/// it. With Jeffreys' prior for a Poisson rate it is Gamma(count + 1/2, 1) (Box and Tiao, Bayesian Inference in Statistical
/// Analysis, 1973, sec. 1.3.4).
double expected_count(double count, double p);

}  // namespace gauntlet
