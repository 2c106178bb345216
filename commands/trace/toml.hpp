// What `import` wrote, read again.
#pragma once

#include "commands/trace/records/read.hpp"

#include <string>

namespace gauntlet {

/// Failures that `import` wrote: [faults.NAME] trace and heals_after of a file. The system is named "all", repair times belong
/// to onsets in their order.
TraceRead read_fault_trace(const std::string& file);

}  // namespace gauntlet
