// Ctrl-C: the run ends early and reports what is done. A second one ends the program at once.
#pragma once

#include <atomic>

namespace gauntlet {

/// Begins to listen for SIGINT and SIGTERM. What it gives is set by the first of them, and by whoever else wants to stop.
std::atomic<bool>& stop_on_interrupt();

/// The signal that came; 0 where none did.
int interrupting_signal();

}  // namespace gauntlet
