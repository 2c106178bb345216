// Writes a rank's checkpoints on a thread of its own, one at a time, while the rank trains.
//
// Stage one copies the state to locked memory, and the rank goes on. Stage two writes the copy to a tier. A copy is never skipped while an earlier one is being written: the
// ranks would skip different ones, and no checkpoint would become whole. The rank waits instead, and counts that as stall.
#pragma once

#include "core/time.hpp"
#include "real/checkpoint/staged_copy.hpp"
#include "real/checkpoint/tier.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

namespace gauntlet {

class CheckpointWriter {
 public:
  /// Called from the writing thread.
  struct Listener {
    std::function<void(std::int64_t step)> saved;                           // rank 0: durable as a whole
    std::function<void(std::int64_t step, const Problem& problem)> failed;  // that checkpoint is lost
    std::function<void(const Problem& problem)> not_removed;                // an older checkpoint stays
  };

  /// Rank 0 waits at most `longest_wait` for the shards of the other ranks. The tier must outlive this. Throws std::system_error
  /// where there is no memory for a copy.
  CheckpointWriter(const CheckpointTier& tier, std::uint32_t rank, const StagedCopy::Settings& staged,
                   Duration longest_wait, Listener listener);
  /// Ends a wait for other ranks' shards; the writing of the own one is seen through.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Returns when nothing is being written.
  void wait_until_idle();
  /// Waits until idle, copies the parts of the state, and begins to write them.
  void write(std::int64_t step, const std::vector<std::string_view>& state);
  /// Why the memory of the copy is weaker than was asked for.
  const std::optional<Problem>& memory_problem() const { return copy_.memory_problem(); }

 private:
  void run();
  void write_one(std::int64_t step);
  void complete(std::int64_t step, const Manifest::Entry& own);
  /// Why the shards of all ranks did not come; nothing when they are there, or when the writer is being destroyed.
  std::optional<Problem> wait_for_shards(std::int64_t step);

  const CheckpointTier& tier_;
  std::uint32_t rank_;
  Duration longest_wait_;
  Listener listener_;

  std::mutex mutex_;
  std::condition_variable changed_;
  StagedCopy copy_;
  std::optional<std::int64_t> step_;  // of the copy, while it is being written
  bool ending_ = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace gauntlet
