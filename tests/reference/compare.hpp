// A run of the simulated cluster against the reference cluster, under the same policies.
#pragma once

#include "config/scenario.hpp"

#include <cstdint>
#include <string>

namespace gauntlet::reference {

/// What they did differently, for people; empty where observations, truth and figures are the same. Its first line says what
/// kind of difference it is, and has no numbers.
std::string difference(const Scenario& scenario, std::uint64_t seed);

/// The same of a scenario's text. One that does not load differs in nothing.
std::string difference_of_text(const std::string& toml, std::uint64_t seed);

/// The first line of a difference.
std::string kind_of_difference(const std::string& difference);

}  // namespace gauntlet::reference
