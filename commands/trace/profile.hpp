// A trace as a fault profile.
#pragma once

#include "commands/trace/records/gaps.hpp"
#include "commands/trace/source.hpp"

#include <cstdint>
#include <string>

namespace gauntlet {

/// Fewer gaps than this name no law: the standard error of a Weibull shape, 0.78 of it over the root of their number
/// (Cohen, Technometrics 7(4), 1965), is a seventh of it and more.
inline constexpr std::uint64_t kFewestForALaw = 30;
/// Fewer failures than this give no rate, unless it is said how long was watched: that they are the first and the last of
/// their window biases it, and its standard error is 1 over the root of their number.
inline constexpr std::uint64_t kFewestForARate = 5;

/// TOML that a scenario can extend: for each cause a rate, the law of a node's life, and how long it lasts. Empty where the
/// records name no node or all have one time: then there is no rate.
std::string fault_profile(const SelectedTrace& selected, ZeroDurations zeros);

/// "failures.csv.xz, system 20": the file's name, and what of it.
std::string source_text(const TraceSource& source);

}  // namespace gauntlet
