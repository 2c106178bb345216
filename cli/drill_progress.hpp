// How a drill stands, on one line of the terminal.
#pragma once

#include "real/control/drill_status.hpp"

#include <string>

namespace gauntlet {

/// "step 22 of 100, job up, 4 hosts in the job, 1 spare, 0 in repair, 1 incident, 0 open orders, ETTR 89.3%".
std::string drill_progress_text(const DrillStatus& status);

}  // namespace gauntlet
