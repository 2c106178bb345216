#include "real/checkpoint/staged_copy.hpp"

#include "core/contract.hpp"
#include "core/files/read.hpp"

#include <array>
#include <atomic>
#include <cstring>

namespace gauntlet {
namespace {

constexpr std::uint64_t kStagedMagic = 0x31656761'74737467;  // "gtstage1"
constexpr std::uint64_t kNoStep = ~std::uint64_t{0};     // in place of a step
constexpr std::size_t kStepWord = 2;                       // its word
using Head = std::array<std::uint64_t, 4>;
// The copy of the state begins at a page. Large arrays begin 0 to 64 bytes behind one, and a copy to a place that lies a little further behind its page
// than its source runs at a quarter of the speed of memory: each load waits for a store whose address ends alike (docs/performance.md).
constexpr std::size_t kStagedHeadBytes = 4096 - kShardHeaderBytes;
static_assert(sizeof(Head) <= kStagedHeadBytes);

}  // namespace

StagedCopy::StagedCopy(const Settings& settings)
    : memory_(settings.memory),
      state_bytes_(settings.state_bytes),
      block_(memory_.allocate(kStagedHeadBytes + kShardHeaderBytes + state_bytes_ + kShardChecksumBytes)) {
  const Head head{kStagedMagic, settings.start, kNoStep, kShardHeaderBytes + state_bytes_ + kShardChecksumBytes};
  std::memcpy(block_.bytes.data(), head.data(), sizeof head);
}

StagedCopy::~StagedCopy() { memory_.release(block_.bytes); }

char* StagedCopy::shard() const { return reinterpret_cast<char*>(block_.bytes.data()) + kStagedHeadBytes; }

void StagedCopy::stage(const JobIdentity& job, std::uint32_t rank, std::int64_t step,
                       const std::vector<std::string_view>& state) {
  auto& words = *reinterpret_cast<Head*>(block_.bytes.data());
  // A process that dies leaves its memory as it was: these two stores in this order are enough.
  std::atomic_ref(words[kStepWord]).store(kNoStep, std::memory_order_seq_cst);
  begin_shard({.job = job, .rank = rank, .step = step, .state = {}}, state_bytes_, shard());
  std::size_t at = kShardHeaderBytes;
  for (const std::string_view part : state) {
    expect(at + part.size() <= kShardHeaderBytes + state_bytes_, "the state fits the copy");
    std::memcpy(shard() + at, part.data(), part.size());
    at += part.size();
  }
  expect(at == kShardHeaderBytes + state_bytes_, "the state is as long as the copy");
  std::atomic_ref(words[kStepWord]).store(static_cast<std::uint64_t>(step), std::memory_order_seq_cst);
}

std::string_view StagedCopy::sealed() {
  seal_shard({shard(), kShardHeaderBytes + state_bytes_ + kShardChecksumBytes});
  return {shard(), kShardHeaderBytes + state_bytes_ + kShardChecksumBytes};
}

std::optional<std::string> left_behind(const std::string& path, StartNumber start) {
  if (not_a_file(path)) return std::nullopt;
  ReadBytes file = read_bytes(system_files(), path);
  Head head{};
  if (file.error != 0 || file.bytes.size() < kStagedHeadBytes + kShardHeaderBytes + kShardChecksumBytes)
    return std::nullopt;
  std::memcpy(head.data(), file.bytes.data(), sizeof head);
  if (head[0] != kStagedMagic || head[1] != start || head[kStepWord] == kNoStep || head[3] != file.bytes.size() - kStagedHeadBytes)
    return std::nullopt;
  std::string shard = file.bytes.substr(kStagedHeadBytes);
  seal_shard(shard);
  return shard;
}

}  // namespace gauntlet
