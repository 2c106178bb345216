// The checkpointer of a host: stage two of all its ranks, in a process that outlives them. Its agent starts it, and ends it after the last rank.
#pragma once

#include "real/system/descriptor.hpp"

namespace gauntlet {

/// Serves the ranks that connect to `listener`, a socket that does not block (real/checkpoint/checkpointer_messages.hpp). Once that socket is shut down, it
/// finishes the copies that it was asked to write, without a wait for the shards of other hosts, and returns.
void run_checkpointer(const Descriptor& listener);

}  // namespace gauntlet
