// What probes find: faults that are there, each by its own chance, and at times a host that has none.
#pragma once

#include "core/action.hpp"
#include "core/random/stream.hpp"
#include "core/time.hpp"
#include "models/world/world.hpp"
#include "sim/faults/active_faults.hpp"
#include "sim/hosts/hosts.hpp"

#include <cstdint>
#include <vector>

namespace gauntlet {

class Examination {
 public:
  /// All must outlive it.
  Examination(const World& world, const Hosts& hosts, ActiveFaults& faults);
  void reset(Seed seed);

  /// When a probe that begins now ends: its groups take their turns, after those of the probes of this kind that are under way.
  Time end_of(const Probe& probe, Time now);
  /// The hosts that fail the probe at that time; valid until the next call.
  const std::vector<HostId>& failing(const Probe& probe, Time now);

 private:
  bool finds(const ProbeKind& probe, HostId host);
  std::vector<HostId> hosts_to_find() const;
  bool any_fault_in(SlotRange slots) const;
  std::uint32_t groups_of(const ProbeKind& probe) const;
  void find_in_job(ProbeId number, Time now);

  const World* world_;
  const Hosts* hosts_;
  ActiveFaults* faults_;
  std::vector<StreamName> names_;  // by FaultKindId
  std::vector<std::vector<Time>>
      turns_;  // by ProbeId: when each place of a turn is free, the first one first (a heap); none: no limit
  Seed seed_;
  std::vector<HostId> failing_;  // of the last probe; a member to reuse memory
};

}  // namespace gauntlet
