// `traffic-stopped`: the job's hosts send nothing any more. MegaScale recovers by itself when RDMA traffic ceases
// (https://arxiv.org/abs/2402.15627, section 4.1).
//
// Latency: `lasting` and an interval of traffic. Names nobody: in a gang everybody falls silent with the culprit. Blind to a
// job that still sends something; a stall that would have healed later is a false alarm.
#pragma once

#include "policies/detect/suspicion.hpp"

namespace gauntlet {

class TrafficStoppedDetector : public DetectorBase {
 public:
  void start(const Assignment& assignment, WatchIds& ids, Orders& out) {
    silence_ = ids.take();
    out.add(Watch{.id = silence_,
                  .signal = Signal::traffic,
                  .who = Scope::hosts_of(assignment.job),
                  .until = Silence{assignment.constants->traffic_stopped.lasting},
                  .first = 0});
  }
  using DetectorBase::on;
  void on(const Seen& seen, Time, Orders&, Suspicions& found) {
    if (seen.watch != silence_ || seen.edge != Edge::began || !job_up) return;
    found.push_back({.sensed = seen.sensed, .cause = silence_});
  }

 private:
  WatchId silence_;
};

}  // namespace gauntlet
