// Named, counter-based streams of random numbers.
//
// A draw is a pure function of (study, replica, name, component, number of the draw). No stream can be
// disturbed by what another one does, two policies compared on one seed meet the same chances, and the work
// can be split over threads or machines in any way without changing a bit.
//
// The generator is Philox4x32-10 of Random123 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011): a bijection of a 128-bit counter under a 64-bit key. The words are filled so:
//
//   key      the study seed                                                          64 bits
//   counter  block, half the number of the draw (a block yields two 64-bit values)   32 bits
//            replica                                                                 32 bits
//            identity = hash of the name + component * odd constant (mod 2^64)       64 bits
//
// Hence streams of different studies, or of different replicas of a study, or of different components under
// one name, never share a counter under a key. Under two different names two components meet only where their
// 64-bit identities do: with a million components each, once in 2^43 pairs of names. A stream holds 2^33
// draws.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace gauntlet {

/// What a whole run depends on: the seed of its study and the number of the replica.
struct Seed {
  std::uint64_t study = 0;
  std::uint32_t replica = 0;
  friend constexpr bool operator==(const Seed&, const Seed&) = default;
};

/// The name of a stream, such as "fault.gpu_memory", as a hash that is taken once.
struct StreamName {
  std::uint64_t hash = 0;
  friend constexpr bool operator==(const StreamName&, const StreamName&) = default;
};

/// FNV-1a over the bytes, then the 64-bit finaliser of MurmurHash3 (each input bit reaches every output bit).
constexpr StreamName stream_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : name) hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3;
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccd;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53;
  return {hash ^ (hash >> 33)};
}

/// An odd multiple of 2^-53: inside the open interval (0, 1), symmetric about 1/2, and 1 - u is exact.
constexpr double uniform_from_bits(std::uint64_t bits) {
  return static_cast<double>(static_cast<std::int64_t>((bits >> 11) | 1)) * 0x1p-53;
}

/// One stream, to be read in order. A trivially copyable value: a copy continues from the same draw on its
/// own.
class Stream {
 public:
  Stream(Seed seed, StreamName name, std::uint64_t component = 0);

  /// The next 64 uniform bits.
  std::uint64_t bits() {
    const std::uint64_t half = draws_ & 1;
    if (half == 0 || !filled_) refill();
    ++draws_;
    return block_[half];
  }

  /// Passes over a draw whose bits nobody needs: a block is computed only where one of its two is read.
  void skip() {
    if ((draws_ & 1) == 0) filled_ = false;
    ++draws_;
  }

  /// The next draw as a number of the open interval (0, 1); see uniform_from_bits.
  double uniform() { return uniform_from_bits(bits()); }

  /// A whole number in [0, n), n > 0, without bias. Nearly always one draw; n / 2^64 is the chance of
  /// another. (Lemire, "Fast random integer generation in an interval", ACM TOMACS 29, 2019.)
  std::uint64_t below(std::uint64_t n);

  /// How many 64-bit values have been read or skipped; for fingerprints and for tests of who draws how often.
  std::uint64_t draws() const { return draws_; }

 private:
  void refill();

  std::uint64_t study_;
  std::uint64_t identity_;
  std::uint64_t draws_ = 0;
  std::array<std::uint64_t, 2> block_{};
  std::uint32_t replica_;
  bool filled_ = false;  // where the next draw is the second of its block: whether block_ is that one
};

/// Draw `n` (from zero) of the stream (seed, name, component), without reading those before it.
std::uint64_t bits_at(Seed seed, StreamName name, std::uint64_t component, std::uint64_t n);
double uniform_at(Seed seed, StreamName name, std::uint64_t component, std::uint64_t n);

}  // namespace gauntlet
