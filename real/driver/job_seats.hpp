// Which hosts carry the ranks of a drill's job, at its present number of data-parallel replicas.
#pragma once

#include "core/id.hpp"
#include "core/inventory.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

/// Hosts take and leave slots as orders say (core/action.hpp); the simulated cluster and the policies follow the same rule
/// (core/reseat.hpp).
class JobSeats {
 public:
  /// The job with every replica: each host in the slot of its own number.
  JobSeats(const Inventory& inventory, const Layout& layout);

  /// Of the job at its last start.
  const Layout& layout() const { return present_.layout; }
  /// By slot. An empty slot keeps its last host.
  const std::vector<HostId>& hosts() const { return slots_; }
  /// How many hosts the job has a place for: in empty slots, and in replicas that it lacks.
  std::uint32_t wanted() const;

  /// The host takes the slot that has been empty for longest. Where none is empty it waits for the next start.
  void join(HostId host);
  void leave(HostId host);
  /// The job has so many replicas from now on, 0 for all. False where the number of its hosts does not match.
  bool resize(std::uint32_t replicas);

  std::vector<std::uint32_t> ranks_of(HostId host) const;
  /// Nothing where the host has no slot.
  std::optional<std::uint32_t> rank_on(HostId host, std::uint32_t gpu) const;

 private:
  Inventory whole_, present_;
  std::vector<HostId> slots_;
  std::vector<std::uint32_t> vacant_;  // in the order in which they became empty
  std::vector<HostId> beyond_;         // joined for replicas that the job lacks, in this order
};

}  // namespace gauntlet
