#include "real/trainer/segment_work.hpp"

#include "real/system/clock.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <limits>

namespace gauntlet {
namespace {

constexpr int kTries = 20;
constexpr std::uint64_t kUnitsOfTry = 100;
constexpr int kRoundsOfUnit = 1000;  // about 2 us

/// Each round needs the one before: no compiler and no core can shorten it.
std::uint64_t spin(std::uint64_t units, std::uint64_t state) {
  for (std::uint64_t i = 0; i < units * kRoundsOfUnit; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  return state;
}

volatile std::uint64_t result = 1;

}  // namespace

SegmentWork::SegmentWork(double share) : share_(std::clamp(share, 0.0, 1.0)) {
  if (share_ == 0) return;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t began = monotonic_ns();
    result = spin(kUnitsOfTry, result);
    shortest = std::min(shortest, monotonic_ns() - began);
  }
  unit_ns_ = std::max(1.0, static_cast<double>(shortest) / kUnitsOfTry);
}

void SegmentWork::take(Duration time) const {
  if (time <= Duration::zero() || share_ == 0) return;
  const double ns = static_cast<double>(time.count());
  result = spin(static_cast<std::uint64_t>(ns * share_ / unit_ns_), result);
  const auto rest = static_cast<std::int64_t>(ns * (1 - share_));
  timespec left{.tv_sec = rest / 1'000'000'000, .tv_nsec = rest % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
  }
}

double work_share(std::uint32_t ranks, std::uint32_t cores) {
  constexpr double kHalf = 0.5;
  return kHalf * std::min(1.0, static_cast<double>(cores) / std::max<std::uint32_t>(ranks, 1));
}

std::uint32_t usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::uint32_t>(std::max(CPU_COUNT(&set), 1));
}

}  // namespace gauntlet
