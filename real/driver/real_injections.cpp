// Faults of the plan: which hosts each strikes, what their agents are told to inject, and the ends of it.
#include "core/component.hpp"
#include "core/quantity.hpp"
#include "models/world/blast_radius.hpp"
#include "real/driver/event_log.hpp"
#include "real/driver/line_expressions.hpp"
#include "real/driver/real_cluster.hpp"
#include "real/injectors/injector.hpp"
#include "real/trainer/segment_work.hpp"

#include <algorithm>
#include <exception>

namespace gauntlet {

// --- which hosts -------------------------------------------------------------------------------------------------------

/// A fault of the job strikes the first of its hosts where ranks end or a checkpoint is damaged, and else all of them.
std::vector<HostId> RealCluster::hosts_struck_by(std::uint64_t fault) const {
  const PlannedFault& planned = setup_.plan[fault];
  if (planned.component.kind == ComponentKind::job) {
    const std::vector<HostId>& hosts = seats_.hosts();
    const FaultKind& kind = world_->faults[planned.kind.value];
    const bool one = stops_job(kind.effect) || kind.tampers == Tampering::checkpoint;
    return one ? std::vector{hosts.front()} : hosts;
  }
  const HostRange range = hosts_of(*world_, planned.component);
  std::vector<HostId> hosts;
  for (std::uint32_t i = 0; i < range.count; ++i) hosts.push_back(HostId{range.first.value + i});
  return hosts;
}

bool RealCluster::strikes(std::uint64_t fault, HostId host) const {
  const std::vector<HostId> hosts = hosts_struck_by(fault);
  return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
}

/// Of a failure domain, the first host that carries the job.
std::optional<HostId> RealCluster::writer_of(std::uint64_t fault) const {
  for (const HostId each : hosts_struck_by(fault))
    if (hosts_[each.value].state == HostState::in_job && hosts_[each.value].link) return each;
  return std::nullopt;
}

/// Until the fault is undone the host has no agent.
bool RealCluster::has_lost(HostId host, std::uint64_t fault) const {
  return injection_of(world_->faults[setup_.plan[fault].kind.value]) == InjectionKind::host_lost &&
         is_open(fault) && strikes(fault, host);
}

bool RealCluster::is_lost(HostId host) const {
  for (std::uint64_t i = 0; i < setup_.plan.size(); ++i)
    if (has_lost(host, i)) return true;
  return false;
}

// --- their beginning ---------------------------------------------------------------------------------------------------

void RealCluster::on(const InjectionDue& due) {
  // Where an agent is being started again, the fault strikes once it attends or is given up.
  const std::vector<HostId> hosts = hosts_struck_by(due.injection);
  if (std::any_of(hosts.begin(), hosts.end(), [this](HostId host) { return is_coming(host); }))
    return schedule(now() + kAgentLook, due);
  check_own();  // the journal is a later driver's too
  journal_.write({JournalStep::began, due.injection, now()});
  inject(due.injection);
}

/// What is left of the time of a fault that strikes now, or has struck.
Duration RealCluster::left_of(std::uint64_t fault) {
  const Duration whole = lasts(*world_, setup_.plan[fault]);
  const std::optional<Time> began = journal_.observed_at(fault);
  if (whole == kForever || !began) return whole;
  return std::max(Duration::zero(), after(*began, whole) - now());
}

/// Begun in the journal already. An agent that did it before answers again, and does nothing.
void RealCluster::inject(std::uint64_t injection) {
  const std::uint64_t planned = fault_of_injection(injection);
  std::string why = "it concerns no host";
  bool told = false;
  for (const HostId host : hosts_struck_by(planned)) {
    const std::string failed = inject_on(host, injection);
    told = told || failed.empty();
    if (!failed.empty()) why = failed;
  }
  if (told || injection != planned) return;
  say_missed(planned, why);
  journal_.write({JournalStep::missed, injection, now()});
}

/// Why the host's agent is not told, or nothing.
std::string RealCluster::inject_on(HostId host, std::uint64_t injection) {
  const std::uint64_t planned = fault_of_injection(injection);
  const PlannedFault& fault = setup_.plan[planned];
  const FaultKind& kind = world_->faults[fault.kind.value];
  const std::optional<InjectionKind> what = injection_of(kind);
  const bool in_job = hosts_[host.value].state == HostState::in_job;
  if (!what) return "it has no injector";
  if (*what == InjectionKind::start_fails && ranks_ != RanksState::starting)
    return "";  // fail_start() does it
  if (!hosts_[host.value].link) return "it has no agent";
  if (is_of_rank(*what) && !in_job) return "none of its ranks runs there";
  std::optional<std::uint32_t> target = target_on(*world_, fault, host);
  if (!target) return "no data interface of the lab is below " + gauntlet::name_of(fault.component);
  if (is_of_rank(*what) && target != kEveryTarget) target = seats_.rank_on(host, *target);
  if (!target) return "none of its ranks runs there";
  DriverInject inject{.injection = injection,
                      .kind = *what,
                      .target = *target,
                      .lasts = left_of(planned),
                      .directory = setup_.directory + "/checkpoints"};
  if (*what == InjectionKind::slow) inject.value = cores_of_slow_ranks(*world_, kind, usable_cores());
  if (*what == InjectionKind::rate) inject.value = kind.factor;
  if (*what == InjectionKind::packet_loss) inject.value = lost_share(kind.factor);
  if (*what == InjectionKind::loss) inject.value = kind.symptoms.loss;
  if (kind.symptoms.log && fault.logs && host == writer_of(planned))
    inject.line = {.pattern = *kind.symptoms.log,
                   .text = sample_line(world_->patterns[kind.symptoms.log->value])};
  hosts_[host.value].link->send(inject);
  // Its answer waits until the two can reach each other again.
  const bool apart = *what == InjectionKind::partition;
  expect_answer(host, Debt::injection, injection, apart ? inject.lasts : Duration::zero());
  return "";
}

/// Whether a host has not answered yet what became of it.
bool RealCluster::owes_injection(std::uint64_t injection) const {
  return std::any_of(hosts_.begin(), hosts_.end(), [&](const Host& host) {
    return host.unpaid.contains({Debt::injection, injection});
  });
}

/// Before the journal says so: a driver that dies in between leaves the reason, and the next one does not repeat it.
void RealCluster::say_missed(std::uint64_t fault, const std::string& why) {
  const PlannedFault& planned = setup_.plan[fault];
  const std::string who = "fault " + std::to_string(fault) + " (" + world_->faults[planned.kind.value].name +
                          ") on host " + std::to_string(host_of(*world_, planned).value);
  if (std::any_of(missed_faults_.begin(), missed_faults_.end(),
                  [&](const std::string& each) { return each.starts_with(who); }))
    return;
  missed_faults_.push_back(who + " is not injected: " + in_utf8(why));
  missed_.append(missed_faults_.back());
  platform_.say(missed_faults_.back());
}

/// What an agent was told to inject, and what became of it was not heard: the driver died in between, or the agent did.
void RealCluster::inject_again(HostId host) {
  for (std::uint64_t i = 0; i < setup_.plan.size(); ++i) {
    if (disarmed_ || !journal_.begun(i) || journal_.answered(i) || !strikes(i, host)) continue;
    const std::string why = inject_on(host, i);
    if (why.empty() || owes_injection(i)) continue;
    say_missed(i, why);
    journal_.write({JournalStep::missed, i, now()});
  }
}

/// Faults that wait for a start strike this one.
void RealCluster::fail_start() {
  for (std::uint64_t i = 0; i < setup_.plan.size(); ++i) {
    const bool of_start =
        injection_of(world_->faults[setup_.plan[i].kind.value]) == InjectionKind::start_fails;
    if (of_start && journal_.begun(i) && !journal_.answered(i) && !disarmed_) inject(i);
  }
}

/// What agents did before they ended, and nobody looked any more.
void RealCluster::hear_last_injections() {
  std::deque<Incoming> rest;
  {
    const std::lock_guard lock(inbox_mutex_);
    rest.swap(inbox_);
  }
  try {
    for (const Incoming& each : rest) {
      const auto* message = std::get_if<AgentMessage>(&each.what);
      if (message != nullptr && std::holds_alternative<AgentInjected>(*message)) hear(each);
    }
  } catch (const std::exception& error) {
    platform_.say(error.what());
  }
}

// --- their end ---------------------------------------------------------------------------------------------------------

/// What a watchdog does on the host itself it undoes by its own clock, and its agent says so. Else nobody may be there to say it.
void RealCluster::on(const HealDue& due) {
  if (!is_open(due.fault)) return;
  const auto what = injection_of(world_->faults[setup_.plan[due.fault].kind.value]);
  if (what && is_by_watchdog(*what) && !is_of_rank(*what)) return;
  if (what == InjectionKind::host_lost) return end_loss(due.fault);
  undo(due.fault);
  journal_.write({JournalStep::undone, due.fault, now()});
}

/// Its heartbeats stop, and its ranks say nothing of their end.
void RealCluster::lose_by_fault(HostId host) {
  platform_.say("host " + std::to_string(host.value) + " is lost, by a fault of the plan");
  Host& lost = hosts_[host.value];
  ++lost.connection;
  lost.was_lost = true;
  lost.unpaid.clear();
  end_process(host);
  hang_up(host);
  end_waiting_for(host);
  if (lost.state != HostState::in_job || ranks_ != RanksState::starting) return;
  for (const OrderId order : open_orders<Start>()) close(order, Status::failed);
}

/// The hosts that the fault has taken away come back.
void RealCluster::end_loss(std::uint64_t fault) {
  if (journal_.undone(fault)) return;
  journal_.write({JournalStep::undone, fault, now()});
  for (const HostId host : hosts_struck_by(fault))
    if (!hosts_[host.value].link) schedule_attend(host, now());
}

}  // namespace gauntlet
