// `log`: lines that the filter of a host's agent lets through, by a table that says what each asks for. A restart is the job's:
// such lines are looked for on its hosts alone, and not on those that stand by.
//
// Latency: the delay of the line and of telemetry. Blind to faults that log nothing, and to lines that no table names. A
// line that is logged although all is well is a false alarm.
#pragma once

#include "policies/detect/suspicion.hpp"

namespace gauntlet {

class LogDetector : public DetectorBase {
 public:
  void start(const Assignment& assignment, WatchIds& ids, Orders& out) {
    for (const LineRule& rule : assignment.constants->lines) {
      if (rule.action == LineAction::ignore) continue;
      const WatchId id = ids.take();
      if (actions_.empty()) first_ = id;
      actions_.push_back(rule.action);
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
    if (line >= actions_.size()) return;
    Suspicion suspicion{.host = host_of(seen.who), .sensed = seen.sensed, .cause = seen.watch};
    if (actions_[line] == LineAction::alert) suspicion.gravity = Gravity::unusual;
    if (actions_[line] == LineAction::save) suspicion.gravity = Gravity::warning;
    if (actions_[line] == LineAction::restart) {
      suspicion.gravity = Gravity::restart;
      suspicion.host = std::nullopt;
    }
    found.push_back(suspicion);
  }

 private:
  WatchId first_;
  std::vector<LineAction> actions_;  // of the watches from `first_` on
};

}  // namespace gauntlet
