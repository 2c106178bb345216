// `loss`: the training loss is not a number, or jumps above its running median. The job goes back to its last checkpoint, or to
// an older one (recovery.roll_back).
//
// Latency: a step. Names nobody. Blind to corruption that leaves the loss where it is, and to what is in the checkpoint
// already. A spike that the model would have survived is a false alarm.
#pragma once

#include "core/infinity.hpp"
#include "policies/detect/suspicion.hpp"

namespace gauntlet {

class LossDetector : public DetectorBase {
 public:
  void start(const Assignment& assignment, WatchIds& ids, Orders& out) {
    spike_ = ids.take();
    // NaN lies outside any band.
    out.add(Watch{.id = spike_,
                  .signal = Signal::loss,
                  .who = Scope::all(ComponentKind::job),
                  .until = Outside{-kInfinity, assignment.constants->loss.spike}});
  }
  using DetectorBase::on;
  void on(const Seen& seen, Time, Orders&, Suspicions& found) {
    if (seen.watch == spike_ && seen.edge == Edge::began)
      found.push_back(
          {.kind = SuspicionKind::restart, .sensed = seen.sensed, .cause = seen.watch, .wrong = true});
  }

 private:
  WatchId spike_;
};

}  // namespace gauntlet
