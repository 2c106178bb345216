#include "score/latencies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace gauntlet {
namespace {

/// Of many magnitudes, by a generator with a seed of its own.
std::vector<Duration> some_latencies(std::uint64_t seed, std::size_t count) {
  std::vector<Duration> out;
  for (std::uint64_t state = seed; out.size() < count;) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    out.push_back(Duration(static_cast<std::int64_t>((state >> 8) >> (state >> 59))));
  }
  return out;
}

TEST(Latencies, HaveQuantilesThatAreOffByAFractionOfAPercentAtMost) {
  std::vector<Duration> values = some_latencies(7, 1001);
  Latencies all;
  for (const Duration each : values) all.add(each);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(all.count(), 1001u);
  for (const double p : {0.05, 0.5, 0.95, 1.0}) {
    const double exact =
        static_cast<double>(values[static_cast<std::size_t>(std::ceil(p * 1001)) - 1].count());
    EXPECT_NEAR(static_cast<double>(all.quantile(p)->count()), exact, 0.004 * exact) << p;
  }
  EXPECT_FALSE(Latencies().quantile(0.5));
}

TEST(Latencies, FallIntoBinsThatCoverAllTimesInOrder) {
  Duration before{-1};
  for (std::uint32_t bin = 0;; ++bin) {
    const Duration middle = Latencies::middle_of(bin);
    ASSERT_EQ(Latencies::bin_of(middle), bin);
    ASSERT_GT(middle, before);
    before = middle;
    if (bin == Latencies::bin_of(Duration(std::numeric_limits<std::int64_t>::max()))) break;
  }
  EXPECT_GT(before, Duration(std::int64_t{1} << 62));
}

TEST(Latencies, OfManyReplicasAreTheSameInAnyOrderAndByText) {
  Latencies one, other, all, reversed;
  for (const Duration each : some_latencies(8, 100)) one.add(each), all.add(each);
  for (const Duration each : some_latencies(9, 100)) other.add(each), all.add(each);
  reversed.add(other);
  reversed.add(one);
  one.add(other);
  EXPECT_EQ(one, all);
  EXPECT_EQ(reversed, all);
  EXPECT_EQ(Latencies::from_text(all.text()), all);
  EXPECT_EQ(Latencies::from_text(""), Latencies());
  for (const char* damaged :
       {"1", "1:", "1:0", "a:1", "1:1 ", "2:1 1:1", "1:1  2:1", "99999:1", "-1:1", "1:1,2:1"})
    EXPECT_FALSE(Latencies::from_text(damaged)) << damaged;
}

}  // namespace
}  // namespace gauntlet
