#include "core/random/stream.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <type_traits>
#include <vector>

namespace gauntlet {
namespace {

constexpr StreamName kName = stream_name("fault.gpu_memory");
constexpr Seed kStreamSeed{.study = 0x0123456789abcdef, .replica = 7};

static_assert(std::is_trivially_copyable_v<Stream>);
static_assert(stream_name("a") != stream_name("b"));
static_assert(stream_name("fault.gpu_memory") != stream_name("fault.gpu_memory "));

TEST(Stream, KnownAnswers) {
  // Random123's own vectors (kat_vectors: "philox4x32 10") for key = counter = 0 are the words 6627e8d5
  // e169c58d bc57ac4c 9b00dbd8. Seed 0, replica 0, block 0 and a name whose hash is 0 reach that counter.
  Stream zero({.study = 0, .replica = 0}, StreamName{0});
  EXPECT_EQ(zero.bits(), 0xe169c58d6627e8d5);
  EXPECT_EQ(zero.bits(), 0x9b00dbd8bc57ac4c);

  // The third vector: counter 243f6a88 85a308d3 13198a2e 03707344, key a4093822 299f31d0, gives d16cfe09
  // 94fdcceb 5001e420 24126ea1. The first word of the counter is the block, half the number of the draw.
  const Seed seed{.study = 0x299f31d0a4093822, .replica = 0x85a308d3};
  const StreamName name{0x0370734413198a2e};
  EXPECT_EQ(bits_at(seed, name, 0, 2 * std::uint64_t{0x243f6a88}), 0x94fdccebd16cfe09);
  EXPECT_EQ(bits_at(seed, name, 0, 2 * std::uint64_t{0x243f6a88} + 1), 0x24126ea15001e420);
}

TEST(Stream, NamesKeepTheirHash) {
  // Computed apart: FNV-1a 64 of the bytes, then the MurmurHash3 finaliser. Results of published seeds hang
  // on it.
  EXPECT_EQ(stream_name("").hash, 0xefd01f60ba992926u);
  EXPECT_EQ(stream_name("fault.gpu_memory").hash, 0xba2c6e33b2cdf286u);
}

TEST(Stream, RandomAccessReadsTheSameDraws) {
  for (const std::uint64_t component : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40}) {
    Stream stream(kStreamSeed, kName, component);
    for (std::uint64_t n = 0; n < 1'000; ++n) {
      ASSERT_EQ(stream.uniform(), uniform_at(kStreamSeed, kName, component, n))
          << component << ", draw " << n;
      ASSERT_EQ(stream.draws(), n + 1);
    }
  }
}

TEST(Stream, SkippedDrawsMoveNoOther) {
  for (unsigned skipped = 0; skipped < 256; ++skipped) {  // bit n: draw n is skipped
    Stream stream(kStreamSeed, kName, 3);
    for (unsigned n = 0; n < 8; ++n) {
      if ((skipped >> n & 1U) != 0) {
        stream.skip();
      } else {
        ASSERT_EQ(stream.bits(), bits_at(kStreamSeed, kName, 3, n)) << skipped << ", draw " << n;
      }
      ASSERT_EQ(stream.draws(), n + 1);
    }
  }
}

TEST(Stream, ACopyGoesOnByItself) {
  Stream first(kStreamSeed, kName);
  first.bits();
  Stream second = first;
  const std::uint64_t next = first.bits();
  first.bits();
  EXPECT_EQ(second.bits(), next);
  EXPECT_EQ(second.draws(), 2u);
}

TEST(Stream, ReadingOneDisturbsNoOther) {
  Stream alone(kStreamSeed, kName, 3);
  std::vector<std::uint64_t> expected;
  for (int i = 0; i < 100; ++i) expected.push_back(alone.bits());
  Stream mixed(kStreamSeed, kName, 3);
  Stream other(kStreamSeed, kName, 4);
  for (int i = 0; i < 100; ++i) {
    for (int j = 0; j < i % 3; ++j) other.bits();
    EXPECT_EQ(mixed.bits(), expected[static_cast<std::size_t>(i)]);
  }
}

TEST(Stream, EveryPartOfTheKeyMakesAnotherStream) {
  // 64-bit values: among the 6 * 4,000 of them a chance repetition has a probability of 2e-11.
  const std::array<Stream, 6> streams{
      Stream(kStreamSeed, kName, 0),
      Stream(kStreamSeed, kName, 1),
      Stream(kStreamSeed, stream_name("fault.gpu_memorz"), 0),
      Stream({.study = kStreamSeed.study + 1, .replica = 7}, kName, 0),
      Stream({.study = kStreamSeed.study + (std::uint64_t{1} << 32), .replica = 7}, kName, 0),
      Stream({.study = kStreamSeed.study, .replica = 8}, kName, 0),
  };
  std::set<std::uint64_t> seen;
  for (Stream stream : streams) {
    for (int i = 0; i < 4'000; ++i) EXPECT_TRUE(seen.insert(stream.bits()).second);
  }
}

TEST(Stream, NeighbouringStreamsAreUncorrelated) {
  // The correlation of n pairs of independent numbers is normal with sd 1/sqrt(n): 5 sd are allowed.
  constexpr int kPairs = 200'000;
  const auto correlation = [](auto next_pair) {
    double sum = 0;
    for (int i = 0; i < kPairs; ++i) {
      const auto [a, b] = next_pair(static_cast<std::uint64_t>(i));
      sum += 12 * (a - 0.5) * (b - 0.5);
    }
    return sum / kPairs;
  };
  const double bound = 5 / std::sqrt(kPairs);
  using Pair = std::pair<double, double>;
  EXPECT_LT(std::fabs(correlation([](std::uint64_t i) {
              return Pair(uniform_at(kStreamSeed, kName, i, 0), uniform_at(kStreamSeed, kName, i + 1, 0));
            })),
            bound);
  EXPECT_LT(std::fabs(correlation([](std::uint64_t i) {
              const auto replica = static_cast<std::uint32_t>(i);
              return Pair(uniform_at({1, replica}, kName, 0, 0), uniform_at({1, replica + 1}, kName, 0, 0));
            })),
            bound);
  EXPECT_LT(std::fabs(correlation([](std::uint64_t i) {
              return Pair(uniform_at(kStreamSeed, kName, 0, i), uniform_at(kStreamSeed, kName, 0, i + 1));
            })),
            bound);
}

TEST(Stream, UniformsLieInsideTheOpenInterval) {
  EXPECT_EQ(uniform_from_bits(0), 0x1p-53);
  EXPECT_EQ(uniform_from_bits(~std::uint64_t{0}), 1 - 0x1p-53);
  // Symmetric: the complement of the bits gives the complement of the number, but for the bit that is always
  // set.
  EXPECT_EQ(uniform_from_bits(0x123456789abcdef0), 1 - uniform_from_bits(~std::uint64_t{0x123456789abcdef0}));
}

TEST(Stream, UniformsAreUniform) {
  constexpr int kBins = 100;
  constexpr int kDraws = 1'000'000;
  std::array<int, kBins> count{};
  Stream stream(kStreamSeed, kName);
  for (int i = 0; i < kDraws; ++i) ++count[static_cast<std::size_t>(stream.uniform() * kBins)];
  double chi_square = 0;
  for (const int n : count) chi_square += (n - 1e4) * (n - 1e4) / 1e4;
  // 99 degrees of freedom: mean 99, sd 14.1; 5 sd either way.
  EXPECT_LT(chi_square, 170);
  EXPECT_GT(chi_square, 28);
}

TEST(Stream, BelowIsUniformAndInRange) {
  Stream stream(kStreamSeed, kName);
  EXPECT_EQ(stream.below(1), 0u);
  std::array<int, 7> count{};
  for (int i = 0; i < 700'000; ++i) ++count[stream.below(7)];
  double chi_square = 0;
  for (const int n : count) chi_square += (n - 1e5) * (n - 1e5) / 1e5;
  EXPECT_LT(chi_square, 24);  // 6 degrees of freedom: mean 6, sd 3.5; 5 sd
}

TEST(Stream, BelowRejectsWhatWouldBias) {
  // n = 3 * 2^62: a quarter of all 64-bit values must be drawn again, else the results 0 mod 3 came twice as
  // often.
  constexpr std::uint64_t kRange = std::uint64_t{3} << 62;
  Stream stream(kStreamSeed, kName);
  constexpr int kResults = 300'000;
  std::array<int, 3> count{};
  for (int i = 0; i < kResults; ++i) {
    const std::uint64_t got = stream.below(kRange);
    ASSERT_LT(got, kRange);
    ++count[got % 3];
  }
  double chi_square = 0;
  for (const int n : count) chi_square += (n - 1e5) * (n - 1e5) / 1e5;
  EXPECT_LT(chi_square, 12);  // 2 degrees of freedom: mean 2, sd 2; 5 sd
  EXPECT_NEAR(static_cast<double>(stream.draws()) / kResults, 4.0 / 3, 0.01);
}

}  // namespace
}  // namespace gauntlet
