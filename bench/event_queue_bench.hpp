// What of the event queue is timed.
#pragma once

namespace gauntlet {

/// Adds the hold model on the engine and on a bare std::priority_queue, with 1e3, 1e5 and 1e6 pending events.
void register_event_queue_benchmarks();

}  // namespace gauntlet
