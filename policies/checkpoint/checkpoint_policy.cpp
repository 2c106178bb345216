#include "policies/checkpoint/checkpoint_policy.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {
namespace {

void order(Tier tier, Duration interval, JobId job, Orders& out) {
  if (interval != kForever) out.add(CheckpointEvery{job, interval, tier});
}

bool differs(Duration a, Duration b, double share) {
  return std::abs(to_seconds(a) - to_seconds(b)) > share * to_seconds(b);
}

}  // namespace

void LearnedMtbf::start(const CheckpointConstants& constants, Time now) {
  prior_weight_ = constants.prior_weight;
  prior_time_ = to_seconds(constants.prior_mtbf) * constants.prior_weight;
  started_ = last_ = now;
}

Duration LearnedMtbf::mean() const {
  return from_seconds((prior_time_ + to_seconds(last_ - started_)) / (prior_weight_ + failures_));
}

void FixedInterval::start(JobId job, const CheckpointConstants& constants, Time, WatchIds&, Orders& out) {
  order(Tier::memory, constants.memory_interval, job, out);
  order(Tier::peers, constants.peers_interval, job, out);
  order(Tier::storage, constants.interval, job, out);
}

// --- one interval ------------------------------------------------------------------------------------------------------

void OptimalInterval::start(JobId job, const CheckpointConstants& constants, Time now, WatchIds& ids,
                            Orders& out) {
  job_ = job;
  constants_ = &constants;
  cost_watch_ = ids.take();
  mtbf_.start(constants, now);
  cost_ = constants.prior_cost;
  order(Tier::memory, constants.memory_interval, job, out);
  order(Tier::peers, constants.peers_interval, job, out);
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
  mtbf_.failed();
  adjust(now, out);
}

Duration OptimalInterval::best() const {
  switch (formula_) {
    case Formula::young:
      return young_interval(cost_, mtbf_.mean());
    case Formula::daly:
      return daly_interval(cost_, mtbf_.mean());
    case Formula::exact:
      break;
  }
  return exact_interval(cost_, mtbf_.mean());
}

void OptimalInterval::adjust(Time now, Orders& out) {
  mtbf_.pass(now);
  const Duration interval = std::max(best(), constants_->shortest);
  if (!differs(interval, ordered_, constants_->hysteresis)) return;
  ordered_ = interval;
  out.add(CheckpointEvery{job_, interval});
}

// --- two ---------------------------------------------------------------------------------------------------------------

void TwoLevelInterval::start(JobId job, const CheckpointConstants& constants, Time now, WatchIds&,
                             Orders& out) {
  job_ = job;
  constants_ = &constants;
  mtbf_.start(constants, now);
  if (constants.peers_interval != kForever) {
    quick_ = Tier::peers;
    order(Tier::memory, constants.memory_interval, job, out);
  }
  adjust(now, out);
}

void TwoLevelInterval::stopped_by_fault(Time now, Orders& out) {
  mtbf_.failed();
  adjust(now, out);
}

void TwoLevelInterval::adjust(Time now, Orders& out) {
  mtbf_.pass(now);
  // Intervals go with the square root of the mean: when it has moved by less, no new plan differs enough, and none is sought.
  const Duration mean = mtbf_.mean();
  if (!differs(mean, planned_for_, constants_->hysteresis)) return;
  planned_for_ = mean;
  const double rate = 1 / std::max(to_seconds(mean), 1e-9);
  const TwoLevelPlan plan = two_level_optimum({.quick_cost = to_seconds(constants_->prior_quick_cost),
                                               .storage_cost = to_seconds(constants_->prior_cost),
                                               .quick_rate = rate * (1 - constants_->host_loss),
                                               .storage_rate = rate * constants_->host_loss},
                                              std::max(constants_->shortest, Duration(1)));
  // Where a period has one segment, nothing is left for the quick tier.
  const Duration segment = plan.segments > 1 ? plan.segment : kForever;
  const Duration period = from_seconds(plan.segments * to_seconds(plan.segment));
  if (!differs(segment, segment_, constants_->hysteresis) &&
      !differs(period, period_, constants_->hysteresis))
    return;
  if (segment != kForever || segment_ > Duration::zero()) out.add(CheckpointEvery{job_, segment, quick_});
  segment_ = segment;
  period_ = period;
  out.add(CheckpointEvery{job_, period});
}

}  // namespace gauntlet
