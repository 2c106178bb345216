// `log`: lines that the filter of a host's agent lets through, by a table that says what each asks for. A restart is the job's:
// such lines are looked for on its hosts alone, and not on those that stand by. Lines that tell of wrong numbers (detection.
// corruption) ask besides for a checkpoint from before: the line was written `late` after the numbers went wrong, at most.
//
// Latency: the delay of the line and of telemetry. Blind to faults that log nothing, and to lines that no table names. A
// line that is logged although all is well is a false alarm.
#pragma once

#include "policies/detect/suspicion.hpp"

#include <algorithm>
#include <vector>

namespace gauntlet {

class LogDetector : public DetectorBase {
 public:
  void start(const Assignment& assignment, WatchIds& ids, Orders& out) {
    constants_ = assignment.constants;
    for (const LineRule& rule : constants_->lines) {
      if (rule.action == LineAction::ignore) continue;
      const WatchId id = ids.take();
      if (rules_.empty()) first_ = id;
      rules_.push_back(rule);
      out.add(Watch{.id = id,
                    .signal = Signal::log_line,
                    .who = rule.action == LineAction::restart ? Scope::hosts_of(assignment.job)
                                                              : Scope::all(ComponentKind::host),
                    .until = Match{rule.pattern}});
    }
  }
  using DetectorBase::on;
  void on(const Seen& seen, Time, Orders&, Suspicions& found) {
    const std::uint32_t line = seen.watch.value - first_.value;  // ids are taken one after the other
    if (line >= rules_.size()) return;
    const LineRule& rule = rules_[line];
    Suspicion suspicion{.host = host_of(seen.who), .sensed = seen.sensed, .cause = seen.watch};
    suspicion.of_host = rule.action == LineAction::replace;
    if (rule.action == LineAction::alert) suspicion.kind = SuspicionKind::unusual;
    if (rule.action == LineAction::save) suspicion.kind = SuspicionKind::warning;
    if (rule.action == LineAction::restart) {
      suspicion.kind = SuspicionKind::restart;
      suspicion.host = std::nullopt;
    }
    if (tells_of_wrong_numbers(rule.pattern)) {
      const Duration late = std::min(constants_->corruption.late, std::max(seen.sensed - kStart, Duration{}));
      suspicion.wrong = true;
      suspicion.wrong_since = seen.sensed - late;
    }
    found.push_back(suspicion);
  }

 private:
  bool tells_of_wrong_numbers(PatternId line) const {
    const std::vector<PatternId>& lines = constants_->corruption.lines;
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  }

  const DetectionConstants* constants_ = nullptr;
  WatchId first_;
  std::vector<LineRule> rules_;  // of the watches from `first_` on
};

}  // namespace gauntlet
