// Signals: what can be watched. One list; a watch on a signal that is not here cannot be written.
#pragma once

#include <cstdint>

namespace gauntlet {

enum class Signal : std::uint8_t {
  heartbeat,         // per host, one sample a period while its agent is up; runs for hosts in service
  process_exit,      // per host, the exit of a rank, carried by the host's next heartbeat; value: exit code
  log_line,          // per host, a log line that matches a pattern; value: 0
  step,              // per job, a completed step, while its ranks run; value: seconds since the step before
  checkpoint_stall,  // per job, a completed periodic checkpoint; value: seconds for which training was blocked
};

}  // namespace gauntlet
