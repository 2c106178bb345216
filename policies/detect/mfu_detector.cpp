#include "policies/detect/mfu_detector.hpp"

namespace gauntlet {

void MfuDetector::start(const Assignment& assignment, WatchIds& ids, Orders&) {
  job_ = assignment.job;
  constants_ = &assignment.constants->mfu;
  steps_ = ids.take();
  slower_ = ids.take();
}

void MfuDetector::job_began(Time now, Orders& out) {
  began_ = now;
  learned_from_ = 0;
  order_afresh({.id = steps_,
                .signal = Signal::step,
                .who = Scope::all(ComponentKind::job),
                .until = Sample{constants_->samples}},
               out);
}

void MfuDetector::job_resized(const Inventory&, Orders& out) {
  if (best_ > 0) out.add(Unwatch{slower_});  // its band is that of the job as it was
  best_ = 0;
}

void MfuDetector::on(const Seen& seen, Time now, Orders& out, Suspicions&) {
  if (!job_up) return;
  if (seen.watch == steps_ && learned_from_ < constants_->samples) {
    improved_ = improved_ || best_ == 0 || seen.value < best_;
    if (best_ == 0 || seen.value < best_) best_ = seen.value;
    if (++learned_from_ < constants_->samples || !improved_) return;
    improved_ = false;
    declined_.clear(out);  // what is outside the new band is reported again
    order_afresh({.id = slower_,
                  .signal = Signal::step,
                  .who = Scope::all(ComponentKind::job),
                  .until = Outside{0, best_ / (1 - constants_->decline)}},
                 out);
  }
  if (seen.watch != slower_) return;
  if (seen.edge == Edge::began) {
    left_ = now;
    declined_.began(component(job_), now, constants_->lasting, out);
  } else {
    declined_.ended(component(job_), out);
  }
}

void MfuDetector::on(const Outcome& outcome, Time now, Orders&, Suspicions& found) {
  if (!declined_.on(outcome)) return;
  const bool was_well = left_ - began_ > constants_->lasting;  // since the last start
  found.push_back({.kind = constants_->restart && was_well ? SuspicionKind::degraded : SuspicionKind::unusual,
                   .sensed = now,
                   .cause = slower_});
}

}  // namespace gauntlet
