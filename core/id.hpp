// Typed ids. An id of one kind cannot be passed where another is meant.
#pragma once

#include "core/contract.hpp"

#include <compare>
#include <cstdint>

namespace gauntlet {

template <class Tag, class Representation = std::uint32_t>
struct Id {
  Representation value = 0;
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using HostId = Id<struct HostTag>;
using JobId = Id<struct JobTag>;
using OrderId = Id<struct OrderTag, std::uint64_t>;  // counted by the controller, from 1; 0 is not an order
using WatchId = Id<struct WatchTag>;                 // chosen by whoever orders the watch
using PatternId = Id<struct PatternTag>;      // an interned kind of log line, index into World::patterns
using ProbeId = Id<struct ProbeTag>;          // index into World::probes
using FaultKindId = Id<struct FaultKindTag>;  // index into World::faults; never shown to a policy

/// What a component is. A host holds its GPUs and NICs: GPU g sits in host g / gpus_per_host, NIC n likewise. The others
/// are failure domains: what goes wrong with one concerns all the hosts that it holds or connects.
enum class ComponentKind : std::uint8_t { job, host, gpu, nic, rack, tor, aggregation, spine, power };

struct ComponentId {
  ComponentKind kind = ComponentKind::job;
  std::uint32_t index = 0;
  friend constexpr auto operator<=>(const ComponentId&, const ComponentId&) = default;
};

constexpr ComponentId component(HostId host) { return {ComponentKind::host, host.value}; }
constexpr ComponentId component(JobId job) { return {ComponentKind::job, job.value}; }

/// The host that `who` names: only hosts report host signals.
constexpr HostId host_of(ComponentId who) {
  expect(who.kind == ComponentKind::host, "a host is named");
  return HostId{who.index};
}

}  // namespace gauntlet
