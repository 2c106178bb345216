// A number that two runs share only when they did the same.
//
// The simulator folds in every event's time and kind, every fault with its component, and every order with all of its
// members. Draws show in what they decide: times, components, verdicts and so the orders that answer them.
#pragma once

#include <bit>
#include <cstdint>

namespace gauntlet {

/// A 64-bit hash of a sequence of numbers. Not for secrets; made to be cheap (a multiplication a number) and to differ
/// when any number, or their order, differs. The mixing step is that of MurmurHash3's 64-bit finaliser
/// (https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp).
class Fingerprint {
 public:
  constexpr void add(std::uint64_t number) {
    state_ = (std::rotl(state_, 27) ^ number) * 0xff51afd7ed558ccdULL;
    state_ ^= state_ >> 33;
  }
  constexpr void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }

  constexpr std::uint64_t value() const {
    std::uint64_t h = state_ * 0xc4ceb9fe1a85ec53ULL;
    return h ^ (h >> 33);
  }
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;

 private:
  std::uint64_t state_ = 0x6761756e746c6574ULL;  // "gauntlet"
};

}  // namespace gauntlet
