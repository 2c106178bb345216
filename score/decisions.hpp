// What was decided, held against what was true: interruptions, evictions, spares.
#pragma once

#include "score/figures.hpp"
#include "score/host_log.hpp"
#include "score/record_view.hpp"
#include "score/stop_look.hpp"

#include <cstdint>
#include <vector>

namespace gauntlet {

/// Fills the counts; needs the incidents with their times. How often each kind interrupted the job.
std::vector<std::uint32_t> judge_decisions(const HostLog& truth, const RecordView& record, Figures& figures,
                                           StopLook& look);

}  // namespace gauntlet
