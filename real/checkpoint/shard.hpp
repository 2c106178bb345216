// What one rank keeps of a training job at a step boundary, and its bytes.
//
//   magic, seed, pp << 32 | dp, tp << 32 | rank, step, bytes of the state     64-bit words, little-endian
//   the state                                                                 as the job wrote it
//   checksum of all that                                                      one word
#pragma once

#include "core/layout.hpp"
#include "core/record/fingerprint.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

/// What the state of a job depends on beside its steps: a checkpoint of another job is none.
struct JobIdentity {
  std::uint64_t seed = 0;
  std::uint32_t pp = 1, dp = 1, tp = 1;

  Layout layout() const { return {.tp = tp, .pp = pp, .dp = dp}; }
  std::uint32_t ranks() const { return layout().ranks(); }
  /// Whether a checkpoint of that job can be loaded: data-parallel replicas hold the same state, however many there are.
  bool same_state(const JobIdentity& other) const {
    return seed == other.seed && pp == other.pp && tp == other.tp;
  }
  /// "seed 7, tp 1, pp 2, dp 2"
  std::string text() const;
  friend bool operator==(const JobIdentity&, const JobIdentity&) = default;
};

struct Shard {
  JobIdentity job;
  std::uint32_t rank = 0;
  std::int64_t step = 0;  // complete
  std::string state;      // bytes that the job alone understands
  friend bool operator==(const Shard&, const Shard&) = default;
};

/// core/record/fingerprint.hpp over the bytes eight at a time, in eight sequences side by side, and over their number: one changed byte
/// changes it. One sequence alone would wait for each of its multiplications, which is slower than memory.
class Checksum {
 public:
  void add(std::string_view bytes);
  std::uint64_t value() const;

 private:
  static constexpr std::size_t kLanes = 8;
  using Lanes = std::array<Fingerprint, kLanes>;
  static void add_block(Lanes& lanes, const char* block);

  Lanes lanes_;
  std::array<char, kLanes * sizeof(std::uint64_t)> rest_{};  // too few bytes for a block yet
  std::size_t rest_bytes_ = 0;
  std::uint64_t bytes_ = 0;
};
std::uint64_t checksum_of(std::string_view bytes);

std::string shard_bytes(const Shard& shard);

inline constexpr std::size_t kShardHeaderBytes = 48, kShardChecksumBytes = 8;
/// Writes the header of a shard whose state has so many bytes; the state is to follow, and then the checksum.
void begin_shard(const Shard& shard, std::size_t state_bytes, char* out);
/// Computes the checksum of a shard in memory, and writes it to its end.
void seal_shard(std::span<char> shard);
/// The one at the end of a shard's bytes.
std::uint64_t checksum_at_end(std::string_view shard);

/// Whether a shard's header says that it is of this rank and step.
bool is_shard_of(std::string_view shard, std::uint32_t rank, std::int64_t step);

struct ReadShard {
  std::optional<Shard> shard;
  std::string why;  // where there is none: "has 12 bytes, too few for a shard"
};
ReadShard read_shard(std::string_view bytes);

/// Takes a shard apart while its bytes come.
class ShardStream {
 public:
  /// It should have so many bytes. The memory of `state` is used for its state; without one, the state is only looked at.
  ShardStream(std::size_t bytes, std::string* state);
  void take(std::string_view piece);

  std::size_t taken() const { return taken_; }
  /// The checksum at its end, if it is right.
  std::optional<std::uint64_t> checksum() const;
  /// The shard, once its bytes and its checksum proved right; its state is moved there.
  ReadShard shard();

 private:
  std::size_t bytes_, taken_ = 0;
  Checksum checksum_;
  std::string header_, end_;
  std::string* state_;
};

}  // namespace gauntlet
