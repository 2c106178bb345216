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

/// A clock that agents and drivers read.
class Clock {
 public:
  Clock() = default;
  virtual ~Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  /// Nanoseconds since some time before every drill; never decreasing.
  virtual std::int64_t monotonic_ns() const = 0;
};

class MachineClock final : public Clock {
 public:
  std::int64_t monotonic_ns() const override { return gauntlet::monotonic_ns(); }
};

/// The clock of one drill: zero is when it began, also for a driver that takes over later.
class DrillClock {
 public:
  explicit DrillClock(std::int64_t started_ns) : started_ns_(started_ns) {}

  std::int64_t started_ns() const { return started_ns_; }
  Time at(std::int64_t monotonic) const { return kStart + Duration(monotonic - started_ns_); }

 private:
  std::int64_t started_ns_;
};

}  // namespace gauntlet
