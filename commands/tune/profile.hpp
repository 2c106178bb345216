// The curve around the best point: along each field, the others being at their best.
#pragma once

#include "commands/tune/result.hpp"
#include "commands/tune/search.hpp"
#include "commands/tune/trials.hpp"

#include <cstddef>
#include <vector>

namespace gauntlet {

/// Runs points along each field where the search left none, all on the curves up to a common number of replicas, and
/// measures the outcome anew. Where a field is flat around the best point, another value is named, by this rule: today's,
/// if it lies in the flat range, since nothing speaks for a change; else the middle of that range on the axis of the search
/// (the geometric one), which is farthest from where it gets worse. Of a whole-number field the values in play run while the budget lasts, and the lowest row is
/// named (alike.hpp). Where the budget leaves a row without replicas, the outcome says that it ended. False where it was stopped.
bool run_profiles(Trials& trials, TuneSearch& search, SearchOutcome& outcome);

/// The trial that a field's curve is held against: the lowest one, the other fields being as they are named. Of a whole-number field it is the row
/// that lost least.
std::size_t lowest_along(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome,
                         std::size_t axis);

/// The trials along a field, from low to high.
std::vector<std::size_t> curve_along(const Trials& trials, std::size_t best, std::size_t axis);

/// How flat it is along a field: `matters`, `flat`, `plateau`, `alike` and its exceptions, the cliffs, `curve`, `lowest`, `worse` and
/// `whole` of TunedField, and `interval` of a whole-number field.
void describe_curve(const Trials& trials, const TuneSearch& search, const SearchOutcome& outcome,
                    std::size_t axis, TunedField& into);

}  // namespace gauntlet
