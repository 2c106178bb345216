// `traffic-period`: traffic declines, or its period is no longer that of the steps. A person is told and nothing is
// restarted, as MegaScale does (https://arxiv.org/abs/2402.15627, section 4.1).
//
// Latency: an interval of traffic, after the first periods since the start have been learned. Blind to what changes neither
// bytes nor period: a host whose slowness the others hide. Tells of each once for each start of the job.
#pragma once

#include "policies/detect/suspicion.hpp"

#include <vector>

namespace gauntlet {

class TrafficPeriodDetector : public DetectorBase {
 public:
  void start(const Assignment& assignment, WatchIds& ids, Orders& out);
  void job_began(Time now, Orders& out);
  void job_resized(const Inventory& inventory, Orders& out);
  using DetectorBase::on;
  void on(const Seen& seen, Time now, Orders& out, Suspicions& found);

 private:
  JobId job_;
  const TrafficPeriodConstants* constants_ = nullptr;
  void watch_traffic(Orders& out) const;
  void watch_period(Orders& out) const;
  bool learned() const { return learning_.size() == constants_->samples; }

  WatchId traffic_, periods_, period_;
  std::vector<double> learning_;  // seconds
  // Told since the job's last start, and not watched any more.
  bool declined_ = false, fluctuated_ = false;
};

}  // namespace gauntlet
