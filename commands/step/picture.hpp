// When each stage of a pipeline does what in one step, and what every rank waits: for traces and maps.
#pragma once

#include "core/layout.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {

/// One pass of one micro-batch through one chunk of a stage; seconds from the start of the step.
struct StepPass {
  std::uint32_t stage = 0, chunk = 0, micro_batch = 0;
  bool backward = false;
  double begin = 0, end = 0;
  double tensor = 0, context = 0, expert = 0, transfer = 0;  // at its end, one after the other, in seconds
  /// When the slowest rank of the stage has computed.
  double computed() const { return end - transfer - expert - context - tensor; }
};

/// A stall before a pass.
struct StepStall {
  std::uint32_t stage = 0;
  double begin = 0, end = 0;
  std::string cause;     // "host 17 stalls"
  std::string who = {};  // "host 17": the host that the other ranks of the stage wait for
  std::uint32_t first_rank = 0, last_rank = ~0u;  // that stall
};

/// A rank of a stage with a track of its own.
struct PictureRank {
  std::uint32_t rank = 0, host = 0, gpu = 0;
  std::string cause = {};            // what of it is degraded: "GPU 3 of host 17 slow"; empty: nothing
  double forward = 1, backward = 1;  // how long it computes, over how long the slowest of the stage does
};

/// The ranks that are one stage of one data-parallel replica.
struct PictureStage {
  std::uint32_t first_rank = 0, ranks = 1;
  std::string cause = {};  // what of it is degraded: "host 17 slow"; empty: nothing
  bool slow_forward = false, slow_backward = false;
  std::string slowest_forward = {}, slowest_backward = {};  // its ranks wait for it: "GPU 3 of host 17"
  std::vector<PictureRank> shown = {};  // one; where ranks differ, the whole tensor-parallel group
};

struct ReplicaPicture {
  std::uint32_t replica = 0;
  bool other_step = false;  // of a step in which nothing is degraded
  std::vector<PictureStage> stages;
  std::vector<StepPass> passes;  // in the order of their begin
  std::vector<StepStall> stalls;
  double pipeline_end = 0, data_end = 0, optimizer_end = 0;  // of the whole job
};

struct RankRange {
  std::uint32_t first = 0, last = 0;
};

struct StepPictures {
  std::string scenario;
  Layout layout;
  std::uint32_t gpus_per_host = 1;
  double step_seconds =
      0;  // of the explicit schedule, which the formula of the report may miss by a few percent
  std::vector<ReplicaPicture> replicas;  // the critical one first; then one that nothing perturbs
  std::vector<double> waiting;           // by rank: seconds of the step in which it waits for others
  std::vector<double> healthy_waiting;   // ... of a step in which nothing is degraded
  bool degraded = false;
  std::vector<RankRange> culprits;  // what the step waits for
  std::uint32_t critical_stage = 0;
  std::string cause;  // "host 17 slow", "host 17 slow, host 18 slow"; empty where there is no culprit
};

}  // namespace gauntlet
