// The agent: one process per host that supervises its ranks, filters what they report, and obeys one driver.
#pragma once

#include "real/agent/options.hpp"

namespace gauntlet {

/// Returns when the agent has ended, with none of its ranks left. Says on standard error what a person should know. To
/// be called on the main thread: the kernel kills the ranks when the thread that started them ends, however it ends.
int run_agent(const AgentOptions& options);

}  // namespace gauntlet
