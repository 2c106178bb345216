// `heartbeat`: a host from which nothing is heard is lost.
//
// Latency: heartbeat_timeout. Blind to whatever leaves the host's agent alive: crashes of processes, hangs, slow hosts. A
// gap in telemetry that outlasts the timeout is a false alarm.
#pragma once

#include "policies/detect/suspicion.hpp"

namespace gauntlet {

class HeartbeatDetector : public DetectorBase {
 public:
  void start(const Assignment& assignment, WatchIds& ids, Orders& out) {
    silence_ = ids.take();
    out.add(Watch{.id = silence_,
                  .signal = Signal::heartbeat,
                  .who = Scope::all(ComponentKind::host),
                  .until = Silence{assignment.constants->heartbeat_timeout}});
  }
  using DetectorBase::on;
  void on(const Seen& seen, Time, Orders&, Suspicions& found) {
    if (seen.watch != silence_ || seen.edge != Edge::began) return;
    found.push_back({.host = host_of(seen.who), .sensed = seen.sensed, .cause = seen.watch});
  }

 private:
  WatchId silence_;
};

}  // namespace gauntlet
