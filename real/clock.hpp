// The clock of a drill: CLOCK_MONOTONIC, one clock for all processes of a machine.
#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <ctime>

namespace gauntlet {

inline std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// The clock of one drill: zero is when it began, also for a driver that takes over later.
class DrillClock {
 public:
  explicit DrillClock(std::int64_t started_ns) : started_ns_(started_ns) {}

  std::int64_t started_ns() const { return started_ns_; }
  Time now() const { return at(monotonic_ns()); }
  Time at(std::int64_t monotonic) const { return kStart + Duration(monotonic - started_ns_); }

 private:
  std::int64_t started_ns_;
};

}  // namespace gauntlet
