// Where the time went: charges every nanosecond of wall time to one phase and one cause, and finds the incidents.
#pragma once

#include "core/record/progress.hpp"
#include "score/charges.hpp"
#include "score/figures.hpp"
#include "score/host_log.hpp"
#include "score/record_view.hpp"
#include "score/stop_look.hpp"

#include <cstdint>
#include <vector>

namespace gauntlet {

/// What else shows on the walk through the wall time. Faults are named by the place of their onset in the truth log.
struct Walked {
  /// A stop of a job that no fault had stopped, for the sake of one that did it harm.
  struct StopFor {
    Time at;
    std::uint32_t onset = 0;
  };
  Duration training{};  // time in which the job trained
  std::vector<StopFor> stops;
  std::vector<Duration>
      harm;  // by place in the truth log, of onsets: effective time that the fault cost, or spoilt
};

/// Fills the phases, the causes, the incidents with their times, steps and false alarms; tells the phases and new steps, as
/// the charges, to a listener that is not null.
Walked charge_phases(const HostLog& truth, const ProgressLog& progress, const RecordView& record, Time end,
                     Figures& figures, StopLook& look, ChargeListener* listener);

}  // namespace gauntlet
