// `collective-timeout`: the lines of victims: a rank that waited longer than the collective timeout, and one that lost a
// peer.
//
// Latency: the collective timeout after a hang, a hop or more after a crash, and the delay of telemetry. Names nobody: every
// rank that waits logs them. Blind to whatever the job survives. The collective timeout itself is a parameter of the job:
// shorter than a NIC takes to come back, it turns a stall into a crash.
#pragma once

#include "policies/detect/suspicion.hpp"

namespace gauntlet {

class CollectiveTimeoutDetector : public DetectorBase {
 public:
  void start(const Assignment&, WatchIds& ids, Orders& out) {
    timeout_ = ids.take();
    peer_lost_ = ids.take();
    // Core has no names for them; see World::patterns. One victim tells as much as all of them.
    watch(timeout_, PatternId{0}, out);
    watch(peer_lost_, PatternId{1}, out);
  }
  using DetectorBase::on;
  void on(const Seen& seen, Time, Orders&, Suspicions& found) {
    if (seen.watch == timeout_ || seen.watch == peer_lost_)
      found.push_back({.sensed = seen.sensed, .cause = seen.watch});
  }

 private:
  static void watch(WatchId id, PatternId pattern, Orders& out) {
    out.add(Watch{.id = id,
                  .signal = Signal::log_line,
                  .who = Scope::all(ComponentKind::host),
                  .until = Match{pattern},
                  .first = 1});
  }

  WatchId timeout_, peer_lost_;
};

}  // namespace gauntlet
