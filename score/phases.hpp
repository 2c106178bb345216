// Where the time went: charges every nanosecond of wall time to one phase and one cause, and finds the incidents.
#pragma once

#include "core/record/progress.hpp"
#include "core/record/record.hpp"
#include "core/record/truth.hpp"
#include "score/figures.hpp"

namespace gauntlet {

/// Fills the phases, the causes, the incidents with their times, steps and false alarms. Returns the time in which the
/// job trained.
Duration charge_phases(const TruthLog& truth, const ProgressLog& progress, const Record& record, Time end,
                       Figures& figures);

}  // namespace gauntlet
