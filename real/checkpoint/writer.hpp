// Writes a rank's checkpoints on a thread of its own, one at a time, while the rank trains.
//
// The rank hands over a copy of its state and goes on. A copy is never skipped while an earlier one is being written: the
// ranks would skip different ones, and no checkpoint would become whole. The rank waits instead, and counts that as stall.
#pragma once

#include "core/time.hpp"
#include "real/checkpoint/tier.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace gauntlet {

class CheckpointWriter {
 public:
  /// Called from the writing thread.
  struct Listener {
    std::function<void(std::int64_t step)> saved;                           // rank 0: durable as a whole
    std::function<void(std::int64_t step, const Problem& problem)> failed;  // that checkpoint is lost
    std::function<void(const Problem& problem)> not_removed;                // an older checkpoint stays
  };

  /// Rank 0 waits at most `longest_wait` for the shards of the other ranks. The tier must outlive this.
  CheckpointWriter(const CheckpointTier& tier, std::uint32_t rank, Duration longest_wait,
                   Listener listener);
  /// Ends a wait for other ranks' shards; the writing of the own one is seen through.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Returns when nothing is being written.
  void wait_until_idle();
  /// Begins to write; first waits until idle.
  void write(Shard shard);

 private:
  void run();
  void write_one(const Shard& shard);
  void complete(std::int64_t step);
  /// Why the shards of all ranks did not come; nothing when they are there, or when the writer is being destroyed.
  std::optional<Problem> wait_for_shards(std::int64_t step);

  const CheckpointTier& tier_;
  std::uint32_t rank_;
  Duration longest_wait_;
  Listener listener_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Shard> shard_;  // being written while set
  bool ending_ = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace gauntlet
