#include "real/checkpointer/host_copies.hpp"

#include "real/checkpoint/host_memory.hpp"

#include <cstring>

namespace gauntlet {
namespace {

/// Whether these are the bytes of that rank's shard of that step, none of them changed on the way.
bool arrived(std::span<const char> bytes, std::uint32_t rank, std::int64_t step) {
  const std::string_view all(bytes.data(), bytes.size());
  const std::string_view before = all.substr(0, all.size() - kShardChecksumBytes);
  return checksum_of(before) == checksum_at_end(all) && is_shard_of(all, rank, step);
}

}  // namespace

std::vector<std::string> HostCopies::files_of_others(std::uint32_t rank) const {
  const std::string file = prefix_ + "peer-" + std::to_string(rank);
  return {file + "-0", file + "-1"};
}

std::vector<std::string> HostCopies::files_of(std::uint32_t rank) const {
  std::vector<std::string> files = files_of_others(rank);
  const std::string own = prefix_ + std::to_string(rank);
  files.insert(files.end(), {own + "-0", own + "-1"});
  return files;
}

std::vector<CopyKey> HostCopies::of_rank(std::uint32_t rank) const {
  std::vector<CopyKey> keys;
  for (const std::string& file : files_of(rank))
    if (const auto key = copy_in(file)) keys.push_back(*key);
  return keys;
}

std::optional<std::string> HostCopies::find(std::uint32_t rank, const CopyKey& key) const {
  for (const std::string& file : files_of(rank))
    if (auto shard = read_copy(file, key)) return shard;
  return std::nullopt;
}

bool HostCopies::take(std::uint32_t rank, const CopyKey& key, std::size_t shard_bytes, const Fill& fill) {
  if (shard_bytes <= kShardHeaderBytes + kShardChecksumBytes) return false;
  std::mutex* of_rank = nullptr;
  {
    const std::lock_guard lock(mutex_);
    of_rank = &taking_[rank];
  }
  const std::lock_guard lock(*of_rank);
  const std::vector<std::string> files = files_of_others(rank);
  LockedMemory memory(copy_in(files[1]) < copy_in(files[0]) ? files[1] : files[0]);
  StagedCopy copy({.memory = memory, .state_bytes = shard_bytes - kShardHeaderBytes - kShardChecksumBytes});
  const std::span<char> shard = copy.open();
  if (!fill(shard) || !arrived(shard, rank, key.step)) return false;
  copy.complete(key);
  return true;
}

}  // namespace gauntlet
