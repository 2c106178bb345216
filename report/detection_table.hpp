// How the faults of each kind fared: what was detected and how soon, what was handled without a person, what was missed.
#pragma once

#include "study/summary/summary.hpp"

#include <cstddef>
#include <string>

namespace gauntlet {

inline constexpr std::size_t kDetectionRows = 10;  // as many kinds are listed; the rest is summed up

/// Lines of at most 100 columns, each ending in a newline: a header, then the kinds that met the job in some run, means of a
/// run, those that cost most first; empty where none did. A dash is what no run could tell.
std::string detection_table(const Summary& summary);

}  // namespace gauntlet
