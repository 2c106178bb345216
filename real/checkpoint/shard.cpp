#include "real/checkpoint/shard.hpp"

#include "core/record/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace gauntlet {
namespace {

static_assert(std::endian::native == std::endian::little, "words are written as they lie in memory");

constexpr std::uint64_t kMagic = 0x33647261'68737467;  // "gtshard3"
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kHeaderWords = 6;

}  // namespace

std::string JobIdentity::text() const {
  return "seed " + std::to_string(seed) + ", tp " + std::to_string(tp) + ", pp " + std::to_string(pp) +
         ", dp " + std::to_string(dp);
}

std::uint64_t checksum_of(std::string_view bytes) {
  Fingerprint print;
  print.add(std::uint64_t{bytes.size()});
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min(kWord, bytes.size());
    std::memcpy(&word, bytes.data(), count);
    print.add(word);
    bytes.remove_prefix(count);
  }
  return print.value();
}

std::string shard_bytes(const Shard& shard) {
  const std::array<std::uint64_t, kHeaderWords> header{kMagic,
                                                       shard.job.seed,
                                                       std::uint64_t{shard.job.pp} << 32 | shard.job.dp,
                                                       std::uint64_t{shard.job.tp} << 32 | shard.rank,
                                                       static_cast<std::uint64_t>(shard.step),
                                                       shard.state.size()};
  std::string out(reinterpret_cast<const char*>(header.data()), sizeof header);
  out.reserve(sizeof header + shard.state.size() + kWord);
  out += shard.state;
  const std::uint64_t checksum = checksum_of(out);
  out.append(reinterpret_cast<const char*>(&checksum), kWord);
  return out;
}

ReadShard read_shard(std::string_view bytes) {
  if (bytes.size() < (kHeaderWords + 1) * kWord)
    return {{}, "has " + std::to_string(bytes.size()) + " bytes, too few for a shard"};
  std::uint64_t checksum = 0;
  std::string_view rest = bytes.substr(0, bytes.size() - kWord);
  std::memcpy(&checksum, bytes.data() + rest.size(), kWord);
  if (checksum_of(rest) != checksum) return {{}, "does not match its checksum"};

  std::array<std::uint64_t, kHeaderWords> header{};
  std::memcpy(header.data(), rest.data(), sizeof header);
  rest.remove_prefix(sizeof header);
  if (header[0] != kMagic) return {{}, "does not begin as a shard does"};
  if (header[5] != rest.size()) return {{}, "has another length than its header says"};
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
  shard.state = rest;
  return {std::move(shard), {}};
}

}  // namespace gauntlet
