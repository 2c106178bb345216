#include "sim/faults/active_faults.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

constexpr auto kEarlier = [](FaultRef a, FaultRef b) { return a.number < b.number; };

std::uint8_t concerns_of(const World& world, FaultKindId number) {
  const FaultKind& kind = world.faults[number.value];
  std::uint8_t bits = 0;
  const auto set = [&](Concern concern, bool is) {
    if (is) bits = static_cast<std::uint8_t>(bits | 1U << static_cast<unsigned>(concern));
  };
  set(Concern::holds, stops_job(kind.effect) || kind.effect == Effect::stall);
  set(Concern::slows, kind.effect == Effect::slow || kind.effect == Effect::degrade);
  set(Concern::loss, kind.symptoms.loss != 0);
  set(Concern::restart, kind.remedy == Remedy::restart);
  set(Concern::person, kind.remedy == Remedy::person);
  const bool found = std::any_of(world.probes.begin(), world.probes.end(), [&](const ProbeKind& probe) {
    return number.value < probe.detects.size() && probe.detects[number.value].value > 0;
  });
  set(Concern::probes, found || kind.symptoms.heartbeat_lost);
  return bits;
}

void insert(std::vector<FaultRef>& refs, FaultRef ref) {
  refs.insert(std::upper_bound(refs.begin(), refs.end(), ref, kEarlier), ref);
}
void remove(std::vector<FaultRef>& refs, FaultRef ref) {
  const auto place = std::lower_bound(refs.begin(), refs.end(), ref, kEarlier);
  if (place != refs.end() && *place == ref) refs.erase(place);
}

}  // namespace

ActiveFaults::ActiveFaults(const World& world) {
  for (std::uint32_t kind = 0; kind < world.faults.size(); ++kind)
    concerns_.push_back(concerns_of(world, FaultKindId{kind}));
}

void ActiveFaults::clear() {
  slots_.clear();
  free_.clear();
  struck_.clear();
  by_host_.clear();
  of_job_.clear();
  for (std::vector<FaultRef>& refs : on_job_) refs.clear();
  count_ = 0;
}

// --- what comes and goes ---------------------------------------------------------------------------------------------

ActiveFault& ActiveFaults::add(const ActiveFault& struck) {
  if (struck_.size() > 2 * (slots_.size() - free_.size()) + 64)
    std::erase_if(struck_, [this](const Struck& each) { return !is(each.ref); });
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const FaultRef ref{.slot = free_.back(), .number = ++count_};
  free_.pop_back();
  ActiveFault& fault = slots_[ref.slot];
  fault = struck;
  fault.ref = ref;
  struck_.push_back({ref, fault.struck});
  index(fault);
  if (fault.component.kind == ComponentKind::job) of_job_.push_back(ref);
  if (on_job(fault)) meets_job(fault);
  return fault;
}

void ActiveFaults::erase(FaultRef ref) {
  ActiveFault& fault = slots_[ref.slot];
  unindex(fault);
  if (fault.component.kind == ComponentKind::job) remove(of_job_, ref);
  if (on_job(fault)) leaves_job(fault);
  fault.ref = {};
  free_.push_back(ref.slot);
}

void ActiveFaults::meets_job(const ActiveFault& fault) {
  for (std::size_t concern = 0; concern < kConcerns; ++concern)
    if (concerns(fault, concern)) insert(on_job_[concern], fault.ref);
}

void ActiveFaults::leaves_job(const ActiveFault& fault) {
  for (std::size_t concern = 0; concern < kConcerns; ++concern)
    if (concerns(fault, concern)) remove(on_job_[concern], fault.ref);
}

// --- who carries the job ---------------------------------------------------------------------------------------------

void ActiveFaults::host_joined(HostId host) {
  by_host_.for_each(host, [this](std::uint32_t slot) {
    ActiveFault& fault = slots_[slot];
    if (fault.component.kind != ComponentKind::job && fault.job_hosts++ == 0) meets_job(fault);
  });
}

void ActiveFaults::host_left(HostId host) {
  by_host_.for_each(host, [this](std::uint32_t slot) {
    ActiveFault& fault = slots_[slot];
    if (fault.component.kind != ComponentKind::job && --fault.job_hosts == 0) leaves_job(fault);
  });
}

void ActiveFaults::move_job_faults(HostId host) {
  for (const FaultRef ref : of_job_) {
    ActiveFault& fault = slots_[ref.slot];
    unindex(fault);
    fault.hosts = {host, 1};
    index(fault);
  }
}

// --- who has what ----------------------------------------------------------------------------------------------------

bool ActiveFaults::has(FaultKindId kind, ComponentId component, const HostRange& hosts) const {
  const auto same = [&](const ActiveFault& fault) {
    return fault.kind == kind && fault.component == component;
  };
  if (component.kind == ComponentKind::job)  // wherever it shows
    return std::any_of(of_job_.begin(), of_job_.end(), [&](FaultRef ref) { return same((*this)[ref]); });
  return by_host_.any(hosts.first, [&](std::uint32_t slot) { return same(slots_[slot]); });
}

std::span<const FaultRef> ActiveFaults::of(HostId host) {
  asked_for_.clear();
  by_host_.for_each(host, [&](std::uint32_t slot) { asked_for_.push_back(slots_[slot].ref); });
  std::sort(asked_for_.begin(), asked_for_.end(), kEarlier);
  return asked_for_;
}

FaultRef ActiveFaults::first_of(HostId host) const {
  FaultRef first;
  by_host_.for_each(host, [&](std::uint32_t slot) {
    const FaultRef ref = slots_[slot].ref;
    if (first.number == 0 || kEarlier(ref, first)) first = ref;
  });
  return first;
}

const std::vector<FaultRef>& ActiveFaults::struck_at(Time time) {
  asked_for_.clear();
  auto each = std::lower_bound(struck_.begin(), struck_.end(), time,
                               [](const Struck& one, Time at) { return one.at < at; });
  for (; each != struck_.end() && each->at == time; ++each)
    if (is(each->ref)) asked_for_.push_back(each->ref);
  return asked_for_;
}

}  // namespace gauntlet
