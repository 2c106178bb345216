#include "policies/checkpoint/checkpoint_policy.hpp"

#include "policies/checkpoint/interval.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {

void FixedInterval::start(JobId job, const CheckpointConstants& constants, Time, WatchIds&, Orders& out) {
  out.add(CheckpointEvery{job, constants.interval});
}

void OptimalInterval::start(JobId job, const CheckpointConstants& constants, Time now, WatchIds& ids,
                            Orders& out) {
  job_ = job;
  constants_ = &constants;
  cost_watch_ = ids.take();
  started_ = last_ = now;
  cost_ = constants.prior_cost;
  adjust(now, out);
}

void OptimalInterval::training_began(Orders& out) {
  out.add(Unwatch{cost_watch_});
  out.add(Watch{.id = cost_watch_,
                .signal = Signal::checkpoint_stall,
                .who = Scope::all(ComponentKind::job),
                .until = Sample{1}});
}

void OptimalInterval::on(const Seen& seen, Orders& out) {
  if (seen.watch != cost_watch_) return;
  cost_ = from_seconds(seen.value);
  adjust(seen.sensed, out);
}

void OptimalInterval::stopped_by_fault(Time now, Orders& out) {
  ++failures_;
  adjust(now, out);
}

void OptimalInterval::adjust(Time now, Orders& out) {
  last_ = std::max(last_, now);
  const double evidence =
      to_seconds(constants_->prior_mtbf) * constants_->prior_weight + to_seconds(last_ - started_);
  const Duration mtbf = from_seconds(evidence / (constants_->prior_weight + failures_));
  const Duration best = formula_ == Formula::young ? young_interval(cost_, mtbf) : daly_interval(cost_, mtbf);
  const Duration interval = std::max(best, constants_->shortest);
  if (std::abs(to_seconds(interval) - to_seconds(ordered_)) <= constants_->hysteresis * to_seconds(ordered_))
    return;
  ordered_ = interval;
  out.add(CheckpointEvery{job_, interval});
}

}  // namespace gauntlet
