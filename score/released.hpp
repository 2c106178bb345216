// For how long a job had given its hosts back.
#pragma once

#include "core/record/record.hpp"
#include "core/time.hpp"
#include "score/stop_look.hpp"

namespace gauntlet {

/// From each Release that was carried out to the next Start, or to the end.
Duration time_released(const Record& record, Time end, StopLook& look);

}  // namespace gauntlet
