#include "policies/recover/recovery.hpp"

#include "policies/diagnose/hang_localisation.hpp"
#include "policies/registry.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

void add_once(std::vector<HostId>& hosts, HostId host) {
  if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
}

Trouble trouble_of(const Suspicion& suspicion) {
  if (suspicion.gravity == Gravity::degraded) return Trouble::degraded;
  if (suspicion.gravity == Gravity::restart) return Trouble::restart;
  return suspicion.host ? Trouble::named : Trouble::nobody;
}

}  // namespace

Recovery::Recovery(First first, Diagnoser diagnoser, JobId job, const PolicyConstants& constants,
                   Reports reports)
    : first_(first),
      diagnoser_(diagnoser),
      job_(job),
      constants_(&constants),
      reports_(reports),
      restore_(restore_named(constants.names.restore)) {}

// --- what happens to the job -------------------------------------------------------------------------------------------

bool Recovery::on(const Suspicion& suspicion, Time now, Seating& seating, Orders& out) {
  if (suspicion.host && !seating.in_job(*suspicion.host)) return false;
  // What was sensed before the last start says nothing of the job that runs since then. A host that is named while the
  // start is still under way is better examined now.
  if (suspicion.sensed < started_at_ && (!suspicion.host || job_up())) return false;
  return meet(trouble_of(suspicion), suspicion.host, suspicion.wrong, now, out);
}

bool Recovery::on(const Noticed&, Time now, Orders& out) {
  return meet(Trouble::noticed, {}, false, now, out);
}

void Recovery::remember(Trouble trouble, std::optional<HostId> host) {
  const bool examined = trouble != Trouble::degraded || constants_->diagnosis.examine_degraded;
  if (host) add_once(examined ? suspects_ : condemned_, *host);
  ask_ = ask_ || trouble == Trouble::noticed;
}

/// A restart cures what comes once; what comes again within the same incident is examined.
bool Recovery::restart_will_do() {
  if (!suspects_.empty() || tries_ >= std::max(1U, constants_->recovery.restarts_in_place)) return false;
  ++tries_;
  return true;
}

/// Forgets the incident before, where this is another.
bool Recovery::begins_incident(Time now) {
  if (now < relapse_until_) return false;
  suspects_.clear();
  condemned_.clear();
  tries_ = 0;
  rolled_back_ = 0;
  return true;
}

bool Recovery::meet(Trouble trouble, std::optional<HostId> host, bool wrong, Time now, Orders& out) {
  const Reaction reaction = kReactions[stage_.index()][static_cast<std::size_t>(trouble)];
  // A job that is down is started anew anyway.
  if (reaction == Reaction::ignore || (trouble == Trouble::degraded && !host && !running())) return false;
  const bool again = running() && !begins_incident(now) && repeats_;
  wrong_ = wrong_ || wrong || (again && trouble != Trouble::degraded);
  remember(trouble, host);
  const bool examined = trouble != Trouble::degraded || (host && constants_->diagnosis.examine_degraded);
  switch (reaction) {
    case Reaction::join:
      if (trouble == Trouble::noticed) return false;  // asked if the start that is under way fails too
      fault_ = trouble == Trouble::restart ? fault_ && !restart_will_do() : fault_ || examined;
      return false;
    case Reaction::save:
      fault_ = examined;
      save(StopReason::fault, now, out);
      return false;
    case Reaction::gather:
      fault_ = true;
      gather(now, out);
      return true;
    default:
      if (reaction == Reaction::redo && trouble != Trouble::degraded && trouble != Trouble::noticed)
        start_failed(now);
      give_up(out);
      fault_ = trouble == Trouble::restart ? !restart_will_do() : examined;
      stop(StopReason::fault, out);
      return reaction == Reaction::begin;
  }
}

/// Whatever is under way and would end in a start, or in a stop later on.
void Recovery::give_up(Orders& out) {
  if (const auto* starting = std::get_if<Starting>(&stage_)) out.add(Cancel{starting->start});
  if (const auto* waiting = std::get_if<BackingOff>(&stage_)) out.add(Cancel{waiting->wake});
  if (const auto* gathering = std::get_if<Gathering>(&stage_)) {
    out.add(Cancel{gathering->limit});
    if (gathering->asked) out.add(Unwatch{reports_.last_collective});
  }
}

void Recovery::on(const Told& told, Time now, Orders& out) {
  hold_until_ = std::max(hold_until_, after(now, told.hold));
  preempted_ = preempted_ || told.preempted;
  const StopReason reason = told.preempted ? StopReason::preempted : StopReason::planned;
  if (std::holds_alternative<Running>(stage_)) {
    save(reason, now, out);
  } else if (auto* saving = std::get_if<Saving>(&stage_)) {
    if (saving->reason != StopReason::fault) saving->reason = reason;
  } else if (auto* holding = std::get_if<Holding>(&stage_); holding && told.preempted) {
    holding->reason = reason;
    out.add(Stop{job_, reason});
    give_hosts_back(out);
  } else if (const auto* starting = std::get_if<Starting>(&stage_)) {
    out.add(Cancel{starting->start});
    stop(reason, out);
  }  // else the job is down, or about to be, and is held before the next start
}

void Recovery::on(const Seen& seen) {
  if (auto* diagnosing = std::get_if<Diagnosing>(&stage_)) diagnosing->suite.on(seen);
  if (auto* gathering = std::get_if<Gathering>(&stage_); gathering && seen.watch == reports_.last_collective)
    gathering->answers.emplace_back(host_of(seen.who), static_cast<Dimension>(seen.value));
}

bool Recovery::on(const Outcome& outcome, Time now, Seating& seating, Orders& out) {
  if (deadline_ == outcome.order) {
    deadline_.reset();
    if (outcome.status == Status::done) expire(now, seating, out);
    return false;
  }
  if (auto* saving = std::get_if<Saving>(&stage_)) {
    if (saving->limit == outcome.order) out.add(Cancel{saving->checkpoint});
    if (saving->limit == outcome.order || saving->checkpoint == outcome.order) stop(saving->reason, out);
  } else if (auto* gathering = std::get_if<Gathering>(&stage_)) {
    if (gathering->limit == outcome.order) gathered(now, seating, out);
  } else if (auto* stopping = std::get_if<Stopping>(&stage_)) {
    if (stopping->stop == outcome.order) stopped(now, seating, out);
  } else if (auto* diagnosing = std::get_if<Diagnosing>(&stage_)) {
    diagnosing->suite.on(outcome, out);
    if (diagnosing->suite.finished()) conclude(std::vector(diagnosing->suite.found()), now, seating, out);
  } else if (auto* asking = std::get_if<Asking>(&stage_)) {
    if (asking->question == outcome.order) answered(outcome, now, seating, out);
  } else if (auto* replacing = std::get_if<Replacing>(&stage_)) {
    if (replacing->limit == outcome.order)
      go_on_smaller(now, seating, out);
    else if (std::erase(replacing->acquires, outcome.order) > 0) {
      if (const auto* granted = std::get_if<Granted>(&outcome.result)) seating.join(granted->host);
      if (replacing->late)
        go_on_smaller(now, seating, out);
      else if (replacing->acquires.empty()) {
        if (replacing->limit) out.add(Cancel{*replacing->limit});
        make_ready(now, seating, out);
      }
    }
  } else if (auto* holding = std::get_if<Holding>(&stage_)) {
    if (holding->wake == outcome.order) make_ready(now, seating, out);
  } else if (auto* starting = std::get_if<Starting>(&stage_)) {
    if (starting->start == outcome.order) return started(outcome, now, seating, out);
  } else if (auto* waiting = std::get_if<BackingOff>(&stage_)) {
    if (waiting->wake == outcome.order) make_ready(now, seating, out);
  } else if (auto* keeping = std::get_if<Keeping>(&stage_)) {
    if (keeping->wake == outcome.order) release(out);
  } else if (auto* released = std::get_if<Released>(&stage_)) {
    if (released->question == outcome.order) answered(outcome, now, seating, out);
  }
  return false;
}

// --- from stage to stage -----------------------------------------------------------------------------------------------

void Recovery::save(StopReason reason, Time now, Orders& out) {
  const OrderId checkpoint = out.add(Checkpoint{job_});
  stage_ = Saving{checkpoint, out.add(Wake{after(now, constants_->recovery.save_timeout)}), reason};
}

void Recovery::gather(Time now, Orders& out) {
  if (constants_->detection.gather == Duration::zero()) return stop(StopReason::fault, out);
  stage_ = Gathering{out.add(Wake{after(now, constants_->detection.gather)}), false, {}};
}

/// Nobody was named. Where hangs are localised, every host is asked in which collective it waits, and as long is waited for
/// the answers.
void Recovery::gathered(Time now, Seating& seating, Orders& out) {
  auto& gathering = std::get<Gathering>(stage_);
  if (diagnoser_.localises && !gathering.asked) {
    gathering.asked = true;
    out.add(Watch{.id = reports_.last_collective,
                  .signal = Signal::last_collective,
                  .who = Scope::hosts_of(job_),
                  .until = Sample{1}});
    gathering.limit = out.add(Wake{after(now, constants_->detection.gather)});
    return;
  }
  if (gathering.asked) {
    out.add(Unwatch{reports_.last_collective});
    std::vector<std::optional<Dimension>> answers(seating.inventory().job_hosts);
    for (const auto& [host, dimension] : gathering.answers) {
      if (seating.in_job(host)) answers[seating.slot_of(host)] = dimension;
    }
    for (const std::uint32_t slot : slots_waited_for(seating.inventory(), answers)) {
      if (const auto host = seating.host_in(slot)) add_once(suspects_, *host);
    }
  }
  stop(StopReason::fault, out);
}

void Recovery::stop(StopReason reason, Orders& out) {
  stopped_for_ = reason;
  stage_ = Stopping{out.add(Stop{job_, reason})};
}

void Recovery::stopped(Time now, Seating& seating, Orders& out) {
  if (expired_) return make_ready(now, seating, out);
  if (ask_) return ask(out);
  if (retry_ && suspects_.empty()) {
    fault_ = false;
    return make_ready(now, seating, out);
  }
  if (first_ == First::person && stopped_for_ == StopReason::fault) return ask(out);
  const bool restarts = first_ == First::restart || first_ == First::restart_only;
  const bool try_restart = restarts && tries_ < constants_->recovery.restarts_in_place;
  if (fault_ && try_restart) {
    ++tries_;
    fault_ = false;
  }
  make_ready(now, seating, out);
}

void Recovery::ask(Orders& out) {
  ask_ = false;
  fault_ = false;
  stage_ = Asking{out.add(Ask{job_})};
}

void Recovery::answered(const Outcome& outcome, Time now, Seating& seating, Orders& out) {
  const auto* answer = std::get_if<Answered>(&outcome.result);
  tries_ = 0;
  retry_ = false;
  failed_starts_ = 0;
  retry_at_ = now;
  if (std::holds_alternative<Released>(stage_)) {
    expired_ = false;
    if (deadline_) out.add(Cancel{*std::exchange(deadline_, std::nullopt)});
    submitted(now, out);
  }
  replace(answer != nullptr && answer->found ? std::vector{answer->choice} : std::vector<HostId>{}, now,
          seating, out);
}

void Recovery::diagnose(Time now, Seating& seating, Orders& out) {
  if (diagnoser_.means == Diagnoser::Means::person || first_ == First::restart_only) return ask(out);
  std::erase_if(suspects_, [&](HostId host) { return !seating.in_job(host); });
  fault_ = false;
  if (diagnoser_.means == Diagnoser::Means::evidence)
    return conclude(std::vector(suspects_), now, seating, out);
  stage_ = Diagnosing{Investigation(job_, constants_->diagnosis, suspects_, reports_.probes, out)};
  const Investigation& suite = std::get<Diagnosing>(stage_).suite;
  if (suite.finished()) conclude(std::vector(suite.found()), now, seating, out);
}

void Recovery::conclude(const std::vector<HostId>& found, Time now, Seating& seating, Orders& out) {
  if (!found.empty()) return replace(found, now, seating, out);
  if (fault_) return diagnose(now, seating, out);  // a host was named in the meantime: it is examined first
  if (retry_) {
    suspects_.clear();
    return make_ready(now, seating, out);
  }
  if (tries_ < constants_->recovery.restarts_in_place) {
    ++tries_;
    return make_ready(now, seating, out);
  }
  if (!suspects_.empty()) return replace(std::exchange(suspects_, {}), now, seating, out);
  ask(out);
}

void Recovery::replace(std::vector<HostId> hosts, Time now, Seating& seating, Orders& out) {
  for (const HostId host : std::exchange(condemned_, {})) add_once(hosts, host);
  Replacing replacing;
  for (const HostId host : hosts) {
    std::erase(suspects_, host);
    if (!seating.in_job(host)) continue;
    out.add(Evict{host});
    seating.evict(host);
    if (!expired_) replacing.acquires.push_back(out.add(Acquire{job_}));
  }
  if (suspects_.empty()) fault_ = false;  // whoever was named in the meantime is replaced
  if (replacing.acquires.empty()) return make_ready(now, seating, out);
  retry_ = false;
  failed_starts_ = 0;
  retry_at_ = now;
  wait_for(std::move(replacing), now, out);
}

void Recovery::wait_for(Replacing replacing, Time now, Orders& out) {
  const Duration wait = constants_->recovery.wait_for_spare;
  if (wait != kForever) replacing.limit = out.add(Wake{after(now, wait)});
  new_hosts_ = true;
  stage_ = std::move(replacing);
}

// --- smaller for a while -------------------------------------------------------------------------------------------------

void Recovery::go_on_smaller(Time now, Seating& seating, Orders& out) {
  auto& replacing = std::get<Replacing>(stage_);
  replacing.late = true;
  if (seating.replicas_held() < std::max(1U, constants_->recovery.least_replicas))
    return;  // waits for the next one
  may_grow_ = false;
  for (const OrderId acquire : replacing.acquires) out.add(Cancel{acquire});
  stage_ = Replacing{};
  make_ready(now, seating, out);
}

void Recovery::acquire(std::uint32_t hosts, Time now, Orders& out) {
  Replacing missing;
  for (std::uint32_t i = 0; i < hosts; ++i) missing.acquires.push_back(out.add(Acquire{job_}));
  wait_for(std::move(missing), now, out);
}

void Recovery::spare_came(Time now, const Seating& seating, Orders& out) {
  may_grow_ = true;
  grow(now, seating, out);
}

void Recovery::grow(Time now, const Seating& seating, Orders& out) {
  if (running() && may_grow_ && seating.hosts_to_grow() > 0) save(StopReason::grow, now, out);
}

void Recovery::make_ready(Time now, Seating& seating, Orders& out) {
  if (expired_) return keep(now, out);
  if (fault_) return diagnose(now, seating, out);
  if (!condemned_.empty()) return replace({}, now, seating, out);
  if (!std::holds_alternative<Replacing>(stage_)) {  // else it has what it gets
    const std::uint32_t hosts = seating.vacant() + (may_grow_ ? seating.hosts_to_grow() : 0);
    if (hosts > 0) return acquire(hosts, now, out);
  }
  const std::uint32_t attempts = constants_->recovery.start_attempts;
  if (retry_ && attempts > 0 && failed_starts_ >= attempts) return keep(now, out);
  if (now < hold_until_) {
    // Whatever else the job was stopped for last goes on as the planned stop, and whoever reads the orders sees it.
    const StopReason reason = preempted_ ? StopReason::preempted : StopReason::planned;
    const auto* holding = std::get_if<Holding>(&stage_);
    const bool said_already = (holding != nullptr && holding->reason == reason) ||
                              (std::holds_alternative<Stopping>(stage_) && stopped_for_ == reason);
    if (!said_already) out.add(Stop{job_, reason});
    if (preempted_) give_hosts_back(out);
    stage_ = Holding{out.add(Wake{hold_until_}), reason};
    return;
  }
  preempted_ = released_ = false;
  if (now < retry_at_) {
    stage_ = BackingOff{out.add(Wake{retry_at_})};
    return;
  }
  start(now, seating, out);
}

// --- starts --------------------------------------------------------------------------------------------------------------

void Recovery::submitted(Time now, Orders& out) {
  const Duration deadline = constants_->recovery.start_deadline;
  if (deadline != kForever) deadline_ = out.add(Wake{after(now, deadline)});
}

/// Whatever it waits for, it waits no longer.
void Recovery::expire(Time now, Seating& seating, Orders& out) {
  expired_ = true;
  if (auto* replacing = std::get_if<Replacing>(&stage_)) {
    for (const OrderId acquire : replacing->acquires) out.add(Cancel{acquire});
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
  if (!std::exchange(released_, true)) out.add(Release{job_});
}

void Recovery::release(Orders& out) {
  give_hosts_back(out);
  stage_ = Released{out.add(Ask{job_})};
}

void Recovery::start(Time now, Seating& seating, Orders& out) {
  started_at_ = now;
  std::uint32_t replicas = 0;
  if (constants_->recovery.wait_for_spare != kForever && seating.replicas_held() > 0) {
    replicas = seating.replicas_held();
    for (const HostId host : seating.resize(replicas)) out.add(StandBy{host});
  }
  retry_ = false;
  if (std::exchange(wrong_, false)) {
    rolled_back_ += constants_->recovery.roll_back;
    back_ = rolled_back_;
  }
  stage_ = Starting{out.add(Start{.job = job_,
                                  .collective_timeout = constants_->detection.collective_timeout,
                                  .restore = restore_,
                                  .back = back_,
                                  .schedule = constants_->recovery.reschedule || new_hosts_,
                                  .replicas = replicas})};
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
