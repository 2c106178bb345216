// The score: what a run cost and why, from the truth, the progress and the record of it. A pure function, the same for
// simulations and drills.
#pragma once

#include "core/record/progress.hpp"
#include "core/record/record.hpp"
#include "core/record/run_logs.hpp"
#include "core/record/truth.hpp"
#include "score/figures.hpp"
#include "score/phase_log.hpp"

#include <atomic>
#include <vector>

namespace gauntlet {

/// What the score needs to know of the world, and what is asked of it.
struct ScoreFacts {
  std::vector<bool> on_training_clock;  // by FaultKindId: the kind strikes only while the job trains
  Duration bucket{};                    // above zero: Figures::over_time has parts of this length
};

/// Fills `figures` (its memory is kept; `fingerprint` is the caller's). The record begins with Started; a run that was
/// cut short ends with its last observation. False where it was left undone because `stop` was set: `figures` then says
/// nothing.
bool score(const ScoreFacts& facts, const TruthLog& truth, const ProgressLog& progress, const Record& record,
           Figures& figures, const std::atomic<bool>* stop = nullptr);

/// Of a file that anybody may have written. False where the logs and the record do not belong together: their times do not add up. Faults must be
/// of the world of `facts`.
bool score_recorded(const ScoreFacts& facts, const RunLogs& logs, const Record& record, Figures& figures);

/// As score(), and the phases one after the other.
void score(const ScoreFacts& facts, const TruthLog& truth, const ProgressLog& progress, const Record& record,
           Figures& figures, PhaseLog& phases);

}  // namespace gauntlet
