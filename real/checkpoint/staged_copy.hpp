// A rank's state as stage one copied it. In a file that outlives the rank, whoever starts next can finish what stage two had begun.
//
//   magic, number of the start, step or -1, bytes of the shard     64-bit words; the step is set last, when the copy is complete
//   the shard                                                      shard.hpp; its checksum is computed by stage two
#pragma once

#include "real/checkpoint/host_memory.hpp"
#include "real/checkpoint/shard.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// Which start of the job made a copy: copies of two starts never make one checkpoint.
using StartNumber = std::uint64_t;

class StagedCopy {
 public:
  struct Settings {
    HostMemory& memory;  // outlives the copy
    std::size_t state_bytes = 0;
    StartNumber start = 0;
  };
  /// Throws std::system_error.
  explicit StagedCopy(const Settings& settings);
  ~StagedCopy();
  StagedCopy(const StagedCopy&) = delete;
  StagedCopy& operator=(const StagedCopy&) = delete;

  /// Why its memory is weaker than was asked for: HostMemory::Block.
  const std::optional<Problem>& memory_problem() const { return block_.problem; }

  /// Stage one: copies the parts of the state, one behind the other. They have as many bytes as this was made for.
  void stage(const JobIdentity& job, std::uint32_t rank, std::int64_t step,
             const std::vector<std::string_view>& state);
  /// The shard of what was staged last, with its checksum; valid until the next stage().
  std::string_view sealed();

 private:
  char* shard() const;

  HostMemory& memory_;
  std::size_t state_bytes_;
  HostMemory::Block block_;
};

/// The complete shard that start `start` left in that file, if it did.
std::optional<std::string> left_behind(const std::string& path, StartNumber start);

}  // namespace gauntlet
