// `flap`: a host whose NIC goes down and comes back again and again. It is degraded and, once replaced, kept in quarantine:
// the hysteresis without which it would be readmitted and flap again.
//
// gpud calls three returns within 12 h, each after at least 25 s down, flapping (https://github.com/leptonai/gpud). A line
// does not say for how long a NIC was down; in a gang the traffic of the whole job does. So a line counts when traffic stood
// still for `least_down` around it.
//
// Latency: the n-th return, from a line and the return of traffic. Blind to NICs that log nothing, to flaps that traffic
// hides (two hosts at once count both), and to those that stop the job, which are an incident anyway.
#pragma once

#include "policies/detect/suspicion.hpp"

#include <deque>
#include <map>

namespace gauntlet {

class FlapDetector : public DetectorBase {
 public:
  void start(const Assignment& assignment, WatchIds& ids, Orders& out);
  void job_began(Time, Orders&) { still_ = false; }
  void job_ended(Orders&) { waiting_.clear(); }
  using DetectorBase::on;
  void on(const Seen& seen, Time now, Orders& out, Suspicions& found);

 private:
  struct Down {
    HostId host;
    Time at;
  };
  void forget_old_lines(Time now);
  void returned(const Down& down, Time now, Suspicions& found);

  const DetectionConstants* constants_ = nullptr;
  WatchId traffic_, first_line_;
  bool still_ = false;        // no traffic for `least_down` by now
  std::deque<Down> waiting_;  // for traffic to stay away, and to come back; the earliest first
  std::map<HostId, std::deque<Time>> returns_;
};

}  // namespace gauntlet
