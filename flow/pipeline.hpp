// One pipeline replica's step on SimGrid: every GPU of it is an actor that computes, meets its stage, sends and receives. The
// reference for models/step/schedule.hpp.
#pragma once

#include "core/quantity.hpp"
#include "flow/client.hpp"
#include "models/network/fabric_network.hpp"
#include "models/step/schedule.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gauntlet {

/// What the ranks of one data-parallel replica do in a step.
struct PipelineStep {
  std::uint32_t replica = 0;
  PipelineShape shape;  // as many stages as the layout has
  ChunkTimes compute;   // without what is sent
  Bytes message;        // of one rank to the same one in the next chunk's stage, and back
  std::vector<StageStall> stalls;
};

/// Seconds until each stage is done with its last backward pass, with the replica alone on the fabric. The order of each
/// stage's work is written down here a second time, after Megatron-LM's schedules.py, so that one can be held against the
/// other. Throws FlowFailure.
std::vector<double> simgrid_pipeline(const FabricNetwork& fabric, const PipelineStep& step,
                                     const NetworkState& state, const FlowProgram& program);

}  // namespace gauntlet
