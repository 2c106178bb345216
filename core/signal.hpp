// Signals: what can be watched. One list; a watch on a signal that is not here cannot be written.
//
// Heartbeats carry what a host's agent knows of it: the state of its processes (process_exit), the lines that its filter
// let through (log_line), RDMA traffic (traffic, traffic_period) and the segment timings of its ranks (forward_time,
// backward_time). The others are the job's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gauntlet {

enum class Signal : std::uint8_t {
  heartbeat,     // per host, one sample a period while its agent is up; runs for hosts in service
  process_exit,  // per host, the exit of a rank, carried by the host's next heartbeat; value: exit code;
                 // Seen::sensed is when it exited, by the host's own clock
  log_line,      // per host, a log line that matches a pattern; value: its Severity
  step,          // per job, a completed step, while its ranks run; value: seconds since the step before
  checkpoint_stall,  // per job, a completed periodic checkpoint to storage; value: seconds for which training was blocked
  forward_time,  // per host, with each completed step, by device event timers; value: seconds of forward compute
  backward_time,  // per host, likewise; value: seconds of backward compute
  traffic,  // per host, one sample of each interval (a second) in which its ranks sent something; value: RDMA bytes
            // in it over their mean while training undisturbed
  traffic_period,  // per host, likewise, derived by the agent from samples a millisecond apart; value: the period of
                   // the traffic in seconds, one step where all is well
  loss,  // per job, with each completed step; value: how far the training loss lies above its running
         // median, in robust standard deviations; NaN where it is NaN
  last_collective,  // per host, asked for with Sample{1}; value: the Dimension of the collective in which its ranks
                    // wait; a host that holds the others up answers nothing
};
inline constexpr std::size_t kSignals = 11;
inline constexpr std::array<std::string_view, kSignals> kSignalNames = {
    "heartbeat",     "process_exit", "log_line",       "step", "checkpoint_stall", "forward_time",
    "backward_time", "traffic",      "traffic_period", "loss", "last_collective"};

/// Of a log line.
enum class Severity : std::uint8_t { info, warning, error, fatal };

/// Ranks that abort because a peer is gone, or let them wait too long, exit so: SIGABRT of the NCCL watchdog, as a shell
/// shows it. What exits with another code did so on its own.
inline constexpr int kAbortedByWatchdog = 134;

}  // namespace gauntlet
