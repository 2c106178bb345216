// What was decided, held against what was true: interruptions, evictions, spares.
#pragma once

#include "core/record/record.hpp"
#include "core/record/truth.hpp"
#include "score/figures.hpp"

#include <cstdint>
#include <vector>

namespace gauntlet {

/// Fills the counts; needs the incidents with their times. How often each kind interrupted the job.
std::vector<std::uint32_t> judge_decisions(const TruthLog& truth, const Record& record, Figures& figures);

}  // namespace gauntlet
