// Saves a rank's checkpoints while the rank trains, one at a time.
//
// Stage one copies the state to locked memory, and the rank goes on. Stage two brings the copy to a tier, on a thread. A copy is never skipped while an
// earlier one is being written: the ranks would skip different ones, and no checkpoint would become whole. The rank waits instead, and counts that as stall.
#pragma once

#include "core/time.hpp"
#include "real/checkpoint/stage_two.hpp"
#include "real/checkpoint/staged_copy.hpp"
#include "real/checkpoint/tier.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

namespace gauntlet {

/// Stage one of a state that is not in the host's memory, as on a GPU: the rank goes on while it is copied.
class StateSource {
 public:
  virtual ~StateSource() = default;
  /// Begins to copy, and returns. Whoever trains must not change the state before the copy is complete.
  virtual void begin_copy(std::span<std::byte> into) = 0;
  /// Returns when the copy is complete, or why it never will be: then there is no checkpoint of this step. From the thread that writes.
  virtual std::optional<Problem> wait() = 0;
};

class CheckpointWriter {
 public:
  using Listener = CheckpointListener;

  /// A copy for each of `copies`, in turn: with two, one is complete while the other is made. Throws std::system_error where there is no memory.
  CheckpointWriter(std::unique_ptr<StageTwo> stage_two, const JobIdentity& job, std::uint32_t rank,
                   const std::vector<StagedCopy::Settings>& copies);
  /// With one copy and a stage two of this process. Rank 0 waits at most `longest_wait` for the shards of the other ranks. The tier must
  /// outlive this.
  CheckpointWriter(const CheckpointTier& tier, std::uint32_t rank, const StagedCopy::Settings& staged,
                   Duration longest_wait, Listener listener);
  /// Ends a wait for other ranks' shards; the writing of the own one is seen through.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Returns when nothing is being written.
  void wait_until_idle();
  /// Waits until idle, copies the parts of the state, and begins to bring the copy as far as `reach`.
  void write(std::int64_t step, const std::vector<std::string_view>& state, Tier reach = Tier::storage);
  /// The same of a state that is copied from elsewhere. The source outlives this writer.
  void write(std::int64_t step, StateSource& state, Tier reach = Tier::storage);
  /// Why the memory of a copy is weaker than was asked for.
  const std::optional<Problem>& memory_problem() const { return copies_.front()->memory_problem(); }

 private:
  struct Writing {
    std::int64_t step;
    Tier reach;
    StateSource* copying = nullptr;  // null: the copy is complete
  };
  void begin(const Writing& writing);
  StagedCopy& next_copy();
  void run();

  std::unique_ptr<StageTwo> stage_two_;
  JobIdentity job_;
  std::uint32_t rank_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<StagedCopy>> copies_;
  std::size_t last_ = 0;            // the copy that was made last
  std::optional<Writing> writing_;  // of that copy, while it is being written
  bool ending_ = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace gauntlet
