// A host whose fault heals by itself and comes back is faulty between two strikes too.
#pragma once

#include "core/time.hpp"
#include "score/host_log.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace gauntlet {

/// Within which strikes belong together: gpud counts the returns of a NIC over 12 h (https://github.com/leptonai/gpud).
inline constexpr Duration kFlapWindow = std::chrono::hours(12);

/// Whether a host flaps at a time: what repair removes, and what disturbs the job, has struck one component that concerns it
/// at least twice within the window before, and the host was not taken out since. Twice, because a single fault that healed
/// leaves nothing to repair; not three times as a detector may want it, because the truth needs no patience. What would have
/// come next does not count: nobody could know. Returns the place of the latest such strike in the log, of which the first
/// `told` entries are read.
std::optional<std::uint32_t> flapping(const HostLog& log, std::size_t told, HostId host, Time at,
                                      std::optional<Time> taken_out);

}  // namespace gauntlet
