#include "sim/examination.hpp"

#include "core/math/elementary.hpp"
#include "sim/engine/moment.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace gauntlet {
namespace {

constexpr StreamName kAccuses = stream_name("probe.accuses");
constexpr std::uint32_t kEveryHost = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Examination::Examination(const World& world, const Hosts& hosts, ActiveFaults& faults)
    : world_(&world), hosts_(&hosts), faults_(&faults) {
  for (const FaultKind& kind : world.faults) names_.push_back(stream_name("probe." + kind.name));
}

void Examination::reset(Seed seed) {
  seed_ = seed;
  turns_.assign(world_->probes.size(), {});
  for (std::size_t i = 0; i < turns_.size(); ++i)
    turns_[i].assign(std::min(world_->probes[i].at_once, world_->inventory.hosts()), kStart);
}

Time Examination::end_of(const Probe& action, Time now) {
  const ProbeKind& probe = world_->probes[action.probe.value];
  std::vector<Time>& turns = turns_[action.probe.value];
  if (turns.empty()) return after(now, probe.time);
  Time last = now;
  const std::uint32_t groups = action.who.subset == Scope::Subset::one ? 1 : groups_of(probe);
  for (std::uint32_t group = 0; group < groups; ++group) {
    std::pop_heap(turns.begin(), turns.end(), std::greater<>());
    turns.back() = after(std::max(now, turns.back()), probe.time);
    last = std::max(last, turns.back());
    std::push_heap(turns.begin(), turns.end(), std::greater<>());
  }
  return last;
}

std::uint32_t Examination::groups_of(const ProbeKind& probe) const {
  const std::uint32_t size = std::max(1U, probe.group);
  return (hosts_->seats().count() + size - 1) / size;
}

const std::vector<HostId>& Examination::failing(const Probe& action, Time now) {
  failing_.clear();
  if (action.who.subset != Scope::Subset::one) {
    find_in_job(action.probe, now);
    return failing_;
  }
  const ProbeKind& probe = world_->probes[action.probe.value];
  const HostId host{action.who.index};  // with partners that are known to be good, where it needs some
  Stream draws = stream_now(seed_, kAccuses, now, nth_of(host.value, action.probe.value));
  const double false_positive = probe.false_positive.value;
  if (finds(probe, host) || (false_positive > 0 && draws.uniform() < false_positive))
    failing_.push_back(host);
  return failing_;
}

/// Whether a fault is found is the fault's own chance, probe for probe.
bool Examination::finds(const ProbeKind& probe, HostId host) {
  for (const FaultRef ref : faults_->of(host)) {
    ActiveFault& fault = (*faults_)[ref];
    if (world_->faults[fault.kind.value].symptoms.heartbeat_lost) return true;  // it does not answer at all
    const double chance = probe.detects[fault.kind.value].value;
    const std::uint64_t whose = component_now(fault.struck, fault.component.index);
    if (chance > 0 && uniform_at(seed_, names_[fault.kind.value], whose, fault.probed++) < chance)
      return true;
  }
  return false;
}

/// The hosts of the job that a probe may find something on, in the order in which their first faults struck.
std::vector<HostId> Examination::hosts_to_find() const {
  std::vector<std::pair<std::uint32_t, HostId>> found;
  for (const FaultRef ref : faults_->on_job(Concern::probes)) {
    for_each_host((*faults_)[ref].hosts, [&](HostId host) {
      if (hosts_->in_job(host)) found.emplace_back(faults_->first_of(host).number, host);
    });
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<HostId> hosts;
  for (const auto& [number, host] : found) hosts.push_back(host);
  return hosts;
}

/// On the hosts that sit there.
bool Examination::any_fault_in(SlotRange slots) const {
  const Seats& seats = hosts_->seats();
  for (std::uint32_t slot = slots.begin; slot < slots.end; ++slot) {
    const HostId host = seats.host(slot);
    if (hosts_->in_job(host) && seats.slot_of(host) == slot && faults_->first_of(host).number > 0)
      return true;
  }
  return false;
}

/// Of the hosts of the job, examined in groups of neighbours.
void Examination::find_in_job(ProbeId number, Time now) {
  const ProbeKind& probe = world_->probes[number.value];
  const Seats& seats = hosts_->seats();
  const std::uint32_t size = std::max(1U, probe.group);
  const std::uint32_t groups = groups_of(probe);
  const auto slots_of = [&](std::uint32_t group) {
    return SlotRange{group * size, std::min((group + 1) * size, seats.count())};
  };
  std::vector<std::uint32_t> failing;
  const auto add = [&failing](std::uint32_t group) {
    if (std::find(failing.begin(), failing.end(), group) == failing.end()) failing.push_back(group);
  };
  for (const HostId host : hosts_to_find())
    if (finds(probe, host)) add(seats.slot_of(host) / size);
  // Healthy groups that are accused are rare: skip from one to the next, a geometric number ahead.
  if (const double false_positive = probe.false_positive.value; false_positive > 0) {
    Stream draws = stream_now(seed_, kAccuses, now, nth_of(kEveryHost, number.value));
    const double log_miss = math_log1p(-std::min(false_positive, 1 - 1e-12));
    for (double group = 0;; group += 1) {
      group += static_cast<double>(
          static_cast<std::int64_t>(std::min(1e15, math_log(draws.uniform()) / log_miss)));
      if (group >= groups) break;
      const auto accused = static_cast<std::uint32_t>(group);
      if (!any_fault_in(slots_of(accused))) add(accused);
    }
  }
  for (const std::uint32_t group : failing) {
    const SlotRange slots = slots_of(group);
    for (std::uint32_t slot = slots.begin; slot < slots.end; ++slot)
      if (hosts_->in_job(seats.host(slot))) failing_.push_back(seats.host(slot));
  }
}

}  // namespace gauntlet
