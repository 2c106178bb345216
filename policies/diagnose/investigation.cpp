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

void Investigation::probe_or_finish(Orders& out) {
  if (!found_.empty() || cursor_ == constants_->suite.size()) {
    finished_ = true;
    return;
  }
  const ProbeId probe = constants_->suite[cursor_];
  if (suspects_.empty()) {
    running_.push_back(out.add(Probe{.probe = probe, .who = Scope::hosts_of(job_), .report = report_}));
    return;
  }
  for (const HostId host : suspects_) {
    running_.push_back(out.add(Probe{.probe = probe, .who = Scope::one(component(host)), .report = report_}));
  }
}

void Investigation::on(const Seen& seen) {
  if (finished_ || seen.watch != report_) return;
  const HostId host = host_of(seen.who);
  if (std::find(found_.begin(), found_.end(), host) == found_.end()) found_.push_back(host);
}

void Investigation::on(const Outcome& outcome, Orders& out) {
  if (std::erase(running_, outcome.order) == 0 || !running_.empty()) return;
  ++cursor_;
  probe_or_finish(out);
}

}  // namespace gauntlet
