// A rank's state as stage one copied it. In a file that outlives the rank, another process can write it, and whoever starts next can load it.
//
//   magic, number of the start, step or -1, bytes of the shard     64-bit words; the step is set last, when the copy is complete
//   the shard                                                      shard.hpp; its checksum is computed by stage two
#pragma once

#include "real/checkpoint/host_memory.hpp"
#include "real/checkpoint/shard.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// Which start of the job made a copy: copies of two starts never make one checkpoint.
using StartNumber = std::uint64_t;

/// The checkpoint that a copy belongs to. The copies of all ranks with one key are a whole checkpoint in memory.
struct CopyKey {
  std::int64_t step = 0;
  StartNumber start = 0;
  friend auto operator<=>(const CopyKey&, const CopyKey&) = default;
};

class StagedCopy {
 public:
  struct Settings {
    HostMemory& memory;  // outlives the copy
    std::size_t state_bytes = 0;
    StartNumber start = 0;
  };
  /// Memory that holds a copy already keeps it. Throws std::system_error.
  explicit StagedCopy(const Settings& settings);
  ~StagedCopy();
  StagedCopy(const StagedCopy&) = delete;
  StagedCopy& operator=(const StagedCopy&) = delete;

  /// Why its memory is weaker than was asked for: HostMemory::Block.
  const std::optional<Problem>& memory_problem() const { return block_.problem; }
  /// Of what it holds; nothing where the copy is not complete.
  std::optional<CopyKey> key() const;

  /// Stage one: copies the parts of the state, one behind the other. They have as many bytes as this was made for.
  void stage(const JobIdentity& job, std::uint32_t rank, std::int64_t step,
             const std::vector<std::string_view>& state);
  /// Stage one by others: where the state of that step is to come. No copy before complete().
  std::span<std::byte> open(const JobIdentity& job, std::uint32_t rank, std::int64_t step);
  void complete(std::int64_t step) { complete({.step = step, .start = start_}); }
  /// The shard of what was staged last, with its checksum; valid until the next stage().
  std::string_view sealed();

  /// The bytes of a shard that another host sends: no copy before complete().
  std::span<char> open();
  void complete(const CopyKey& key);

 private:
  char* shard() const;

  HostMemory& memory_;
  std::size_t state_bytes_;
  StartNumber start_;
  HostMemory::Block block_;
};

/// The complete copy in a file; nothing where there is none.
std::optional<CopyKey> copy_in(const std::string& path);
/// The shard of that copy, with its checksum; nothing where the file holds another one by now.
std::optional<std::string> read_copy(const std::string& path, const CopyKey& key);

}  // namespace gauntlet
