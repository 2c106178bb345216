#include "policies/detect/change_point_detector.hpp"

#include "policies/detect/peers.hpp"
#include "policies/detect/stages.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

constexpr std::uint16_t kSteps = 16;  // that a step time is learned from

/// One timing for each host: the median of its own.
std::vector<std::pair<HostId, double>> of_each(std::vector<std::pair<HostId, double>> timings) {
  std::sort(timings.begin(), timings.end());
  std::vector<std::pair<HostId, double>> out;
  for (auto at = timings.begin(); at != timings.end();) {
    const HostId host = at->first;
    std::vector<double> own;
    for (; at != timings.end() && at->first == host; ++at) own.push_back(at->second);
    out.emplace_back(host, median(std::move(own)));
  }
  return out;
}

}  // namespace

void ChangePointDetector::start(const Assignment& assignment, WatchIds& ids, Orders&) {
  job_ = assignment.job;
  constants_ = &assignment.constants->fail_slow;
  inventory_ = assignment.inventory;
  steps_ = ids.take();
  change_ = ids.take();
  for (std::size_t g = 0; g < inventory_.layout.pp * kSegments.size(); ++g) {
    const WatchId id = ids.take();
    if (g == 0) first_ = id;
  }
}

void ChangePointDetector::job_resized(const Inventory& inventory, Orders& out) {
  if (usual_ > 0) out.add(Unwatch{change_});  // its band is that of the job as it was
  inventory_ = inventory;
  usual_ = 0;
}

void ChangePointDetector::job_began(Time, Orders& out) {
  learning_.clear();
  order_afresh(
      {.id = steps_, .signal = Signal::step, .who = Scope::all(ComponentKind::job), .until = Sample{kSteps}},
      out);
}

void ChangePointDetector::job_ended(Orders& out) {
  changed_.clear(out);
  asked_.clear();
  if (deadline_) out.add(Cancel{*deadline_});
  deadline_.reset();
}

void ChangePointDetector::learn(double step, Orders& out) {
  if (learning_.size() == kSteps) return;
  learning_.push_back(step);
  if (learning_.size() < kSteps) return;
  const double middle = median(learning_);
  if (usual_ == 0 || middle < usual_) usual_ = middle;
  changed_.clear(out);  // what is outside the new band is reported again
  order_afresh({.id = change_,
                .signal = Signal::step,
                .who = Scope::all(ComponentKind::job),
                .until = Outside{0, usual_ * (1 + constants_->change)}},
               out);
}

void ChangePointDetector::on(const Seen& seen, Time now, Orders& out, Suspicions& found) {
  if (!job_up) return;
  if (seen.watch == steps_) learn(seen.value, out);
  if (seen.watch == change_) {
    if (seen.edge == Edge::began) changed_.began(component(job_), now, constants_->continuity, out);
    if (seen.edge == Edge::ended) changed_.ended(component(job_), out);
  }
  const std::size_t group = seen.watch.value - first_.value;
  if (group >= asked_.size()) return;
  asked_[group].emplace_back(host_of(seen.who), seen.value);
  if (awaited_ > 0 && --awaited_ == 0) judge(now, out, found);
}

void ChangePointDetector::on(const Outcome& outcome, Time now, Orders& out, Suspicions& found) {
  if (changed_.on(outcome)) ask_everybody(now, out);
  if (deadline_ != outcome.order) return;
  deadline_.reset();
  judge(now, out, found);
}

void ChangePointDetector::ask_everybody(Time now, Orders& out) {
  asked_.assign(inventory_.layout.pp * kSegments.size(), {});
  awaited_ = 0;
  for (std::uint32_t g = 0; g < asked_.size(); ++g) {
    const auto stage = static_cast<std::uint32_t>(g / kSegments.size());
    const std::uint32_t hosts = slots_of_stage(inventory_, stage);
    if (hosts < kFewestPeers) continue;
    awaited_ += std::size_t{hosts} * constants_->samples;
    order_afresh({.id = {first_.value + g},
                  .signal = kSegments[g % kSegments.size()],
                  .who = Scope::hosts_of_stage(job_, stage),
                  .until = Sample{constants_->samples}},
                 out);
  }
  // Those that do not answer are not waited for without end.
  deadline_ = out.add(Wake{after(now, constants_->continuity)});
}

std::vector<HostId> ChangePointDetector::slow_ones(Timings timings) const {
  std::vector<HostId> slow;
  if (timings.empty()) return slow;
  timings = of_each(std::move(timings));
  std::vector<double> peers;
  for (const auto& [host, seconds] : timings) peers.push_back(seconds);
  const double beyond = slow_beyond(peers, constants_->deviations, constants_->least_excess);
  for (const auto& [host, seconds] : timings)
    if (seconds > beyond) slow.push_back(host);
  return slow;
}

void ChangePointDetector::judge(Time now, Orders& out, Suspicions& found) {
  if (deadline_) out.add(Cancel{*deadline_});
  deadline_.reset();
  std::vector<HostId> slow;
  for (Timings& timings : asked_) {
    for (const HostId host : slow_ones(std::move(timings))) slow.push_back(host);
  }
  asked_.clear();
  std::sort(slow.begin(), slow.end());
  slow.erase(std::unique(slow.begin(), slow.end()), slow.end());
  for (const HostId host : slow)
    found.push_back({.host = host, .kind = SuspicionKind::degraded, .sensed = now, .cause = change_});
  if (slow.empty()) found.push_back({.kind = SuspicionKind::unusual, .sensed = now, .cause = change_});
}

}  // namespace gauntlet
