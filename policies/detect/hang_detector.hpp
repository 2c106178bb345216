// `hang`: no step completes for a fixed time.
//
// Latency: hang_timeout. Names nobody. Blind to a job that goes on, however slowly; a stall that would have healed later
// (a checkpoint, a flapping NIC) is a false alarm.
#pragma once

#include "policies/detect/suspicion.hpp"

namespace gauntlet {

class HangDetector : public DetectorBase {
 public:
  void start(const Assignment& assignment, WatchIds& ids, Orders& out) {
    no_step_ = ids.take();
    out.add(Watch{.id = no_step_,
                  .signal = Signal::step,
                  .who = Scope::all(ComponentKind::job),
                  .until = Silence{assignment.constants->hang_timeout}});
  }
  using DetectorBase::on;
  void on(const Seen& seen, Time, Orders&, Suspicions& found) {
    if (seen.watch == no_step_ && seen.edge == Edge::began)
      found.push_back({.sensed = seen.sensed, .cause = seen.watch});
  }

 private:
  WatchId no_step_;
};

}  // namespace gauntlet
