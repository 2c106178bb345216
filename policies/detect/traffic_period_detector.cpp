#include "policies/detect/traffic_period_detector.hpp"

#include "policies/detect/peers.hpp"

#include <limits>

namespace gauntlet {

void TrafficPeriodDetector::start(const Assignment& assignment, WatchIds& ids, Orders& out) {
  job_ = assignment.job;
  constants_ = &assignment.constants->traffic_period;
  traffic_ = ids.take();
  periods_ = ids.take();
  period_ = ids.take();
  out.add(Watch{.id = traffic_,
                .signal = Signal::traffic,
                .who = Scope::hosts_of(job_),
                .until = Outside{constants_->least, std::numeric_limits<double>::infinity()},
                .first = 0});
}

void TrafficPeriodDetector::job_began(Time, Orders& out) {
  if (learning_.size() == constants_->samples) return;  // the period belongs to the job
  learning_.clear();
  // In a gang the period is everybody's: one host tells it.
  order_afresh({.id = periods_,
                .signal = Signal::traffic_period,
                .who = Scope::hosts_of_stage(job_, 0, 1),
                .until = Sample{constants_->samples}},
               out);
}

void TrafficPeriodDetector::on(const Seen& seen, Time, Orders& out, Suspicions& found) {
  const bool left_band = (seen.watch == traffic_ || seen.watch == period_) && seen.edge == Edge::began;
  // Nothing at all is a job that stands still, which is for others to judge: it may only be saving a checkpoint.
  if (left_band && seen.value > 0)
    found.push_back({.gravity = Gravity::unusual, .sensed = seen.sensed, .cause = seen.watch});
  if (seen.watch != periods_ || seen.value <= 0 || learning_.size() == constants_->samples) return;
  learning_.push_back(seen.value);
  if (learning_.size() < constants_->samples) return;
  const double middle = median(learning_);
  order_afresh(
      {.id = period_,
       .signal = Signal::traffic_period,
       .who = Scope::hosts_of(job_),
       .until = Outside{middle * (1 - constants_->fluctuation), middle * (1 + constants_->fluctuation)},
       .first = 0},
      out);
}

}  // namespace gauntlet
