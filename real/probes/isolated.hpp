// A probe in a process of its own: a host that hangs or kills it does neither to whoever asks.
#pragma once

#include "core/time.hpp"
#include "real/probes/sample.hpp"

#include <atomic>
#include <functional>

namespace gauntlet {

/// Forks, so that no other thread of this process may hold a lock: for programs with one thread. After `deadline` the process is
/// killed, and the sample says so as an error; once `stop` is set, as inconclusive. A death by a signal is an error too (memory
/// that the hardware gives up is a SIGBUS). The process dies with this one.
ProbeSample run_isolated(const std::function<ProbeSample()>& probe, Duration deadline,
                         const std::atomic<bool>* stop = nullptr);

}  // namespace gauntlet
