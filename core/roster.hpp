// Who carries the job, as far as orders and outcomes tell. Costs what differs from the start, not what the cluster has.
#pragma once

#include <algorithm>
#include <vector>

#include "core/inventory.hpp"

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
      left_.push_back(host);
    } else {
      std::erase(joined_, host);
    }
  }
  void join(HostId host) {
    if (inventory_.starts_in_job(host)) {
      std::erase(left_, host);
    } else {
      joined_.push_back(host);
    }
  }

 private:
  static bool contains(const std::vector<HostId>& hosts, HostId host) {
    return std::find(hosts.begin(), hosts.end(), host) != hosts.end();
  }

  Inventory inventory_;
  std::vector<HostId> left_;    // job hosts of the start that no longer are
  std::vector<HostId> joined_;  // job hosts that were not at the start
};

}  // namespace gauntlet
