#include "policies/detect/flap_detector.hpp"

#include <utility>

namespace gauntlet {

void FlapDetector::start(const Assignment& assignment, WatchIds& ids, Orders& out) {
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
  if (lines.empty() || constants_->flap.least_down == Duration::zero()) return;
  out.add(Watch{.id = traffic_,
                .signal = Signal::traffic,
                .who = Scope::hosts_of(assignment.job),
                .until = Silence{constants_->flap.least_down},
                .first = 0});
}

/// A line that came so long ago belongs to no standstill that is told of now.
void FlapDetector::forget_old_lines(Time now) {
  const Duration kept = constants_->flap.least_down + constants_->flap.apart;
  while (!waiting_.empty() && after(waiting_.front().at, kept) < now) waiting_.pop_front();
}

void FlapDetector::on(const Seen& seen, Time now, Orders&, Suspicions& found) {
  if (seen.watch == traffic_) {
    if (seen.edge == Edge::began) {
      still_ = true;
      forget_old_lines(now);
    } else if (std::exchange(still_, false)) {
      for (const Down& down : waiting_) returned(down, now, found);
      waiting_.clear();
    }
    return;
  }
  const std::uint32_t line = seen.watch.value - first_line_.value;
  if (line >= constants_->flap.lines.size()) return;
  const Down down{host_of(seen.who), now};
  if (constants_->flap.least_down == Duration::zero()) return returned(down, now, found);
  if (!still_) forget_old_lines(now);
  waiting_.push_back(down);
}

void FlapDetector::returned(const Down& down, Time now, Suspicions& found) {
  std::deque<Time>& returns = returns_[down.host];
  while (!returns.empty() && after(returns.front(), constants_->flap.window) < now) returns.pop_front();
  returns.push_back(now);
  if (returns.size() < constants_->flap.returns) return;
  returns_.erase(down.host);
  found.push_back({.host = down.host,
                   .kind = SuspicionKind::degraded,
                   .sensed = now,
                   .quarantine = constants_->flap.quarantine,
                   .cause = traffic_});
}

}  // namespace gauntlet
