// What was decided, held against what was true: interruptions, evictions, spares.
#pragma once

#include "core/record/record.hpp"
#include "core/record/truth.hpp"
#include "score/figures.hpp"

namespace gauntlet {

/// Fills the counts; needs the incidents with their times.
void judge_decisions(const TruthLog& truth, const Record& record, Figures& figures);

}  // namespace gauntlet
