// The copies in the memory of a host: those of its own ranks, and those that other hosts sent here.
#pragma once

#include "real/checkpoint/staged_copy.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {

/// Any thread may use it.
class HostCopies {
 public:
  /// `prefix`: with the number of a rank and of its copy, the file of a copy that a rank of this host made (GAUNTLET_STAGED_COPIES).
  explicit HostCopies(std::string prefix) : prefix_(std::move(prefix)) {}

  std::vector<CopyKey> of_rank(std::uint32_t rank) const;
  /// The shard; nothing where this host does not have it.
  std::optional<std::string> find(std::uint32_t rank, const CopyKey& key) const;

  /// Fills memory with the bytes of a shard. False where they do not come.
  using Fill = std::function<bool(std::span<char> shard)>;
  /// Keeps another host's copy in place of the older of the two that came before. False where it did not come, or is not what it should be: then
  /// the newer one is still there. Throws std::system_error where there is no memory.
  bool take(std::uint32_t rank, const CopyKey& key, std::size_t shard_bytes, const Fill& fill);

 private:
  std::vector<std::string> files_of(std::uint32_t rank) const;
  std::vector<std::string> files_of_others(std::uint32_t rank) const;

  std::string prefix_;
  std::mutex mutex_;                            // of the next one
  std::map<std::uint32_t, std::mutex> taking_;  // by rank: one copy after the other
};

}  // namespace gauntlet
