// Which host sits in which slot of the job, as far as orders and outcomes tell, and which hosts are out of service. Costs
// what differs from the start, not what the cluster has.
#pragma once

#include "core/inventory.hpp"
#include "core/roster.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>

namespace gauntlet {

class Seating {
 public:
  Seating() = default;
  explicit Seating(const Inventory& inventory)
      : inventory_(inventory), roster_(inventory), spares_(inventory.spares) {}

  const Inventory& inventory() const { return inventory_; }
  bool in_job(HostId host) const { return roster_.in_job(host); }
  bool in_service(HostId host) const { return !away_.contains(host); }
  /// Hosts that stand by, less the slots that wait for one. Negative: some wait for a repair.
  std::int64_t free_spares() const { return spares_ - static_cast<std::int64_t>(vacant_.size()); }

  /// Out of service; its slot, if it has one, is vacant.
  void evict(HostId host) {
    if (!away_.insert(host).second) return;
    if (!in_job(host)) {
      --spares_;
      return;
    }
    const std::uint32_t slot = slot_of(host);
    moved_.erase(host);
    taken_[slot] = std::nullopt;
    vacant_.push_back(slot);
    roster_.leave(host);
  }
  /// Granted to the job: the slot that has been vacant for longest is its own.
  void join(HostId host) {
    --spares_;
    roster_.join(host);
    if (vacant_.empty()) return;
    taken_[vacant_.front()] = host;
    moved_[host] = vacant_.front();
    vacant_.pop_front();
  }
  void readmit(HostId host) {
    if (away_.erase(host) > 0) ++spares_;
  }

  /// Nothing where the slot is vacant.
  std::optional<HostId> host_in(std::uint32_t slot) const {
    const auto taken = taken_.find(slot);
    return taken == taken_.end() ? HostId{slot} : taken->second;
  }
  /// Of a host of the job.
  std::uint32_t slot_of(HostId host) const {
    const auto moved = moved_.find(host);
    return moved == moved_.end() ? host.value : moved->second;
  }

 private:
  Inventory inventory_;
  Roster roster_;
  std::int64_t spares_ = 0;
  std::set<HostId> away_;
  std::map<std::uint32_t, std::optional<HostId>> taken_;  // slots whose host is not the first one
  std::map<HostId, std::uint32_t> moved_;                 // where these hosts sit
  std::deque<std::uint32_t> vacant_;                      // in the order in which they fell vacant
};

}  // namespace gauntlet
