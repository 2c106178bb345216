// `mfu`: steps that take longer than the best that were seen. MFU is inversely proportional to the step time, so that its
// trend is that of the steps. Whether a person is told or the job is saved and started again is a constant: a restart mends
// what grows within the processes, such as irregular garbage collection (MegaScale, https://arxiv.org/abs/2402.15627,
// section 6.3), and nothing else.
//
// Latency: `lasting`, once the step time has grown by the decline. Names nobody. Blind to what slows the very first steps
// of the run, and to declines that stay below. A restart that did not help is not repeated: a person is told.
#pragma once

#include "policies/detect/lasting.hpp"
#include "policies/detect/suspicion.hpp"

namespace gauntlet {

class MfuDetector : public DetectorBase {
 public:
  void start(const Assignment& assignment, WatchIds& ids, Orders& out);
  void job_began(Time now, Orders& out);
  void job_ended(Orders& out) { declined_.clear(out); }
  void job_resized(const Inventory&, Orders& out);
  void on(const Seen& seen, Time now, Orders& out, Suspicions& found);
  void on(const Outcome& outcome, Time now, Orders& out, Suspicions& found);

 private:
  JobId job_;
  const MfuConstants* constants_ = nullptr;
  WatchId steps_, slower_;
  std::uint16_t learned_from_ = 0;  // steps of this start
  double best_ = 0;        // seconds, since the beginning of the run, or at this size; zero: not known yet
  bool improved_ = false;  // since the band was ordered
  Time began_{};           // of this start
  Time left_{};            // when the step time left its band
  Lasting declined_;
};

}  // namespace gauntlet
