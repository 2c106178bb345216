// Arbitrary numbers for tests of rooms that have no random streams: the same ones every time.
#pragma once

#include <cstdint>

namespace gauntlet {

/// Knuth's linear congruential generator (MMIX), by its upper bits.
class TestNumbers {
 public:
  explicit TestNumbers(std::uint64_t seed) : bits_(seed) {}
  /// `n` at most 2^48.
  std::uint64_t below(std::uint64_t n) {
    bits_ = bits_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return (bits_ >> 16) % n;
  }

 private:
  std::uint64_t bits_;
};

}  // namespace gauntlet
