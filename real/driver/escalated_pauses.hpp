// Pauses that have stopped the job: a rank waited for longer than the collective timeout.
#pragma once

#include "core/record/record.hpp"
#include "core/record/truth.hpp"

namespace gauntlet {

/// Adds TruthKind::escalated for each pause during which a rank reported a collective timeout, at the time of the first report, as the
/// simulation does (sim/sim_faults.cpp). The record holds such reports only where policies watch for their log line. Both are in order
/// of time, and the truth remains so.
void escalate_pauses(const Record& record, TruthLog& truth);

}  // namespace gauntlet
