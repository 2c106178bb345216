// Host clocks: off by up to the clock error, fast or slow, and each for good.
#include "sim/telemetry/reports.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

std::vector<Duration> clock_errors(Duration clock_error, std::uint32_t hosts) {
  World world;
  world.telemetry.clock_error = clock_error;
  SimEngine engine;
  Outbox out;
  const Reports reports(world, Seed{7}, engine, out);
  std::vector<Duration> off;
  const Time at = kStart + 1h;
  for (std::uint32_t host = 0; host < hosts; ++host)
    off.push_back(reports.by_clock_of(HostId{host}, at) - at);
  EXPECT_EQ(reports.by_clock_of(HostId{0}, at + 5h), at + 5h + off[0]);
  return off;
}

// Evenly spread over both sides. Of 4,000, half are slow, give or take 32 (one standard deviation), and as many are off by more
// than half the error.
TEST(HostClocks, AreAsOftenSlowAsFast) {
  const std::vector<Duration> off = clock_errors(100ms, 4000);
  const auto slow = std::count_if(off.begin(), off.end(), [](Duration each) { return each < 0s; });
  const auto far =
      std::count_if(off.begin(), off.end(), [](Duration each) { return std::chrono::abs(each) > 50ms; });
  EXPECT_NEAR(static_cast<double>(slow), 2000, 4 * 32);
  EXPECT_NEAR(static_cast<double>(far), 2000, 4 * 32);
  EXPECT_GE(*std::min_element(off.begin(), off.end()), -100ms);
  EXPECT_LT(*std::min_element(off.begin(), off.end()), -99ms);
  EXPECT_GT(*std::max_element(off.begin(), off.end()), 99ms);
  EXPECT_LE(*std::max_element(off.begin(), off.end()), 100ms);
}

// At both ends of the range of times, with an error as long as any: nothing wraps around.
TEST(HostClocks, SaturateAtTheEndsOfTime) {
  World world;
  world.telemetry.clock_error = kForever;
  SimEngine engine;
  Outbox out;
  const Reports reports(world, Seed{7}, engine, out);
  for (std::uint32_t host = 0; host < 100; ++host) {
    const HostId id{host};
    const Duration off = reports.by_clock_of(id, kStart) - kStart;
    EXPECT_EQ(reports.by_clock_of(id, kNever), off > 0s ? kNever : kNever + off);
    EXPECT_EQ(reports.by_clock_of(id, kLast), off > 0s ? kNever : kLast + off);
    EXPECT_EQ(reports.by_clock_of(id, kStart - kForever),
              off < 0s ? kStart - kForever : kStart - kForever + off);
  }
}

TEST(HostClocks, AreRightWithoutAnError) {
  for (const Duration each : clock_errors(0s, 10)) EXPECT_EQ(each, 0s);
}

}  // namespace
}  // namespace gauntlet
