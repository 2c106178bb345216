#include "policies/detect/fail_slow_detector.hpp"

#include "policies/detect/peers.hpp"
#include "policies/detect/stages.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {

void FailSlowDetector::start(const Assignment& assignment, WatchIds& ids, Orders& out) {
  job_ = assignment.job;
  constants_ = &assignment.constants->fail_slow;
  groups_.assign(assignment.inventory.layout.pp * kSegments.size(), {});
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const WatchId id = ids.take();
    if (g == 0) first_ = id;
    ids.take();
  }
  job_resized(assignment.inventory, out);
}

void FailSlowDetector::job_resized(const Inventory& inventory, Orders& out) {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].hosts = slots_of_stage(inventory, static_cast<std::uint32_t>(g / kSegments.size()));
    if (std::exchange(groups_[g].beyond, 0) > 0) out.add(Unwatch{band_of(g)});
  }
}

Scope FailSlowDetector::hosts_of(std::size_t group, std::uint16_t most) const {
  return Scope::hosts_of_stage(job_, static_cast<std::uint32_t>(group / kSegments.size()), most);
}

std::size_t FailSlowDetector::expected(const Group& group) const {
  return std::size_t{std::min<std::uint32_t>(group.hosts, constants_->peers)} * constants_->samples;
}

void FailSlowDetector::order_samples(std::size_t group, Orders& out) {
  groups_[group].learning.clear();
  order_afresh({.id = samples_of(group),
                .signal = kSegments[group % kSegments.size()],
                .who = hosts_of(group, constants_->peers),
                .until = Sample{constants_->samples}},
               out);
}

void FailSlowDetector::order_band(std::size_t group, Orders& out) const {
  order_afresh({.id = band_of(group),
                .signal = kSegments[group % kSegments.size()],
                .who = hosts_of(group, kEachMember),
                .until = Outside{0, groups_[group].beyond}},
               out);
}

void FailSlowDetector::job_began(Time, Orders& out) {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].hosts < kFewestPeers) continue;
    if (groups_[g].beyond == 0) order_samples(g, out);
  }
}

void FailSlowDetector::job_ended(Orders& out) {
  for (Group& group : groups_) group.outside.clear(out);
}

void FailSlowDetector::on(const Seen& seen, Time now, Orders& out, Suspicions&) {
  const std::size_t offset = seen.watch.value - first_.value;
  const std::size_t g = offset / 2;
  if (g >= groups_.size() || !job_up) return;
  Group& group = groups_[g];
  if (offset % 2 == 1) {
    if (seen.edge == Edge::began) group.outside.began(seen.who, now, constants_->continuity, out);
    if (seen.edge == Edge::ended) group.outside.ended(seen.who, out);
    return;
  }
  const std::size_t enough = expected(group);
  if (group.learning.size() == enough) return;
  group.learning.push_back(seen.value);
  if (group.learning.size() < enough) return;
  group.beyond = slow_beyond(group.learning, constants_->deviations, constants_->least_excess);
  order_band(g, out);
}

void FailSlowDetector::on(const Outcome& outcome, Time now, Orders& out, Suspicions& found) {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto slow = groups_[g].outside.on(outcome);
    if (!slow) continue;
    if (4 * groups_[g].outside.size() > groups_[g].hosts) {
      groups_[g].outside.clear(out);
      out.add(Unwatch{band_of(g)});
      order_samples(g, out);
    } else {
      found.push_back(
          {.host = host_of(*slow), .kind = SuspicionKind::degraded, .sensed = now, .cause = band_of(g)});
    }
    return;
  }
}

}  // namespace gauntlet
