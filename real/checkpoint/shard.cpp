#include "real/checkpoint/shard.hpp"

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
constexpr std::size_t kHeaderWords = 6;

}  // namespace

std::string JobIdentity::text() const {
  return "seed " + std::to_string(seed) + ", tp " + std::to_string(tp) + ", pp " + std::to_string(pp) +
         ", dp " + std::to_string(dp);
}

void Checksum::add_block(Lanes& lanes, const char* block) {
  std::array<std::uint64_t, kLanes> words;
  std::memcpy(words.data(), block, sizeof words);
  for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane].add(words[lane]);
}

void Checksum::add(std::string_view bytes) {
  bytes_ += bytes.size();
  if (rest_bytes_ > 0) {
    const std::size_t more = std::min(rest_.size() - rest_bytes_, bytes.size());
    std::memcpy(rest_.data() + rest_bytes_, bytes.data(), more);
    rest_bytes_ += more;
    bytes.remove_prefix(more);
    if (rest_bytes_ < rest_.size()) return;
    add_block(lanes_, rest_.data());
    rest_bytes_ = 0;
  }
  Lanes lanes = lanes_;  // in registers
  for (; bytes.size() >= rest_.size(); bytes.remove_prefix(rest_.size())) add_block(lanes, bytes.data());
  lanes_ = lanes;
  if (!bytes.empty()) std::memcpy(rest_.data(), bytes.data(), bytes.size());
  rest_bytes_ = bytes.size();
}

std::uint64_t Checksum::value() const {
  Fingerprint print;
  print.add(bytes_);
  for (const Fingerprint& lane : lanes_) print.add(lane.value());
  for (std::size_t at = 0; at < rest_bytes_; at += kWord) {
    std::uint64_t word = 0;
    std::memcpy(&word, rest_.data() + at, std::min(kWord, rest_bytes_ - at));
    print.add(word);
  }
  return print.value();
}

std::uint64_t checksum_of(std::string_view bytes) {
  Checksum checksum;
  checksum.add(bytes);
  return checksum.value();
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

bool is_shard_of(std::string_view shard, std::uint32_t rank, std::int64_t step) {
  std::array<std::uint64_t, kHeaderWords> header{};
  if (shard.size() < sizeof header) return false;
  std::memcpy(header.data(), shard.data(), sizeof header);
  return header[0] == kMagic && static_cast<std::uint32_t>(header[3]) == rank &&
         header[4] == static_cast<std::uint64_t>(step);
}

std::string shard_bytes(const Shard& shard) {
  std::string out(kShardHeaderBytes + shard.state.size() + kShardChecksumBytes, '\0');
  begin_shard(shard, shard.state.size(), out.data());
  std::memcpy(out.data() + kShardHeaderBytes, shard.state.data(), shard.state.size());
  seal_shard(out);
  return out;
}

ReadShard read_shard(std::string_view bytes) {
  if (bytes.size() < kShardHeaderBytes + kShardChecksumBytes)
    return {{}, "has " + std::to_string(bytes.size()) + " bytes, too few for a shard"};
  std::string state;
  ShardStream stream(bytes.size(), &state);
  stream.take(bytes);
  if (!stream.checksum()) return {{}, "does not match its checksum"};
  return stream.shard();
}

ShardStream::ShardStream(std::size_t bytes, std::string* state) : bytes_(bytes), state_(state) {
  if (state_ == nullptr) return;
  state_->clear();
  state_->reserve(bytes);
}

void ShardStream::take(std::string_view piece) {
  const auto next = [&](std::size_t until) {
    const std::string_view part = piece.substr(0, until > taken_ ? until - taken_ : 0);
    piece.remove_prefix(part.size());
    taken_ += part.size();
    return part;
  };
  const std::size_t end = std::max(bytes_, kShardHeaderBytes + kShardChecksumBytes);
  const std::string_view header = next(kShardHeaderBytes), state = next(end - kShardChecksumBytes);
  checksum_.add(header);
  checksum_.add(state);
  header_ += header;
  if (state_ != nullptr) *state_ += state;
  end_ += next(end);
  taken_ += piece.size();  // more than it should have
}

std::optional<std::uint64_t> ShardStream::checksum() const {
  const std::uint64_t computed = checksum_.value();
  if (taken_ != bytes_ || end_.size() != kShardChecksumBytes || checksum_at_end(end_) != computed)
    return std::nullopt;
  return computed;
}

ReadShard ShardStream::shard() {
  std::array<std::uint64_t, kHeaderWords> header{};
  std::memcpy(header.data(), header_.data(), sizeof header);
  std::string bytes = std::move(*state_);
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
