// Starts of the job: how they are tried again, until when, and what follows the last of them.
#include "policies/recover/recovery.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {

void Recovery::submitted(Time now, Orders& out) {
  const Duration deadline = constants_->recovery.start_deadline;
  if (deadline != kForever) deadline_ = out.add(Wake{after(now, deadline)});
}

/// Whatever it waits for, it waits no longer.
void Recovery::expire(Time now, Seating& seating, Orders& out) {
  expired_ = true;
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

bool Recovery::retries() const {
  return constants_->recovery.start_attempts > 0 || constants_->recovery.start_backoff > Duration::zero();
}

void Recovery::start_failed(Time now) {
  if (!retries()) return;
  const RecoveryConstants& constants = constants_->recovery;
  ++failed_starts_;
  retry_ = true;
  Duration wait = std::min(constants.start_backoff, constants.longest_backoff);
  for (std::uint32_t i = 1; i < failed_starts_ && wait > Duration::zero() && wait < constants.longest_backoff;
       ++i)
    wait += std::min(wait, constants.longest_backoff - wait);
  retry_at_ = after(now, wait);
}

void Recovery::keep(Time now, Orders& out) {
  if (constants_->recovery.retention == Duration::zero()) return release(out);
  stage_ = Keeping{out.add(Wake{after(now, constants_->recovery.retention)})};
}

/// To a cluster that has other use for them.
void Recovery::give_hosts_back(Orders& out) {
  new_hosts_ = true;
  cancel_acquires(out);
  if (!std::exchange(released_, true)) out.add(Release{job_});
}

void Recovery::release(Orders& out) {
  give_hosts_back(out);
  stage_ = Released{out.add(Ask{job_})};
}

void Recovery::start(Time now, Seating& seating, Orders& out) {
  started_at_ = now;
  released_ = false;
  std::uint32_t replicas = 0;
  if (constants_->recovery.wait_for_spare != kForever && seating.replicas_held() > 0) {
    replicas = seating.replicas_held();
    for (const HostId host : seating.resize(replicas)) out.add(StandBy{host});
  }
  retry_ = false;
  if (back_ == 0) shed_since_ = kNever;  // else the start before has failed, and this one takes its place
  if (std::exchange(wrong_, false)) {
    rolled_back_ += constants_->recovery.roll_back;
    back_ = std::max({back_, rolled_back_, std::exchange(doubted_, 0U)});
    shed_since_ = std::min(shed_since_, std::exchange(doubted_since_, kNever));
  }
  stage_ = Starting{out.add(Start{.job = job_,
                                  .collective_timeout = constants_->detection.collective_timeout,
                                  .restore = restore_,
                                  .back = back_,
                                  .schedule = constants_->recovery.reschedule || new_hosts_,
                                  .replicas = replicas})};
}

/// A person has looked for what kept the job from starting, and hands it in again.
void Recovery::answered(const Outcome& outcome, Time now, Seating& seating, Orders& out) {
  stage_ = Diagnosing{};
  looked_after(now);
  expired_ = false;
  if (deadline_) out.add(Cancel{*std::exchange(deadline_, std::nullopt)});
  submitted(now, out);
  const auto* answer = std::get_if<Answered>(&outcome.result);
  if (answer != nullptr && answer->found) evict({answer->choice}, now, seating, out);
  if (suspects_.empty()) fault_ = false;
  make_ready(now, seating, out);
}

bool Recovery::started(const Outcome& outcome, Time now, const Seating& seating, Orders& out) {
  if (outcome.status == Status::done) {
    stage_ = Running{};
    if (deadline_) out.add(Cancel{*std::exchange(deadline_, std::nullopt)});
    ask_ = false;
    new_hosts_ = false;
    failed_starts_ = 0;
    back_ = 0;
    const auto* loaded = std::get_if<Loaded>(&outcome.result);
    repeats_ = loaded != nullptr && loaded_ && loaded->step <= *loaded_;
    if (loaded != nullptr) loaded_ = loaded->step;
    relapse_until_ = after(now, constants_->recovery.relapse_window);
    grow(now, seating, out);  // hosts may have come meanwhile
    return true;
  }
  start_failed(now);
  fault_ = true;
  stop(StopReason::fault, out);
  return false;
}

}  // namespace gauntlet
