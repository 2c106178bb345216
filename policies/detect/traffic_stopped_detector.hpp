// `traffic-stopped`: the job's hosts send nothing any more. MegaScale recovers by itself when RDMA traffic ceases
// (https://arxiv.org/abs/2402.15627, section 4.1).
//
// Latency: `lasting` and an interval of traffic. Names nobody: in a gang everybody falls silent with the culprit. Blind to a
// job that still sends something; a stall that would have healed later is a false alarm.
#pragma once

#include "policies/detect/lasting.hpp"
#include "policies/detect/suspicion.hpp"

#include <limits>

namespace gauntlet {

class TrafficStoppedDetector : public DetectorBase {
 public:
  void start(const Assignment& assignment, WatchIds& ids, Orders& out) {
    job_ = assignment.job;
    constants_ = &assignment.constants->traffic_stopped;
    low_ = ids.take();
    out.add(Watch{.id = low_,
                  .signal = Signal::traffic,
                  .who = Scope::hosts_of(job_),
                  .until = Outside{constants_->low, std::numeric_limits<double>::infinity()},
                  .first = 0});
  }
  void job_ended(Orders& out) { stopped_.clear(out); }
  void on(const Seen& seen, Time now, Orders& out, Suspicions&) {
    if (seen.watch != low_ || !job_up) return;
    // Whoever is reported first stands for all of them, and need not be the same the next time.
    if (seen.edge == Edge::began) stopped_.began(component(job_), now, constants_->lasting, out);
    if (seen.edge == Edge::ended) stopped_.ended(component(job_), out);
  }
  void on(const Outcome& outcome, Time now, Orders&, Suspicions& found) {
    if (stopped_.on(outcome)) found.push_back({.sensed = now, .cause = low_});
  }

 private:
  JobId job_;
  const TrafficStoppedConstants* constants_ = nullptr;
  WatchId low_;
  Lasting stopped_;
};

}  // namespace gauntlet
