// A diagnostic suite at work: data with a cursor. The probes run one after the other, on the suspects or on every host
// of the job; the first one that finds something ends it.
//
// A probe that hosts run in groups fails for a group and names all of it: paired bisection. In a second round those that are
// named run it once more, each on its own with partners that are known to be good, and only who fails again is found.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "policies/constants.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace gauntlet {

class Investigation {
 public:
  /// `suspects` empty: every host of the job is examined. An empty suite takes the evidence at its word.
  Investigation(JobId job, const DiagnosisConstants& constants, std::vector<HostId> suspects, WatchId report,
                Orders& out);

  void on(const Seen& seen);
  void on(const Outcome& outcome, Orders& out);

  bool finished() const { return finished_; }
  /// Once finished: the hosts that failed a probe.
  const std::vector<HostId>& found() const { return found_; }
  std::vector<HostId> take_found() { return std::move(found_); }
  /// Empty: every host of the job.
  const std::vector<HostId>& suspects() const { return suspects_; }
  /// The probes that have no outcome yet.
  const std::vector<OrderId>& running() const { return running_; }

 private:
  void probe_or_finish(Orders& out);
  void probe_each(const std::vector<HostId>& hosts, Orders& out);

  JobId job_;
  const DiagnosisConstants* constants_;
  std::vector<HostId> suspects_;
  WatchId report_;
  std::size_t cursor_ = 0;        // the probe of the suite that runs
  bool second_round_ = false;     // of that probe: those whose group failed, one by one
  std::vector<OrderId> running_;  // one order for each suspect, or one for all hosts
  std::vector<HostId> found_;
  bool finished_ = false;
};

}  // namespace gauntlet
