// `learned-hang`: no step completes for a multiple of the longest of the first steps, as NVRx learns its timeouts
// (https://github.com/NVIDIA/nvidia-resiliency-ext). An alternative to `hang`, which it leaves far behind where steps are
// short.
//
// Latency: multiple x the longest of the first `samples` steps, never below `floor`; until these are known, hang_timeout.
// Names nobody. Blind as `hang` is; a step that is far longer than the first ones, one that waits for a checkpoint for
// instance, is a false alarm unless it lies below the floor. Learned again after each start: the time differs with the
// hosts.
#pragma once

#include "policies/detect/suspicion.hpp"

namespace gauntlet {

class LearnedHangDetector : public DetectorBase {
 public:
  void start(const Assignment& assignment, WatchIds& ids, Orders& out);
  void job_began(Time now, Orders& out);
  using DetectorBase::on;
  void on(const Seen& seen, Time now, Orders& out, Suspicions& found);

 private:
  void watch_for(Duration longest, Orders& out) const;

  const DetectionConstants* constants_ = nullptr;
  WatchId no_step_, steps_;
  std::uint16_t learned_from_ = 0;
  double longest_ = 0;  // seconds
};

}  // namespace gauntlet
