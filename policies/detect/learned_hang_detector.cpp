#include "policies/detect/learned_hang_detector.hpp"

#include <algorithm>

namespace gauntlet {

void LearnedHangDetector::watch_for(Duration longest, Orders& out) const {
  order_afresh({.id = no_step_,
                .signal = Signal::step,
                .who = Scope::all(ComponentKind::job),
                .until = Silence{longest}},
               out);
}

void LearnedHangDetector::start(const Assignment& assignment, WatchIds& ids, Orders&) {
  constants_ = assignment.constants;
  no_step_ = ids.take();
  steps_ = ids.take();
}

void LearnedHangDetector::job_began(Time, Orders& out) {
  learned_from_ = 0;
  longest_ = 0;
  watch_for(constants_->hang_timeout, out);
  order_afresh({.id = steps_,
                .signal = Signal::step,
                .who = Scope::all(ComponentKind::job),
                .until = Sample{constants_->learned_hang.samples}},
               out);
}

void LearnedHangDetector::on(const Seen& seen, Time, Orders& out, Suspicions& found) {
  if (seen.watch == no_step_ && seen.edge == Edge::began)
    found.push_back({.sensed = seen.sensed, .cause = seen.watch});
  if (seen.watch != steps_ || learned_from_ == constants_->learned_hang.samples) return;
  longest_ = std::max(longest_, seen.value);
  if (++learned_from_ < constants_->learned_hang.samples) return;
  watch_for(
      std::max(from_seconds(constants_->learned_hang.multiple * longest_), constants_->learned_hang.floor),
      out);
}

}  // namespace gauntlet
