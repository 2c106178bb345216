// The decisions of a custom recovery, and what follows from them.
#include "policies/recover/recovery.hpp"

#include <algorithm>
#include <iterator>

namespace gauntlet {

FaultStop Recovery::fault_stop(Time now, const Seating& seating) const {
  FaultStop stop{.now = now, .restarts = incident_.tries, .examine = treatment_.diagnose};
  const auto in_job = [&](HostId host) { return seating.in_job(host); };
  std::copy_if(incident_.suspects.begin(), incident_.suspects.end(), std::back_inserter(stop.suspects),
               in_job);
  std::copy_if(incident_.condemned.begin(), incident_.condemned.end(), std::back_inserter(stop.slow), in_job);
  return stop;
}

/// Whether the decision is to replace hosts, which then happens.
bool Recovery::replaces(const RecoveryDecision& decision, Time now, Seating& seating, Orders& out) {
  for (const HostId host : decision.hosts)
    if (!seating.in_job(host)) custom_->not_in_job(host);
  if (decision.what != RecoveryDecision::What::replace) return false;
  treatment_.diagnose = false;
  evict(decision.hosts, now, seating, out);
  return true;
}

/// The job has stopped because of a fault.
void Recovery::decide(Time now, Seating& seating, Orders& out) {
  const RecoveryDecision decision = custom_->stopped(fault_stop(now, seating));
  if (decision.what == RecoveryDecision::What::ask) return ask(out);
  if (!replaces(decision, now, seating, out)) {
    const bool examines = decision.what == RecoveryDecision::What::examine;
    if (!examines && treatment_.diagnose) ++incident_.tries;
    treatment_.diagnose = examines;
  }
  make_ready(now, seating, out);
}

/// The examinations of this stop have found no host.
void Recovery::decide_after_examination(Time now, Seating& seating, Orders& out) {
  const RecoveryDecision decision = custom_->found_nothing(fault_stop(now, seating));
  if (replaces(decision, now, seating, out)) return;
  if (decision.what == RecoveryDecision::What::ask) return ask(out);
  ++incident_.tries;
}

}  // namespace gauntlet
