// How many kinds of faults results have room for.
#pragma once

#include <cstddef>

namespace gauntlet {

/// The most kinds of faults that the scenarios of one study may have together. Each takes 20 columns of a row of results
/// (study/store/rows.cpp), and a table of SQLite has 2,000 at most (https://www.sqlite.org/limits.html).
inline constexpr std::size_t kMostFaultKinds = 95;

}  // namespace gauntlet
