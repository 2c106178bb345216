// The spare hosts that a job uses over time, read off a record from front to back.
#pragma once

#include "core/record/record.hpp"
#include "core/time.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gauntlet {

/// Counts the spare hosts that stand in for a host or are away in repair.
class SpareCount {
 public:
  void begin(std::uint32_t spares) { spares_ = idle_ = static_cast<std::int32_t>(spares); }
  /// A spare host was granted to the job, or evicted while it stood by.
  void take() { --idle_; }
  /// A host came back from repair, or stands by again.
  void give_back() { ++idle_; }
  std::uint32_t in_use() const {
    return static_cast<std::uint32_t>(std::max(0, spares_ - std::max(0, idle_)));
  }

 private:
  std::int32_t spares_ = 0, idle_ = 0;
};

struct SparesInUse {
  Time at;
  std::uint32_t hosts = 0;  // from then on
  friend bool operator==(const SparesInUse&, const SparesInUse&) = default;
};

/// Each change of the number of spare hosts in use, from the start on, in order of time. Of several at one time, the last one.
std::vector<SparesInUse> spares_in_use(const Record& record);

}  // namespace gauntlet
