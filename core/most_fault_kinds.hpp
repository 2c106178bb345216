// How many kinds of faults results have room for.
#pragma once

#include <cstddef>

namespace gauntlet {

/// Of a study, over all its scenarios: a row of its results has 20 columns for each (study/store/rows.cpp), and a table of SQLite has
/// 2,000 at most (https://www.sqlite.org/limits.html).
inline constexpr std::size_t kMostFaultKinds = 95;

}  // namespace gauntlet
