#include "policies/detect/flap_detector.hpp"

#include <limits>

namespace gauntlet {
namespace {

/// A line and the samples of traffic around it are this far apart at most: both are a second old when they arrive.
constexpr Duration kApart = std::chrono::seconds(5);

}  // namespace

void FlapDetector::start(const Assignment& assignment, WatchIds& ids, Orders& out) {
  job_ = assignment.job;
  constants_ = assignment.constants;
  traffic_ = ids.take();
  const auto& lines = constants_->flap.lines;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const WatchId id = ids.take();
    if (i == 0) first_line_ = id;
    out.add(Watch{.id = id,
                  .signal = Signal::log_line,
                  .who = Scope::all(ComponentKind::host),
                  .until = Match{lines[i]}});
  }
}

void FlapDetector::job_began(Time, Orders& out) {
  still_ = false;
  if (constants_->flap.lines.empty() || constants_->flap.least_down == Duration::zero()) return;
  order_afresh({.id = traffic_,
                .signal = Signal::traffic,
                .who = Scope::hosts_of(job_),
                .until = Outside{constants_->traffic_stopped.low, std::numeric_limits<double>::infinity()},
                .first = 0},
               out);
}

void FlapDetector::on(const Seen& seen, Time now, Orders&, Suspicions& found) {
  if (seen.watch == traffic_) {
    if (seen.edge == Edge::began) {
      if (!still_) still_since_ = now;
      still_ = true;
      std::erase_if(waiting_, [&](const Down& down) { return after(down.at, kApart) < now; });
    } else if (still_) {
      still_ = false;
      if (now - still_since_ >= constants_->flap.least_down)
        for (const Down& down : waiting_) returned(down, now, found);
      waiting_.clear();
    }
    return;
  }
  const std::uint32_t line = seen.watch.value - first_line_.value;
  if (line >= constants_->flap.lines.size()) return;
  const Down down{host_of(seen.who), now};
  if (constants_->flap.least_down == Duration::zero()) return returned(down, now, found);
  if (!still_) std::erase_if(waiting_, [&](const Down& each) { return after(each.at, kApart) < now; });
  waiting_.push_back(down);
}

void FlapDetector::returned(const Down& down, Time now, Suspicions& found) {
  std::deque<Time>& returns = returns_[down.host];
  while (!returns.empty() && after(returns.front(), constants_->flap.window) < now) returns.pop_front();
  returns.push_back(now);
  if (returns.size() < constants_->flap.returns) return;
  returns_.erase(down.host);
  found.push_back({.host = down.host,
                   .gravity = Gravity::degraded,
                   .sensed = now,
                   .quarantine = constants_->flap.quarantine,
                   .cause = traffic_});
}

}  // namespace gauntlet
