// Hosts that a planned fault has broken, their repair and their burn-in.
#include "models/world/blast_radius.hpp"
#include "real/driver/real_cluster.hpp"
#include "real/injectors/injector.hpp"

#include <algorithm>

namespace gauntlet {

// --- broken hosts --------------------------------------------------------------------------------------------------------

/// Whether the fault has struck its host, and stays there until the host is repaired.
bool RealCluster::is_broken_by(std::uint64_t fault) const {
  const FaultKind& kind = world_->faults[setup_.plan[fault].kind.value];
  return kind.remedy == Remedy::repair && journal_.observed(fault) && !journal_.undone(fault);
}

/// In the order in which they struck.
std::vector<std::uint64_t> RealCluster::broken_by(HostId host) const {
  std::vector<std::uint64_t> faults;
  for (std::uint64_t i = 0; i < setup_.plan.size(); ++i) {
    const bool of_host = sits_in_host(setup_.plan[i].component.kind) && strikes(i, host);
    if (of_host && is_broken_by(i)) faults.push_back(i);
  }
  return faults;
}

/// Of a host that is evicted now. What a fault of the plan has broken takes what its simulation takes.
Duration RealCluster::repair_time(HostId host) const {
  if (const auto faults = broken_by(host); !faults.empty()) return setup_.plan[faults.front()].repair;
  Stream draws(setup_.seed, stream_name("repair"),
               std::uint64_t{hosts_[host.value].evictions} << 32U | host.value);
  return from_seconds(world_->repair.time.sample(draws));
}

/// No operator has answered: as in a simulation, a person finds a host of the job that is broken.
Answered RealCluster::answer_of_person() const {
  for (std::uint64_t i = 0; i < setup_.plan.size(); ++i) {
    if (is_broken_by(i) && hosts_[host_of(*world_, setup_.plan[i]).value].state == HostState::in_job)
      return {host_of(*world_, setup_.plan[i]), true};
  }
  return {HostId{}, false};
}

/// The job trains: what is broken on its hosts stops it again.
void RealCluster::strike_again() {
  if (disarmed_) return;
  for (std::uint64_t i = 0; i < setup_.plan.size(); ++i) {
    const auto what = injection_of(world_->faults[setup_.plan[i].kind.value]);
    if (what && is_of_rank(*what) && is_broken_by(i) && left_of(i) > Duration::zero())
      inject(injection_in_run(i, run_));
  }
}

/// It is repaired, or has left for good.
void RealCluster::end_faults_of(HostId host) {
  for (const std::uint64_t fault : broken_by(host)) journal_.write({JournalStep::undone, fault, now()});
}

/// A failure domain has taken it away, which no repair of the host brings back.
bool RealCluster::lacks_domain(HostId host) const {
  for (std::uint64_t i = 0; i < setup_.plan.size(); ++i)
    if (!sits_in_host(setup_.plan[i].component.kind) && has_lost(host, i)) return true;
  return false;
}

// --- in repair -----------------------------------------------------------------------------------------------------------

/// Repaired, the host gets an agent. It is back if that attends during all of the burn-in.
void RealCluster::on(const RepairDue& due) {
  if (hosts_[due.host.value].state != HostState::in_repair) return;
  const bool begun = hosts_[due.host.value].dialled != nullptr;
  if (!due.burnt_in && !begun && (lacks_domain(due.host) || !platform_.supply().is_back(name_of(due.host))))
    return schedule(now() + kAgentRetry, due);
  if (const auto again = due.burnt_in ? std::nullopt : attend(due.host)) return schedule(now() + *again, due);
  if (!hosts_[due.host.value].link) return schedule(now(), RepairDue{due.host});
  const Duration burn_in = world_->repair.burn_in;
  if (!due.burnt_in && burn_in > Duration::zero())
    return schedule(after(now(), burn_in), RepairDue{.host = due.host, .burnt_in = true});
  hosts_[due.host.value].state = HostState::returned;
  end_faults_of(due.host);
  push(HostReturned{due.host});
}

/// Its agent is gone. Another one starts at the end of the burn-in, which then begins anew.
void RealCluster::leave_burn_in(HostId host) {
  Host& tested = hosts_[host.value];
  ++tested.connection;
  tested.unpaid.clear();
  end_process(host);
  hang_up(host);
}

/// A person has repaired it: it goes to its burn-in.
void RealCluster::repair_by_hand(HostId host) {
  if (hosts_[host.value].state != HostState::in_repair) return;
  const auto repairs = [&](const auto& each) {
    const auto* repair = std::get_if<RepairDue>(&each.second);
    return repair != nullptr && repair->host == host && !repair->burnt_in;
  };
  if (std::erase_if(timers_, repairs) > 0) schedule(now(), RepairDue{host});
}

}  // namespace gauntlet
