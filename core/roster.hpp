// Who carries the job, as far as orders and outcomes tell.
#pragma once

#include "core/growing_table.hpp"
#include "core/inventory.hpp"

#include <cstdint>

namespace gauntlet {

class Roster {
 public:
  Roster() = default;
  explicit Roster(const Inventory& inventory) : inventory_(inventory) {}

  bool in_job(HostId host) const { return inventory_.starts_in_job(host) != (changed_[host.value] != 0); }
  void leave(HostId host) { set(host, false); }
  void join(HostId host) { set(host, true); }

 private:
  void set(HostId host, bool in_job) {
    changed_.set(host.value, inventory_.starts_in_job(host) != in_job ? 1 : 0);
  }

  Inventory inventory_;
  GrowingTable<std::uint8_t> changed_;  // whether it is not as it was at the start
};

}  // namespace gauntlet
