// Which faults were detected, when, and which were missed.
#pragma once

#include "score/figures.hpp"
#include "score/host_log.hpp"
#include "score/phases.hpp"
#include "score/record_view.hpp"
#include "score/stop_look.hpp"

#include <chrono>

namespace gauntlet {

/// An alert about something that ended at most so long before is true: a detector that counts returns in a window speaks
/// after the last of them has healed. An assumption: nobody speaks later.
inline constexpr Duration kAlertMemory = std::chrono::hours(1);

/// Fills met, detected, missed, the latencies and the cost of what was missed of `fault_scores`, and the false alerts.
/// Needs the walk and the incidents.
void judge_detection(const HostLog& truth, const RecordView& record, const Walked& walked, Figures& figures,
                     StopLook& look);

}  // namespace gauntlet
