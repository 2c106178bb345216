// Ctrl-C, and the other signals that ask a program to end: it stops early and reports what is done.
//
// The first of SIGINT, SIGTERM and SIGHUP sets a flag, which every replica under way asks, and says so on standard error. One
// more, a second later or after, ends the program at once: what sends a signal to a process and to its group sends two.
// A terminal that goes away sends SIGHUP more than once, so that never does. Where SIGHUP is ignored (nohup) it stays so.
#pragma once

#include <atomic>

namespace gauntlet {

/// Begins to listen. What it gives is set by the first signal, and by whoever else wants to stop. Where a Caller runs the command it
/// is the Caller's, and nobody listens.
std::atomic<bool>& stop_on_interrupt();

/// The signal that came first; 0 where none did, or a Caller stopped the command.
int interrupting_signal();

}  // namespace gauntlet
