// One replica of two scenarios: their time lines beside each other.
#pragma once

#include "commands/compare/result.hpp"

#include <cstddef>
#include <string>

namespace gauntlet {

/// The most incidents of a time line.
inline constexpr std::size_t kTimelineRows = 20;

/// The incidents that differ most, by time, with what both lost in each phase ("12.0 -> 42.1" where they differ), then what
/// was left out, what no incident holds, and the whole run. `first` and `second` are short names: "A", "B".
std::string timeline(const ShownReplica& shown, const std::string& first, const std::string& second);

}  // namespace gauntlet
