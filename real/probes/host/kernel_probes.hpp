// What the kernel says of links, memory, the clock and errors, in /sys, /proc and its log. No root is needed where the system lets
// users read them.
#pragma once

#include "real/probes/host/probe.hpp"

#include <string>
#include <vector>

namespace gauntlet {

/// Errors and carrier changes of each network interface of hardware, since the last look; without hardware, of each but loopback.
ProbeSample probe_link_errors(const ProbedHost& host);
/// Packets that each of them dropped.
ProbeSample probe_link_drops(const ProbedHost& host);
/// Allocations that had to wait for the kernel to make free memory contiguous.
ProbeSample probe_compaction(const ProbedHost& host);
/// Lines about failing hardware, hung tasks and exhausted memory.
ProbeSample probe_kernel_log(const ProbedHost& host);

/// What the kernel knows of its clock (adjtimex(2)).
struct KernelClock {
  bool synchronised = false;
  double max_error_ms = 0;  // the most that it may be wrong by
  double offset_ms = 0;     // that is still being corrected
};
ProbeSample clock_sample(const KernelClock& clock);
ProbeSample probe_clock(const ProbedHost& host);

/// The records of /dev/kmsg that say that something is broken, oldest first. A record is "priority,number,microseconds,flags;text".
std::vector<std::string> bad_records(const std::string& records);

}  // namespace gauntlet
