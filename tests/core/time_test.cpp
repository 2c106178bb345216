#include "core/time.hpp"

#include "core/infinity.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

static_assert(!std::is_convertible_v<Time, Duration> && !std::is_convertible_v<Duration, Time>);
static_assert(!std::is_convertible_v<double, Duration> && !std::is_convertible_v<std::int64_t, Duration>);
static_assert(from_seconds(1.5) == 1500ms, "usable at compile time");

TEST(FromSeconds, GivesTheNearestNanosecond) {
  const struct {
    double seconds;
    std::int64_t nanoseconds;
  } table[] = {
      {0, 0},
      {1, 1'000'000'000},
      {0.1, 100'000'000},
      {1e-9, 1},
      {0.4e-9, 0},
      {0.6e-9, 1},
      {1.4e-9, 1},
      {1.6e-9, 2},
      {3600.25, 3'600'250'000'000},
      {4'665'600, 4'665'600'000'000'000},  // 54 days
      {9e9, 9'000'000'000'000'000'000},    // 285 years, still below the end of time
  };
  for (const auto& [seconds, nanoseconds] : table) {
    EXPECT_EQ(from_seconds(seconds).count(), nanoseconds) << seconds;
  }
}

TEST(FromSeconds, StaysAValidTimeWhateverComes) {
  for (const double none : {-0.0, -1e-300, -1.0, -kInfinity, std::nan("")}) {
    EXPECT_EQ(from_seconds(none), Duration::zero()) << none;
  }
  for (const double endless : {9.2e9, 9.3e9, 1e18, 1e300, kInfinity}) {  // 64 bits end at 9.22e9 s
    EXPECT_EQ(from_seconds(endless), kForever) << endless;
  }
}

TEST(ToSeconds, CountsNanoseconds) {
  EXPECT_EQ(to_seconds(0ns), 0);
  EXPECT_EQ(to_seconds(1ns), 1e-9);
  EXPECT_EQ(to_seconds(-2s), -2.0);
  EXPECT_DOUBLE_EQ(to_seconds(54 * 24h), 4'665'600.0);
}

// A double holds 53 bits and three operations round (times 1e-9, times 1e9, plus a half): each by at most
// 2^-53 of the value; the last rounds to a whole nanosecond besides.
RC_GTEST_PROP(FromSeconds, UndoesToSecondsButForRounding, ()) {
  const auto count = *rc::gen::inRange<std::int64_t>(0, 9'000'000'000'000'000'000);
  const std::int64_t back = from_seconds(to_seconds(Duration(count))).count();
  const std::int64_t bound = 1 + count / (std::int64_t{1} << 51);
  RC_ASSERT(back - count <= bound);
  RC_ASSERT(count - back <= bound);
}

RC_GTEST_PROP(FromSeconds, NeverTurnsOrderRound, (double a, double b)) {
  RC_PRE(a <= b);
  RC_ASSERT(from_seconds(a) <= from_seconds(b));
  RC_ASSERT(from_seconds(a * 1e9) <= from_seconds(b * 1e9));
}

TEST(After, AddsAndSaturates) {
  const Time at = kStart + 10ns;
  const struct {
    Time at;
    Duration wait;
    Time expected;
  } table[] = {
      {at, 5ns, kStart + 15ns},          {at, 0ns, at},
      {at, -5ns, kStart + 5ns},          {at, kForever, kNever},
      {kStart, kForever, kNever},        {kNever, 0ns, kNever},
      {kNever, kForever, kNever},        {kNever - 1ns, 1ns, kNever},
      {kNever - 2ns, 1ns, kNever - 1ns}, {kNever, -3ns, kNever - 3ns},
  };
  for (const auto& row : table) {
    EXPECT_EQ(after(row.at, row.wait), row.expected)
        << row.at.time_since_epoch().count() << " + " << row.wait.count();
  }
}

}  // namespace
}  // namespace gauntlet
