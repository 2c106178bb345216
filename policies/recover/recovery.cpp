#include "policies/recover/recovery.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {

void Recovery::add_suspect(HostId host) {
  if (std::find(suspects_.begin(), suspects_.end(), host) == suspects_.end()) suspects_.push_back(host);
}

void Recovery::stop(StopReason reason, Orders& out) {
  stopped_for_ = reason;
  stage_ = Stopping{out.add(Stop{job_, reason})};
}

// --- what happens to the job -------------------------------------------------------------------------------------------

bool Recovery::on(const Suspicion& suspicion, Time now, Roster& roster, Orders& out) {
  if (suspicion.host && !roster.in_job(*suspicion.host)) return false;
  const Reaction reaction = kReactions[stage_.index()];
  if (reaction == Reaction::begin && now >= relapse_until_) {
    suspects_.clear();
    tries_ = 0;
  }
  if (suspicion.host) add_suspect(*suspicion.host);
  switch (reaction) {
    case Reaction::begin:
      fault_ = true;
      stop(StopReason::fault, out);
      return true;
    case Reaction::redo:
      fault_ = true;
      out.add(Cancel{std::get<Starting>(stage_).start});
      stop(StopReason::fault, out);
      return false;
    case Reaction::join:
      fault_ = fault_ || suspicion.host.has_value();
      return false;
  }
  return false;
}

void Recovery::on(const Told& told, Time now, Orders& out) {
  hold_until_ = std::max(hold_until_, after(now, told.hold));
  if (std::holds_alternative<Running>(stage_)) {
    stage_ = Saving{out.add(Checkpoint{job_})};
  } else if (const auto* starting = std::get_if<Starting>(&stage_)) {
    out.add(Cancel{starting->start});
    stop(StopReason::planned, out);
  }  // else the job is down, or about to be, and is held before the next start
}

void Recovery::on(const Seen& seen) {
  if (auto* diagnosing = std::get_if<Diagnosing>(&stage_)) diagnosing->suite.on(seen);
}

bool Recovery::on(const Outcome& outcome, Time now, Roster& roster, Orders& out) {
  if (auto* saving = std::get_if<Saving>(&stage_)) {
    if (saving->checkpoint == outcome.order) stop(StopReason::planned, out);
  } else if (auto* stopping = std::get_if<Stopping>(&stage_)) {
    if (stopping->stop == outcome.order) stopped(now, roster, out);
  } else if (auto* diagnosing = std::get_if<Diagnosing>(&stage_)) {
    diagnosing->suite.on(outcome, out);
    if (diagnosing->suite.finished()) diagnosed(now, roster, out);
  } else if (auto* asking = std::get_if<Asking>(&stage_)) {
    if (asking->question == outcome.order) {
      const auto* answer = std::get_if<Answered>(&outcome.result);
      tries_ = 0;
      replace(answer != nullptr && answer->found ? std::vector{answer->choice} : std::vector<HostId>{}, now,
              roster, out);
    }
  } else if (auto* replacing = std::get_if<Replacing>(&stage_)) {
    if (std::erase(replacing->acquires, outcome.order) > 0) {
      if (const auto* granted = std::get_if<Granted>(&outcome.result)) roster.join(granted->host);
      if (replacing->acquires.empty()) make_ready(now, roster, out);
    }
  } else if (auto* holding = std::get_if<Holding>(&stage_)) {
    if (holding->wake == outcome.order) make_ready(now, roster, out);
  } else if (auto* starting = std::get_if<Starting>(&stage_)) {
    if (starting->start != outcome.order) return false;
    if (outcome.status == Status::done) {
      stage_ = Running{};
      relapse_until_ = after(now, constants_->recovery.relapse_window);
      return true;
    }
    fault_ = true;
    stop(StopReason::fault, out);
  }
  return false;
}

// --- from stage to stage -----------------------------------------------------------------------------------------------

void Recovery::stopped(Time now, Roster& roster, Orders& out) {
  const bool try_restart = first_ == First::restart && tries_ < constants_->recovery.restarts_in_place;
  if (fault_ && try_restart) {
    ++tries_;
    fault_ = false;
  }
  make_ready(now, roster, out);
}

void Recovery::diagnose(Time now, Roster& roster, Orders& out) {
  std::erase_if(suspects_, [&](HostId host) { return !roster.in_job(host); });
  fault_ = false;
  stage_ = Diagnosing{Investigation(job_, constants_->diagnosis, suspects_, probe_report_, out)};
  if (std::get<Diagnosing>(stage_).suite.finished()) diagnosed(now, roster, out);
}

void Recovery::diagnosed(Time now, Roster& roster, Orders& out) {
  const std::vector<HostId> found = std::get<Diagnosing>(stage_).suite.found();
  if (!found.empty()) return replace(found, now, roster, out);
  if (fault_) return diagnose(now, roster, out);  // a host was named in the meantime: it is examined first
  if (tries_ < constants_->recovery.restarts_in_place) {
    ++tries_;
    return make_ready(now, roster, out);
  }
  if (!suspects_.empty()) return replace(std::exchange(suspects_, {}), now, roster, out);
  stage_ = Asking{out.add(Ask{job_})};
}

void Recovery::replace(const std::vector<HostId>& hosts, Time now, Roster& roster, Orders& out) {
  Replacing replacing;
  for (const HostId host : hosts) {
    std::erase(suspects_, host);
    if (!roster.in_job(host)) continue;
    out.add(Evict{host});
    roster.leave(host);
    replacing.acquires.push_back(out.add(Acquire{job_}));
  }
  if (suspects_.empty()) fault_ = false;  // whoever was named in the meantime is replaced
  const bool nothing = replacing.acquires.empty();
  stage_ = std::move(replacing);
  if (nothing) make_ready(now, roster, out);
}

void Recovery::make_ready(Time now, Roster& roster, Orders& out) {
  if (fault_) return diagnose(now, roster, out);
  if (now < hold_until_) {
    // Whatever else the job was stopped for last goes on as the planned stop, and whoever reads the orders sees it.
    const bool planned_already =
        std::holds_alternative<Holding>(stage_) ||
        (std::holds_alternative<Stopping>(stage_) && stopped_for_ == StopReason::planned);
    if (!planned_already) out.add(Stop{job_, StopReason::planned});
    stage_ = Holding{out.add(Wake{hold_until_})};
    return;
  }
  start(out);
}

void Recovery::start(Orders& out) {
  stage_ = Starting{out.add(Start{job_, constants_->detection.collective_timeout})};
}

}  // namespace gauntlet
