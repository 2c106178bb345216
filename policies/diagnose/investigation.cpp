#include "policies/diagnose/investigation.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {

Investigation::Investigation(JobId job, const DiagnosisConstants& constants, std::vector<HostId> suspects,
                             WatchId report, Orders& out)
    : job_(job), constants_(&constants), suspects_(std::move(suspects)), report_(report) {
  if (constants_->suite.empty()) {
    found_ = suspects_;
    finished_ = true;
    return;
  }
  probe_or_finish(out);
}

void Investigation::probe_each(const std::vector<HostId>& hosts, Orders& out) {
  for (const HostId host : hosts) {
    running_.push_back(out.add(Probe{
        .probe = constants_->suite[cursor_].probe, .who = Scope::one(component(host)), .report = report_}));
  }
}

void Investigation::probe_or_finish(Orders& out) {
  if (!found_.empty() || cursor_ == constants_->suite.size()) {
    finished_ = true;
    return;
  }
  if (!suspects_.empty()) return probe_each(suspects_, out);
  running_.push_back(out.add(
      Probe{.probe = constants_->suite[cursor_].probe, .who = Scope::hosts_of(job_), .report = report_}));
}

void Investigation::on(const Seen& seen) {
  if (finished_ || seen.watch != report_) return;
  const HostId host = host_of(seen.who);
  if (std::find(found_.begin(), found_.end(), host) == found_.end()) found_.push_back(host);
}

void Investigation::on(const Outcome& outcome, Orders& out) {
  if (std::erase(running_, outcome.order) == 0 || !running_.empty()) return;
  // Hosts under suspicion are few, and were examined one by one already.
  const bool groups = suspects_.empty() && constants_->suite[cursor_].group > 1;
  if (groups && !second_round_ && !found_.empty()) {
    second_round_ = true;
    return probe_each(std::exchange(found_, {}), out);
  }
  second_round_ = false;
  ++cursor_;
  probe_or_finish(out);
}

}  // namespace gauntlet
