// The hosts of the cluster: what each does, where it sits in the job, and the pools that it is in when it does not.
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

  /// Both must outlive the hosts.
  Hosts(const World& world, SimEngine& engine);
  void reset(Seed seed);

  State state(HostId host) const { return states_[host.value]; }
  bool in_job(HostId host) const { return state(host) == State::in_job; }
  bool powered(HostId host) const { return state(host) != State::in_repair && state(host) != State::retired; }
  /// Of a range, the first host that carries the job.
  std::optional<HostId> first_in_job(const HostRange& hosts) const;
  /// How often the host that a component belongs to has been repaired.
  std::uint32_t repairs_of(ComponentId component) const;

  const Seats& seats() const { return seats_; }
  /// The job as it was at its last start.
  JobSize& size() { return sizes_.present(); }
  const JobSize& size() const { return sizes_.present(); }

  /// A spare host joins the job, where so many orders wait for one and the job has a place. Where none stands by, those
  /// that can come are sent for.
  std::optional<HostId> grant(std::size_t waiting);
  /// A host leaves the job. Its slot, which is empty then; nothing where it had none yet.
  std::optional<std::uint32_t> leave_job(HostId host);
  /// A host that has left the job stands by. It is set up as it is, and is the next to be granted.
  void stand_by(HostId host);
  /// A host that has left the job, or that stood by, is out of service.
  void leave_service(HostId host);
  /// It goes to repair. `cause`: the fault that it is repaired for, where there is one. `draws`: of this repair.
  void repair(HostId host, std::optional<FaultKindId> cause, const Stream& draws);
  /// A host that is back from repair stands by, while so many orders wait.
  void readmit(HostId host, std::size_t waiting);
  /// A host in repair, or back from it, goes for good.
  void retire(HostId host);

  /// What a start with another number of replicas changes.
  struct Resized {
    bool reseated = false;        // hosts have new slots
    std::uint32_t new_ranks = 0;  // so many slots, the first ones, hold ranks that are others now
  };
  /// The job has so many replicas from now on, as Start says. Nothing where the number of its hosts does not match.
  std::optional<Resized> resize(std::uint32_t replicas);

  void on(const SpareReady& event, std::size_t waiting);
  /// Nothing where the host goes on to what comes next in its repair.
  std::optional<RepairQueue::Back> on(const RepairDone& event);

  const RepairCounts& repairs_done() const { return shop_->counts(); }
  const SpareCounts& spares_used() const { return spares_->counts(); }

 private:
  std::size_t wanted(std::size_t waiting) const;

  const World* world_;
  SimEngine* engine_;
  JobSizes sizes_;
  Seats seats_;
  std::vector<State> states_;
  std::vector<std::uint32_t> repairs_;  // of each host so far
  std::vector<std::uint32_t> vacant_;   // slots without a host, in the order in which they fell empty
  std::vector<HostId>
      beyond_;  // of the job, for replicas that it lacks, in the order in which they were granted
  std::optional<Spares> spares_;
  std::optional<RepairQueue> shop_;
};

/// Whether `holds` for one of the hosts. They are asked in order, until it does.
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
