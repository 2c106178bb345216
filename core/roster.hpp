// Who carries the job, as far as orders and outcomes tell. Costs what differs from the start, not what the cluster has.
#pragma once

#include "core/inventory.hpp"

#include <algorithm>
#include <vector>

namespace gauntlet {

class Roster {
 public:
  Roster() = default;
  explicit Roster(const Inventory& inventory) : inventory_(inventory) {}

  bool in_job(HostId host) const {
    return inventory_.starts_in_job(host) ? !contains(left_, host) : contains(joined_, host);
  }
  void leave(HostId host) {
    if (inventory_.starts_in_job(host)) {
      insert(left_, host);
    } else {
      erase(joined_, host);
    }
  }
  void join(HostId host) {
    if (inventory_.starts_in_job(host)) {
      erase(left_, host);
    } else {
      insert(joined_, host);
    }
  }

 private:
  static bool contains(const std::vector<HostId>& hosts, HostId host) {
    return std::binary_search(hosts.begin(), hosts.end(), host);
  }
  static void insert(std::vector<HostId>& hosts, HostId host) {
    const auto place = std::lower_bound(hosts.begin(), hosts.end(), host);
    if (place == hosts.end() || *place != host) hosts.insert(place, host);
  }
  static void erase(std::vector<HostId>& hosts, HostId host) {
    const auto place = std::lower_bound(hosts.begin(), hosts.end(), host);
    if (place != hosts.end() && *place == host) hosts.erase(place);
  }

  // Sorted: after a long run most hosts may have been replaced.
  Inventory inventory_;
  std::vector<HostId> left_;    // job hosts of the start that no longer are
  std::vector<HostId> joined_;  // job hosts that were not at the start
};

}  // namespace gauntlet
