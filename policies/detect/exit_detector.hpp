// `exit`: a process of the job that exits. Ranks that wait for a lost peer are aborted by their watchdog and exit with a
// code of their own (kAbortedByWatchdog): these are victims and name nobody. Any other code names its host.
//
// Latency: the host's next heartbeat, up to heartbeat_period + heartbeat_jitter after the exit; the first victim's may come
// before the culprit's. Blind to hangs, to slow hosts, and to hosts whose agent is gone with their processes.
#pragma once

#include "policies/detect/suspicion.hpp"

namespace gauntlet {

class ExitDetector : public DetectorBase {
 public:
  void start(const Assignment&, WatchIds& ids, Orders& out) {
    of_its_own_ = ids.take();
    any_ = ids.take();
    // Exit codes outside the band of the one that victims have: so the culprit's is not lost among theirs.
    out.add(Watch{.id = of_its_own_,
                  .signal = Signal::process_exit,
                  .who = Scope::all(ComponentKind::host),
                  .until = Outside{kAbortedByWatchdog, kAbortedByWatchdog}});
    // Of thousands of victims one tells as much as all of them.
    out.add(Watch{.id = any_,
                  .signal = Signal::process_exit,
                  .who = Scope::all(ComponentKind::host),
                  .until = Match{},
                  .first = 1});
  }
  using DetectorBase::on;
  void on(const Seen& seen, Time, Orders&, Suspicions& found) {
    const bool victim = seen.value == kAbortedByWatchdog;
    if (seen.watch != any_ && seen.watch != of_its_own_) return;
    Suspicion suspicion{.sensed = seen.sensed, .cause = seen.watch};
    if (!victim) suspicion.host = host_of(seen.who);
    found.push_back(suspicion);
  }

 private:
  WatchId of_its_own_, any_;
};

}  // namespace gauntlet
