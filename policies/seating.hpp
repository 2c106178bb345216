// Which host sits in which slot of the job, as far as orders and outcomes tell, and which hosts are out of service.
#pragma once

#include "core/growing_table.hpp"
#include "core/inventory.hpp"
#include "core/reseat.hpp"
#include "core/roster.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace gauntlet {

class Seating {
 public:
  Seating() = default;
  explicit Seating(const Inventory& inventory)
      : whole_(inventory), inventory_(inventory), roster_(inventory), spares_(inventory.spares) {}

  /// Of the job as it is: with fewer replicas it has fewer slots.
  const Inventory& inventory() const { return inventory_; }
  bool in_job(HostId host) const { return roster_.in_job(host); }
  bool in_service(HostId host) const { return away_[host.value] == 0; }
  /// Hosts that stand by, less the slots that wait for one. Negative: some wait for a repair.
  std::int64_t free_spares() const { return spares_ - static_cast<std::int64_t>(vacant_.size()); }

  /// Out of service; its slot, if it has one, is vacant.
  void evict(HostId host) {
    if (away_[host.value] != 0) return;
    away_.set(host.value, 1);
    ++departures_;
    if (!in_job(host)) {
      --spares_;
      spares_left_[host] = departures_;
      return;
    }
    roster_.leave(host);
    if (std::erase(beyond_, host) > 0) return;
    const std::uint32_t slot = slot_of(host);
    unseat(host);
    taken_.set(slot, kVacant);
    vacant_.push_back({slot, departures_});
  }
  /// Granted to the job: the slot that has been vacant for longest is its own.
  void join(HostId host) {
    --spares_;
    roster_.join(host);
    if (vacant_.empty()) {
      beyond_.push_back(host);
      return;
    }
    seat(vacant_.front().slot, host);
    vacant_.pop_front();
  }
  /// Granted to the job, and evicted before the grant was heard of: the slot that it was given is vacant since it left.
  void came_and_went(HostId host) {
    const auto left = spares_left_.find(host);
    if (left == spares_left_.end()) return;
    const auto since = left->second;
    spares_left_.erase(left);
    if (vacant_.empty()) return;
    const Vacancy again{vacant_.front().slot, since};
    vacant_.pop_front();
    const auto later = [](const Vacancy& a, const Vacancy& b) { return a.since < b.since; };
    vacant_.insert(std::upper_bound(vacant_.begin(), vacant_.end(), again, later), again);
  }
  void readmit(HostId host) {
    spares_left_.erase(host);
    if (away_[host.value] == 0) return;
    away_.set(host.value, 0);
    ++spares_;
  }

  /// Nothing where the slot is vacant.
  std::optional<HostId> host_in(std::uint32_t slot) const {
    const std::uint32_t taken = taken_[slot];
    if (taken == kVacant) return std::nullopt;
    return HostId{taken == kNone ? slot : taken};
  }
  /// Of a host of the job.
  std::uint32_t slot_of(HostId host) const {
    const std::uint32_t moved = moved_[host.value];
    return moved == kNone ? host.value : moved;
  }

  /// The most replicas that the hosts of the job are enough for, in whole hosts; 0 where they never are.
  std::uint32_t replicas_held() const {
    if (unit() == 0) return 0;
    const std::size_t hosts = inventory_.job_hosts - vacant_.size() + beyond_.size();
    const auto units = static_cast<std::uint32_t>(hosts / hosts_of_unit());
    return std::min(units * unit(), whole_.layout.dp);
  }
  /// Slots without a host.
  std::uint32_t vacant() const { return static_cast<std::uint32_t>(vacant_.size()); }
  /// So many hosts stand by that, with those that joined beyond its slots, more of the replicas that the job lacks could train.
  std::uint32_t hosts_to_grow() const {
    if (inventory_.layout.dp == whole_.layout.dp || free_spares() <= 0) return 0;
    const std::uint32_t missing = whole_.job_hosts - inventory_.job_hosts;
    const auto joined = static_cast<std::uint32_t>(beyond_.size());
    const std::uint32_t held = joined + static_cast<std::uint32_t>(free_spares());
    return std::max(joined, std::min(missing, held - held % hosts_of_unit())) - joined;
  }
  /// The job has so many replicas from now on. Hosts that were granted beyond its slots, and those in slots that it no longer
  /// has, take its empty ones; whoever is left stands by.
  std::vector<HostId> resize(std::uint32_t replicas);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff, kVacant = 0xfffffffe;  // no slot, and no host
  struct Vacancy {
    std::uint32_t slot;
    std::uint64_t since;  // the number of the departure that left it
  };

  void seat(std::uint32_t slot, HostId host) {
    taken_.set(slot, host.value);
    moved_.set(host.value, slot);
  }
  void unseat(HostId host) {
    if (moved_[host.value] != kNone) moved_.set(host.value, kNone);
  }
  std::uint32_t unit() const { return replicas_in_whole_hosts(whole_.layout, whole_.gpus_per_host); }
  std::uint32_t hosts_of_unit() const { return with_replicas(whole_, unit()).job_hosts; }

  Inventory whole_;  // as the scenario has it
  Inventory inventory_;
  Roster roster_;
  std::int64_t spares_ = 0;
  GrowingTable<std::uint8_t> away_;              // by host: whether it is out of service
  GrowingTable<std::uint32_t> taken_{kNone};     // by slot: its host; kNone: the first one, kVacant: nobody
  GrowingTable<std::uint32_t> moved_{kNone};     // by host: where it sits; kNone: where it sat first
  std::deque<Vacancy> vacant_;                   // in the order in which they fell vacant
  std::uint64_t departures_ = 0;                 // evictions so far
  std::map<HostId, std::uint64_t> spares_left_;  // which departure that of a host without a slot was
  std::vector<HostId> beyond_;  // of the job, without a slot yet, in the order in which they joined
};

inline std::vector<HostId> Seating::resize(std::uint32_t replicas) {
  const Inventory sized = with_replicas(whole_, replicas);
  std::vector<std::uint32_t> vacant;
  for (const Vacancy& each : vacant_) vacant.push_back(each.slot);
  const Reseating moved = reseat(inventory_.job_hosts, sized.job_hosts, vacant, beyond_,
                                 [this](std::uint32_t slot) { return *host_in(slot); });
  for (std::uint32_t slot = sized.job_hosts; slot < inventory_.job_hosts; ++slot) taken_.set(slot, kVacant);
  inventory_ = sized;
  beyond_.clear();
  vacant_.clear();
  for (const std::uint32_t slot : moved.vacant) vacant_.push_back({slot, ++departures_});
  spares_left_.clear();
  for (const auto& [slot, host] : moved.seated) seat(slot, host);
  for (const HostId host : moved.left) {
    unseat(host);
    roster_.leave(host);
    ++spares_;
  }
  return moved.left;
}

}  // namespace gauntlet
