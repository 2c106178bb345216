#include "core/random/stream.hpp"

#include "core/contract.hpp"

// Random123 is written in C and does not meet this project's warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#include <Random123/philox.h>
#pragma GCC diagnostic pop

namespace gauntlet {
namespace {

__extension__ using UInt128 = unsigned __int128;

std::uint64_t identity_of(StreamName name, std::uint64_t component) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: odd, so components stay apart
  return name.hash + component * kOdd;
}

std::uint32_t low_word(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high_word(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

std::array<std::uint64_t, 2> philox_block(Seed seed, std::uint64_t identity, std::uint64_t block) {
  expect(high_word(block) == 0, "a stream holds 2^33 draws");
  const philox4x32_ctr_t counter = {{low_word(block), seed.replica, low_word(identity), high_word(identity)}};
  const philox4x32_key_t key = {{low_word(seed.study), high_word(seed.study)}};
  const philox4x32_ctr_t words = philox4x32_R(10, counter, key);
  return {words.v[0] | std::uint64_t{words.v[1]} << 32, words.v[2] | std::uint64_t{words.v[3]} << 32};
}

}  // namespace

Stream::Stream(Seed seed, StreamName name, std::uint64_t component)
    : study_(seed.study), identity_(identity_of(name, component)), replica_(seed.replica) {}

void Stream::refill() {
  block_ = philox_block({study_, replica_}, identity_, draws_ / 2);
  filled_ = true;
}

std::uint64_t Stream::below(std::uint64_t n) {
  expect(n > 0, "the argument is in its domain: n > 0");
  UInt128 product = UInt128{bits()} * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t uneven =
        (0 - n) % n;  // 2^64 mod n: so many of the lowest fractions would favour some results
    while (static_cast<std::uint64_t>(product) < uneven) product = UInt128{bits()} * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t bits_at(Seed seed, StreamName name, std::uint64_t component, std::uint64_t n) {
  return philox_block(seed, identity_of(name, component), n / 2)[n % 2];
}

double uniform_at(Seed seed, StreamName name, std::uint64_t component, std::uint64_t n) {
  return uniform_from_bits(bits_at(seed, name, component, n));
}

}  // namespace gauntlet
