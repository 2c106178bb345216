// The order in which gRPC takes its locks: whether its library records it.
#pragma once

namespace gauntlet {

/// Switches off the search for deadlocks within gRPC's locks, for the process. Abseil has it where it was built without NDEBUG, as Debian's
/// is. Each lock is then looked up, under one spin lock, in a table of 8,171 lists of all locks (graphcycles.cc): with thousands of agents
/// the lists are long, all threads wait for each other, and handshakes take longer than an agent may.
void ignore_lock_order();

}  // namespace gauntlet
