#include "policies/detect/detector.hpp"

#include <algorithm>

namespace gauntlet {

void HeartbeatDetector::start(const DetectionConstants& constants, WatchIds& ids, Orders& out) {
  silence_ = ids.take();
  exit_ = ids.take();
  out.add(Watch{.id = silence_,
                .signal = Signal::heartbeat,
                .who = Scope::all(ComponentKind::host),
                .until = Silence{constants.heartbeat_timeout}});
  out.add(Watch{
      .id = exit_, .signal = Signal::process_exit, .who = Scope::all(ComponentKind::host), .until = Match{}});
}

std::optional<Suspicion> HeartbeatDetector::on(const Seen& seen) const {
  const bool silent = seen.watch == silence_ && seen.edge == Edge::began;
  if (silent || seen.watch == exit_) return Suspicion{host_of(seen.who)};
  return std::nullopt;
}

void LogDetector::start(const DetectionConstants& constants, WatchIds& ids, Orders& out) {
  for (const PatternId pattern : constants.log_patterns) {
    lines_.push_back(ids.take());
    out.add(Watch{.id = lines_.back(),
                  .signal = Signal::log_line,
                  .who = Scope::all(ComponentKind::host),
                  .until = Match{pattern}});
  }
}

std::optional<Suspicion> LogDetector::on(const Seen& seen) const {
  if (std::find(lines_.begin(), lines_.end(), seen.watch) == lines_.end()) return std::nullopt;
  return Suspicion{host_of(seen.who)};
}

void HangDetector::start(const DetectionConstants& constants, WatchIds& ids, Orders& out) {
  no_step_ = ids.take();
  timeout_ = ids.take();
  out.add(Watch{.id = no_step_,
                .signal = Signal::step,
                .who = Scope::all(ComponentKind::job),
                .until = Silence{constants.hang_timeout}});
  // The line that victims log when they give up: pattern 0 (core has no names; see World::patterns).
  out.add(Watch{.id = timeout_,
                .signal = Signal::log_line,
                .who = Scope::all(ComponentKind::host),
                .until = Match{PatternId{0}},
                .first = 1});
}

std::optional<Suspicion> HangDetector::on(const Seen& seen) const {
  const bool silent = seen.watch == no_step_ && seen.edge == Edge::began;
  if (silent || seen.watch == timeout_) return Suspicion{};
  return std::nullopt;
}

}  // namespace gauntlet
