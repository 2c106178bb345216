#include "core/record/fingerprint.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <set>

namespace gauntlet {
namespace {

constexpr std::uint64_t of(std::initializer_list<std::uint64_t> numbers) {
  Fingerprint print;
  for (const std::uint64_t number : numbers) print.add(number);
  return print.value();
}

// Worked out from the formula with another language's unbounded integers. Fingerprints are kept in files:
// they must not change with the compiler.
static_assert(of({}) == 0xe345e1da584d2471);
static_assert(of({0}) == 0x2d3c28a40ac28ba4);
static_assert(of({1}) == 0x9fef58c51745f6cb);
static_assert(of({0, 0}) == 0xab439ea3e134c54d);
static_assert(of({1, 2}) == 0x8bf3e7eaef5faa26);
static_assert(of({2, 1}) == 0x8716cc2aaef79267);
static_assert(of({~std::uint64_t{0}}) == 0x748d7e07b4d07935);

TEST(Fingerprint, TakesDoublesByTheirBits) {
  Fingerprint print;
  print.add(1.5);
  EXPECT_EQ(print.value(), of({0x3ff8000000000000}));  // IEEE 754
  Fingerprint zero, minus_zero;
  zero.add(0.0);
  minus_zero.add(-0.0);
  EXPECT_NE(zero.value(), minus_zero.value());
}

// Mixing is a bijection of the state for every number, and of the number for every state: sequences of one
// length that differ in one number never collide.
TEST(Fingerprint, DiffersWhereOneBitOfOneNumberDoes) {
  const std::initializer_list<std::uint64_t> numbers = {3, 0, 0x123456789abcdef0, 7};
  std::set<std::uint64_t> seen = {of(numbers)};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (int bit = 0; bit < 64; ++bit) {
      Fingerprint print;
      for (std::size_t j = 0; j < numbers.size(); ++j) {
        print.add(numbers.begin()[j] ^ (i == j ? std::uint64_t{1} << bit : 0));
      }
      EXPECT_TRUE(seen.insert(print.value()).second) << "number " << i << ", bit " << bit;
    }
  }
}

TEST(Fingerprint, DiffersWithOrderAndLength) {
  std::set<std::uint64_t> seen;
  EXPECT_TRUE(seen.insert(of({})).second);
  EXPECT_TRUE(seen.insert(of({0})).second);
  EXPECT_TRUE(seen.insert(of({0, 0})).second);
  for (std::uint64_t a = 0; a < 100; ++a) {
    for (std::uint64_t b = 0; b < 100; ++b) {
      if (a == 0 && b == 0) continue;  // seen above
      EXPECT_TRUE(seen.insert(of({a, b})).second) << a << ", " << b;
    }
  }
}

TEST(Fingerprint, ComparesByWhatWasAdded) {
  Fingerprint a, b;
  EXPECT_EQ(a, b);
  a.add(std::uint64_t{4});
  EXPECT_NE(a, b);
  b.add(std::uint64_t{4});
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.value(), a.value());  // looking does not change it
}

}  // namespace
}  // namespace gauntlet
