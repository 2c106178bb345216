#include "real/checkpoint/shard.hpp"

#include "core/record/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace gauntlet {
namespace {

static_assert(std::endian::native == std::endian::little, "words are written as they lie in memory");

constexpr std::uint64_t kMagic = 0x33647261'68737467;  // "gtshard3"
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kHeaderWords = 6, kLanes = 8;

}  // namespace

std::string JobIdentity::text() const {
  return "seed " + std::to_string(seed) + ", tp " + std::to_string(tp) + ", pp " + std::to_string(pp) +
         ", dp " + std::to_string(dp);
}

std::uint64_t checksum_of(std::string_view bytes) {
  // One sequence alone waits for each of its multiplications, which is slower than memory.
  std::array<Fingerprint, kLanes> lanes;
  Fingerprint print;
  print.add(std::uint64_t{bytes.size()});
  std::array<std::uint64_t, kLanes> words;
  for (; bytes.size() >= sizeof words; bytes.remove_prefix(sizeof words)) {
    std::memcpy(words.data(), bytes.data(), sizeof words);
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane].add(words[lane]);
  }
  for (const Fingerprint& lane : lanes) print.add(lane.value());
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min(kWord, bytes.size());
    std::memcpy(&word, bytes.data(), count);
    print.add(word);
    bytes.remove_prefix(count);
  }
  return print.value();
}

void begin_shard(const Shard& shard, std::size_t state_bytes, char* out) {
  const std::array<std::uint64_t, kHeaderWords> header{kMagic,
                                                       shard.job.seed,
                                                       std::uint64_t{shard.job.pp} << 32 | shard.job.dp,
                                                       std::uint64_t{shard.job.tp} << 32 | shard.rank,
                                                       static_cast<std::uint64_t>(shard.step),
                                                       state_bytes};
  static_assert(sizeof header == kShardHeaderBytes);
  std::memcpy(out, header.data(), sizeof header);
}

void seal_shard(std::span<char> shard) {
  const std::size_t before = shard.size() - kShardChecksumBytes;
  const std::uint64_t checksum = checksum_of({shard.data(), before});
  std::memcpy(shard.data() + before, &checksum, sizeof checksum);
}

std::uint64_t checksum_at_end(std::string_view shard) {
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, shard.data() + shard.size() - sizeof checksum, sizeof checksum);
  return checksum;
}

std::string shard_bytes(const Shard& shard) {
  std::string out(kShardHeaderBytes + shard.state.size() + kShardChecksumBytes, '\0');
  begin_shard(shard, shard.state.size(), out.data());
  std::memcpy(out.data() + kShardHeaderBytes, shard.state.data(), shard.state.size());
  seal_shard(out);
  return out;
}

ReadShard read_shard(std::string_view bytes) {
  if (bytes.size() >= kShardHeaderBytes + kShardChecksumBytes &&
      checksum_of(bytes.substr(0, bytes.size() - kShardChecksumBytes)) != checksum_at_end(bytes))
    return {{}, "does not match its checksum"};
  return parse_shard(std::string(bytes));
}

ReadShard parse_shard(std::string bytes) {
  if (bytes.size() < kShardHeaderBytes + kShardChecksumBytes)
    return {{}, "has " + std::to_string(bytes.size()) + " bytes, too few for a shard"};
  std::array<std::uint64_t, kHeaderWords> header{};
  std::memcpy(header.data(), bytes.data(), sizeof header);
  bytes.resize(bytes.size() - kShardChecksumBytes);
  bytes.erase(0, sizeof header);
  if (header[0] != kMagic) return {{}, "does not begin as a shard does"};
  if (header[5] != bytes.size()) return {{}, "has another length than its header says"};
  Shard shard{.job = {.seed = header[1],
                      .pp = static_cast<std::uint32_t>(header[2] >> 32),
                      .dp = static_cast<std::uint32_t>(header[2]),
                      .tp = static_cast<std::uint32_t>(header[3] >> 32)},
              .rank = static_cast<std::uint32_t>(header[3]),
              .step = static_cast<std::int64_t>(header[4]),
              .state = {}};
  // 64 bits may not hold the product of three sizes: each is divided off.
  const JobIdentity& job = shard.job;
  const bool sized = job.tp > 0 && job.pp > 0 && job.dp > 0;
  if (!sized || shard.rank / job.tp / job.pp >= job.dp)
    return {
        {},
        "is of rank " + std::to_string(shard.rank) + ", which its job (" + job.text() + ") does not have"};
  shard.state = std::move(bytes);
  return {std::move(shard), {}};
}

}  // namespace gauntlet
