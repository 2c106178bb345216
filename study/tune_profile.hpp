// The curve around the best point: along each field, the others being at their best.
#pragma once

#include "study/results/tune.hpp"
#include "study/trials.hpp"
#include "study/tune_search.hpp"

#include <cstddef>
#include <vector>

namespace gauntlet {

/// Runs points along each field where the search left none, puts today's value in the place of a best one that does not
/// matter, if it lies in the range, and measures the outcome anew. False where it was stopped.
bool run_profiles(Trials& trials, TuneSearch& search, SearchOutcome& outcome);

/// The trials along a field, from low to high.
std::vector<std::size_t> curve_along(const Trials& trials, std::size_t best, std::size_t axis);

/// How flat it is along a field: `matters`, `flat`, `alike`, the cliffs and `curve` of TunedField.
void describe_curve(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome,
                    std::size_t axis, TunedField& into);

}  // namespace gauntlet
