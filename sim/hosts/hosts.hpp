// The hosts of the cluster: the state of each, its slot in the job, and the pools of the hosts that are not in the
// job.
#pragma once

#include "core/id.hpp"
#include "core/random/stream.hpp"
#include "models/world/blast_radius.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/hosts/repair.hpp"
#include "sim/hosts/seats.hpp"
#include "sim/hosts/spares.hpp"
#include "sim/job/job_size.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

class Hosts {
 public:
  enum class State : std::uint8_t { in_job, spare, in_repair, returned, retired };

  /// `world` and `engine` must outlive this object.
  Hosts(const World& world, SimEngine& engine);
  void reset(Seed seed);

  State state(HostId host) const { return states_[host.value]; }
  bool in_job(HostId host) const { return state(host) == State::in_job; }
  bool powered(HostId host) const { return state(host) != State::in_repair && state(host) != State::retired; }
  /// The first host of a range that is in the job.
  std::optional<HostId> first_in_job(const HostRange& hosts) const;
  /// The number of repairs so far of the host that a component belongs to.
  std::uint32_t repairs_of(ComponentId component) const;

  const Seats& seats() const { return seats_; }
  /// The size of the job at its last start.
  JobSize& size() { return sizes_.present(); }
  const JobSize& size() const { return sizes_.present(); }

  /// Moves a warm spare host into the job, if `waiting` orders want one and the job has a place for it. If no warm
  /// host is free, calls other hosts (sim/hosts/spares.hpp) and returns nothing.
  std::optional<HostId> grant(std::size_t waiting);
  /// Takes a host out of the job. Returns its slot, which is empty now. Returns nothing if the host had no slot yet.
  std::optional<std::uint32_t> leave_job(HostId host);
  /// Makes a host that has left the job a warm spare host, without a new setup. It is the next one that is granted.
  void stand_by(HostId host);
  /// Takes a host out of service that has left the job or was a spare host.
  void leave_service(HostId host);
  /// Sends a host to repair. `cause`: its fault, if it has one. `draws`: the random stream of this repair.
  void repair(HostId host, std::optional<FaultKindId> cause, const Stream& draws);
  /// Makes a host that is back from repair a spare host, while `waiting` orders want one.
  void readmit(HostId host, std::size_t waiting);
  /// Removes a host for good that is in repair or back from it.
  void retire(HostId host);

  /// What a start with another number of replicas changes.
  struct Resized {
    bool reseated = false;        // hosts have new slots
    std::uint32_t new_ranks = 0;  // this many slots, from the first, hold other ranks than before
  };
  /// Gives the job the number of replicas that Start states. Returns nothing if the number of its hosts does not
  /// match.
  std::optional<Resized> resize(std::uint32_t replicas);

  void on(const SpareReady& event, std::size_t waiting);
  /// Returns nothing if the host goes to the next stage of its repair.
  std::optional<RepairQueue::Back> on(const RepairDone& event);
  /// A person repairs a host in repair now. Returns nothing if it goes to its burn-in, or is there.
  std::optional<RepairQueue::Back> mend(HostId host);

  const RepairCounts& repairs_done() const { return shop_->counts(); }
  const SpareCounts& spares_used() const { return spares_->counts(); }

 private:
  std::size_t wanted(std::size_t waiting) const;
  void note_return(HostId host, const std::optional<RepairQueue::Back>& back);

  const World* world_;
  SimEngine* engine_;
  JobSizes sizes_;
  Seats seats_;
  std::vector<State> states_;
  std::vector<std::uint32_t> repairs_;  // the number of repairs of each host so far
  std::vector<std::uint32_t> vacant_;   // slots without a host, in the order in which they became empty
  /// Hosts of the job without a slot, for replicas that it lacks, in the order in which they were granted.
  std::vector<HostId> beyond_;
  std::optional<Spares> spares_;
  std::optional<RepairQueue> shop_;
};

/// Whether `holds` is true for any host of the range. Tests the hosts in order, up to the first such host.
template <class Holds>
bool any_host(const HostRange& hosts, const Holds& holds) {
  for (std::uint32_t i = 0; i < hosts.count; ++i) {
    if (holds(HostId{hosts.first.value + i})) return true;
  }
  return false;
}

template <class Do>
void for_each_host(const HostRange& hosts, const Do& act) {
  for (std::uint32_t i = 0; i < hosts.count; ++i) act(HostId{hosts.first.value + i});
}

}  // namespace gauntlet
