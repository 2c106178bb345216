// Simulated and real time: a 64-bit count of nanoseconds in types that cannot be mixed up.
//
// `Time` is a point on one run's own clock, which starts at zero when the run starts. It is never the wall clock:
// only real/ reads that one, and converts at its edge. 64 bits of nanoseconds last 292 years.
#pragma once

#include <chrono>
#include <cstdint>
#include <ratio>

namespace gauntlet {

using Duration = std::chrono::nanoseconds;

/// The clock of one run. It has no now(): time is handed to whoever needs it.
struct RunClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<RunClock, Duration>;
  static constexpr bool is_steady = true;
};

using Time = RunClock::time_point;

inline constexpr Time kStart{};
inline constexpr Time kNever = Time::max();
inline constexpr Duration kForever = Duration::max();

/// Seconds as a double, for figures shown to people and for distributions; never for adding up time.
constexpr double to_seconds(Duration d) { return static_cast<double>(d.count()) * 1e-9; }

/// The nearest nanosecond; saturates at `kForever` (and zero below zero), so that a draw from a heavy tail or a
/// division by a zero rate stays a valid time.
constexpr Duration from_seconds(double seconds) {
  constexpr double kMaxNanoseconds = 9.2e18;
  const double nanoseconds = seconds * 1e9;
  if (!(nanoseconds > 0)) return Duration::zero();
  if (nanoseconds >= kMaxNanoseconds) return kForever;
  const auto whole =
      static_cast<std::int64_t>(nanoseconds);  // adding 0.5 first would round twice beyond 2^52
  return Duration(whole + (nanoseconds - static_cast<double>(whole) >= 0.5 ? 1 : 0));
}

/// `at + wait`, saturating at kNever.
constexpr Time after(Time at, Duration wait) { return wait >= kNever - at ? kNever : at + wait; }

}  // namespace gauntlet
