#include "real/checkpoint/staged_copy.hpp"

#include "core/contract.hpp"
#include "core/files/open_file.hpp"
#include "core/files/read.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::uint64_t kStagedMagic = 0x31656761'74737467;  // "gtstage1"
constexpr std::uint64_t kNoStep = ~std::uint64_t{0};         // in place of a step
constexpr std::size_t kStepWord = 2;                         // its word
using Head = std::array<std::uint64_t, 4>;
// The copy of the state begins at a page. Large arrays begin 0 to 64 bytes behind one, and a copy to a place that lies a little further behind its page
// than its source runs at a quarter of the speed of memory: each load waits for a store whose address ends alike (docs/performance.md).
constexpr std::size_t kStagedHeadBytes = 4096 - kShardHeaderBytes;
static_assert(sizeof(Head) <= kStagedHeadBytes);

/// The words in front of a copy, where the bytes are those of a complete one.
std::optional<CopyKey> key_of(const Head& head, std::size_t shard_bytes) {
  if (head[0] != kStagedMagic || head[kStepWord] == kNoStep || head[3] != shard_bytes) return std::nullopt;
  return CopyKey{.step = static_cast<std::int64_t>(head[kStepWord]), .start = head[1]};
}

}  // namespace

StagedCopy::StagedCopy(const Settings& settings)
    : memory_(settings.memory),
      state_bytes_(settings.state_bytes),
      start_(settings.start),
      block_(memory_.allocate(kStagedHeadBytes + kShardHeaderBytes + state_bytes_ + kShardChecksumBytes)) {
  if (key()) return;
  const Head head{kStagedMagic, start_, kNoStep, kShardHeaderBytes + state_bytes_ + kShardChecksumBytes};
  std::memcpy(block_.bytes.data(), head.data(), sizeof head);
}

StagedCopy::~StagedCopy() { memory_.release(block_.bytes); }

char* StagedCopy::shard() const { return reinterpret_cast<char*>(block_.bytes.data()) + kStagedHeadBytes; }

std::optional<CopyKey> StagedCopy::key() const {
  Head head;
  std::memcpy(head.data(), block_.bytes.data(), sizeof head);
  return key_of(head, block_.bytes.size() - kStagedHeadBytes);
}

// A process that dies leaves its memory as it was: the order of the stores to the step's word is enough.
std::span<char> StagedCopy::open() {
  auto& words = *reinterpret_cast<Head*>(block_.bytes.data());
  std::atomic_ref(words[kStepWord]).store(kNoStep, std::memory_order_seq_cst);
  return {shard(), kShardHeaderBytes + state_bytes_ + kShardChecksumBytes};
}

void StagedCopy::complete(const CopyKey& key) {
  auto& words = *reinterpret_cast<Head*>(block_.bytes.data());
  words[1] = key.start;
  std::atomic_ref(words[kStepWord]).store(static_cast<std::uint64_t>(key.step), std::memory_order_seq_cst);
}

std::span<std::byte> StagedCopy::open(const JobIdentity& job, std::uint32_t rank, std::int64_t step) {
  char* const to = open().data();
  begin_shard({.job = job, .rank = rank, .step = step, .state = {}}, state_bytes_, to);
  return {reinterpret_cast<std::byte*>(to) + kShardHeaderBytes, state_bytes_};
}

void StagedCopy::stage(const JobIdentity& job, std::uint32_t rank, std::int64_t step,
                       const std::vector<std::string_view>& state) {
  const std::span<std::byte> to = open(job, rank, step);
  std::size_t at = 0;
  for (const std::string_view part : state) {
    expect(part.size() <= to.size() - at, "the state fits the copy");
    std::memcpy(to.data() + at, part.data(), part.size());
    at += part.size();
  }
  expect(at == to.size(), "the state is as long as the copy");
  complete(step);
}

std::string_view StagedCopy::sealed() {
  const std::span<char> all{shard(), kShardHeaderBytes + state_bytes_ + kShardChecksumBytes};
  seal_shard(all);
  return {all.data(), all.size()};
}

std::optional<CopyKey> copy_in(const std::string& path) {
  if (not_a_file(path)) return std::nullopt;
  OpenFile file(system_files(), path, O_RDONLY | O_NOFOLLOW);
  struct stat found {};
  Head head{};
  if (file.error() != 0 || ::fstat(file.descriptor(), &found) != 0 ||
      found.st_size < static_cast<off_t>(kStagedHeadBytes + kShardHeaderBytes + kShardChecksumBytes) ||
      ::pread(file.descriptor(), head.data(), sizeof head, 0) != static_cast<ssize_t>(sizeof head))
    return std::nullopt;
  return key_of(head, static_cast<std::size_t>(found.st_size) - kStagedHeadBytes);
}

std::optional<std::string> read_copy(const std::string& path, const CopyKey& key) {
  if (copy_in(path) != key) return std::nullopt;
  ReadBytes file = read_bytes(system_files(), path);
  if (file.error != 0 || file.bytes.size() < kStagedHeadBytes + kShardHeaderBytes + kShardChecksumBytes)
    return std::nullopt;
  std::string shard = std::move(file.bytes);
  shard.erase(0, kStagedHeadBytes);
  seal_shard(shard);
  return copy_in(path) == key ? std::optional(std::move(shard)) : std::nullopt;
}

}  // namespace gauntlet
