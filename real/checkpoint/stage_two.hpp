// Stage two of a checkpoint: the copy that stage one made goes to a storage. The process that trains does that on a thread (writer.hpp), or
// the checkpointer of its host does it, which outlives it (host_stage_two.hpp).
#pragma once

#include "core/tier.hpp"
#include "core/time.hpp"
#include "real/checkpoint/staged_copy.hpp"
#include "real/checkpoint/tier.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

namespace gauntlet {

/// What becomes of checkpoints. Called from the thread that writes.
struct CheckpointListener {
  std::function<void(std::int64_t step)> saved;                           // rank 0: durable as a whole
  std::function<void(std::int64_t step, const Problem& problem)> failed;  // that checkpoint is lost
  std::function<void(const Problem& problem)> not_removed;                // an older checkpoint stays
};

class StageTwo {
 public:
  StageTwo() = default;
  virtual ~StageTwo() = default;
  StageTwo(const StageTwo&) = delete;
  StageTwo& operator=(const StageTwo&) = delete;

  /// Brings the copy as far as `reach`, and returns when nothing reads it any more.
  virtual void write(std::int64_t step, StagedCopy& copy, Tier reach) = 0;
  /// Says why there is no copy of that step.
  virtual void give_up(std::int64_t step, const Problem& problem) = 0;
  /// From any thread: whoever writes waits no longer for other processes.
  virtual void end() = 0;
};

/// By this process, to one tier of storage. A copy that goes less far stays where it is.
class OwnStageTwo final : public StageTwo {
 public:
  struct Settings {
    std::uint32_t rank = 0;
    Duration longest_wait{};  // of rank 0, for the shards of the other ranks
  };
  /// The tier must outlive this.
  OwnStageTwo(const CheckpointTier& tier, const Settings& settings, CheckpointListener listener);

  void write(std::int64_t step, StagedCopy& copy, Tier reach) override;
  void give_up(std::int64_t step, const Problem& problem) override { listener_.failed(step, problem); }
  void end() override;

 private:
  void complete(std::int64_t step, const Manifest::Entry& own);
  /// Why the shards of all ranks did not come; nothing when they are there, or at the end.
  std::optional<Problem> wait_for_shards(std::int64_t step);

  const CheckpointTier& tier_;
  Settings settings_;
  CheckpointListener listener_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
};

}  // namespace gauntlet
