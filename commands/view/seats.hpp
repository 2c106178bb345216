// Which host sits in which slot of the job over time, read off a record.
#pragma once

#include "core/inventory.hpp"
#include "core/record/record.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

/// From this time on, the slot holds this host; nothing: the slot is vacant.
struct SeatChange {
  Time at;
  std::uint32_t slot = 0;
  std::optional<HostId> host;
  friend bool operator==(const SeatChange&, const SeatChange&) = default;
};

/// From this time on, the job has so many data-parallel replicas.
struct ReplicaChange {
  Time at;
  std::uint32_t replicas = 0;
};

/// From this time on, the host is out of service, or back.
struct ServiceChange {
  Time at;
  HostId host;
  bool out = false;
};

/// At the start, slot s holds host s.
struct SeatLog {
  Inventory inventory;
  std::vector<SeatChange> seats;
  std::vector<ReplicaChange> replicas;
  std::vector<ServiceChange> service;

  /// The slots just before a time.
  std::vector<std::optional<HostId>> slots_before(Time at) const;
  /// The layout just before a time: with fewer replicas where the job was cut down.
  Layout layout_before(Time at) const;
};

/// `inventory`: of the scenario, as the first observation has it too.
SeatLog seat_log_of(const Record& record, const Inventory& inventory);

}  // namespace gauntlet
