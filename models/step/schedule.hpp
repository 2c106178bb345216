// The explicit schedule of one pipeline: 1F1B, interleaved where stages are virtual, with times that differ by stage.
//
// Order of each stage's work: Narayanan et al., SC'21, fig. 4 (https://arxiv.org/abs/2104.04473), as Megatron-LM's
// schedules.py has it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gauntlet {

struct PipelineShape {
  std::uint32_t stages = 1, virtual_stages = 1, micro_batches = 1;
};

/// Seconds of each pass, what is sent on included. Chunks are counted along the model: stage s has the chunks s,
/// s + stages, ... Either one time a chunk, or one a chunk and micro-batch, at [chunk * micro_batches + micro_batch].
struct ChunkTimes {
  std::vector<double> forward, backward;
};

/// One piece of work that was done.
struct ScheduledPass {
  std::uint32_t stage = 0, chunk = 0, micro_batch = 0;
  bool backward = false;
  double begin = 0, end = 0;
};

/// A stall: from the start of the step (micro-batch 0), or before this stage begins the forward pass of a micro-batch of its
/// first chunk.
struct StageStall {
  std::uint32_t stage = 0, micro_batch = 0;
  double seconds = 0;
  friend bool operator==(const StageStall&, const StageStall&) = default;
};

/// When each stage is done with its last backward pass. `work`, where given, gets every piece in the order of its begin.
std::vector<double> pipeline_finish(const PipelineShape& shape, const ChunkTimes& times,
                                    std::span<const StageStall> stalls,
                                    std::vector<ScheduledPass>* work = nullptr);

/// A lower bound of the last end in pipeline_finish(), without stalls and with one time a chunk. A stage begins once a micro-batch has come
/// forward through the chunks before its first one. Then it does all its passes, and the last gradient goes back through these
/// chunks. The bound is exact where all chunks take the same time. It costs a pass over the chunks.
double pipeline_at_least(const PipelineShape& shape, const ChunkTimes& times);

/// The passes that the last one of a stage waits for, and it, in order: each begins when the one before ends, or after a
/// stall. Where two end together, the stage's own counts.
std::vector<ScheduledPass> critical_path(const PipelineShape& shape, const ChunkTimes& times,
                                         std::span<const StageStall> stalls, std::uint32_t stage);

}  // namespace gauntlet
