#include "policies/detect/traffic_period_detector.hpp"

#include "core/infinity.hpp"
#include "policies/detect/peers.hpp"

#include <utility>

namespace gauntlet {

void TrafficPeriodDetector::start(const Assignment& assignment, WatchIds& ids, Orders& out) {
  job_ = assignment.job;
  constants_ = &assignment.constants->traffic_period;
  traffic_ = ids.take();
  periods_ = ids.take();
  period_ = ids.take();
  watch_traffic(out);
}

void TrafficPeriodDetector::watch_traffic(Orders& out) const {
  out.add(Watch{.id = traffic_,
                .signal = Signal::traffic,
                .who = Scope::hosts_of(job_),
                .until = Outside{constants_->least, kInfinity},
                .first = 0});
}

void TrafficPeriodDetector::watch_period(Orders& out) const {
  const double middle = median(learning_);
  out.add(
      Watch{.id = period_,
            .signal = Signal::traffic_period,
            .who = Scope::hosts_of(job_),
            .until = Outside{middle * (1 - constants_->fluctuation), middle * (1 + constants_->fluctuation)},
            .first = 0});
}

void TrafficPeriodDetector::job_began(Time, Orders& out) {
  if (std::exchange(declined_, false)) watch_traffic(out);
  if (std::exchange(fluctuated_, false)) watch_period(out);
  if (learned()) return;  // the period belongs to the job, as large as it is
  learning_.clear();
  // In a gang the period is everybody's: one host tells it.
  order_afresh({.id = periods_,
                .signal = Signal::traffic_period,
                .who = Scope::hosts_of_stage(job_, 0, 1),
                .until = Sample{constants_->samples}},
               out);
}

void TrafficPeriodDetector::job_resized(const Inventory&, Orders& out) {
  if (learned()) out.add(Unwatch{period_});
  learning_.clear();
  fluctuated_ = false;
}

void TrafficPeriodDetector::on(const Seen& seen, Time, Orders& out, Suspicions& found) {
  const bool of_traffic = seen.watch == traffic_, of_period = seen.watch == period_;
  if ((of_traffic || of_period) && seen.edge == Edge::began) {
    if (std::exchange(of_traffic ? declined_ : fluctuated_, true)) return;
    out.add(Unwatch{seen.watch});  // a level at the edge of its band crosses it again and again
    found.push_back({.kind = SuspicionKind::unusual, .sensed = seen.sensed, .cause = seen.watch});
  }
  if (seen.watch != periods_ || learned()) return;
  learning_.push_back(seen.value);
  if (learned()) watch_period(out);
}

}  // namespace gauntlet
