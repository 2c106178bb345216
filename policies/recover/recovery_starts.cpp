// Starts of the job: how they are tried again, until when, and what follows the last of them.
#include "policies/recover/recovery.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {

/// Whatever it waits for, it waits no longer.
void Recovery::expire(Time now, Seating& seating, Orders& out) {
  if (const auto* replacing = std::get_if<Replacing>(&stage_)) {
    cancel_acquires(out);
    if (replacing->limit) out.add(Cancel{*replacing->limit});
    return make_ready(now, seating, out);
  }
  if (!std::holds_alternative<Starting>(stage_) && !std::holds_alternative<BackingOff>(stage_))
    return;  // it is about to
  give_up(out);
  stop(StopReason::fault, out);
}

void Recovery::keep(Time now, Orders& out) {
  if (constants_->recovery.retention == Duration::zero()) return release(out);
  stage_ = Keeping{out.add(Wake{after(now, constants_->recovery.retention)})};
}

/// To a cluster that has other use for them.
void Recovery::give_hosts_back(Orders& out) {
  cancel_acquires(out);
  if (std::exchange(job_hosts_, JobHosts::given_back) != JobHosts::given_back) out.add(Release{job_});
}

void Recovery::release(Orders& out) {
  give_hosts_back(out);
  stage_ = Released{out.add(Ask{job_})};
}

void Recovery::start(Time now, Seating& seating, Orders& out) {
  started_at_ = now;
  if (job_hosts_ == JobHosts::given_back) job_hosts_ = JobHosts::some_new;
  std::uint32_t replicas = 0;
  if (constants_->recovery.wait_for_spare != kForever && seating.replicas_held() > 0) {
    replicas = seating.replicas_held();
    for (const HostId host : seating.resize(replicas)) out.add(StandBy{host});
  }
  attempts_.start();
  stage_ = Starting{out.add(Start{.job = job_,
                                  .collective_timeout = constants_->detection.collective_timeout,
                                  .restore = restore_,
                                  .back = rollback_.start(),
                                  .schedule = constants_->recovery.reschedule || job_hosts_ != JobHosts::kept,
                                  .replicas = replicas})};
}

/// A person has looked for what kept the job from starting, and hands it in again.
void Recovery::answered(const Outcome& outcome, Time now, Seating& seating, Orders& out) {
  stage_ = Diagnosing{};
  looked_after(now);
  attempts_.submit(now, out);
  const auto* answer = std::get_if<Answered>(&outcome.result);
  if (answer != nullptr && answer->found) evict({answer->choice}, now, seating, out);
  if (incident_.suspects.empty()) treatment_.diagnose = false;
  make_ready(now, seating, out);
}

bool Recovery::started(const Outcome& outcome, Time now, const Seating& seating, Orders& out) {
  if (outcome.status == Status::done) {
    stage_ = Running{};
    attempts_.started(out);
    rollback_.started(std::get_if<Loaded>(&outcome.result));
    treatment_.ask = false;
    job_hosts_ = JobHosts::kept;
    incident_.lasts_until = after(now, constants_->recovery.relapse_window);
    grow(now, seating, out);  // hosts may have come meanwhile
    return true;
  }
  attempts_.failed(now);
  treatment_.diagnose = true;
  stop(StopReason::fault, out);
  return false;
}

}  // namespace gauntlet
