// Steps on a time line that Perfetto opens (https://ui.perfetto.dev).
#pragma once

#include "commands/step/picture.hpp"

#include <cstdint>
#include <string>

namespace gauntlet {

/// The most steps of a time line: an assumption about what anybody looks at.
inline constexpr std::uint32_t kMostTracedSteps = 100;

/// What every trace begins with.
std::string step_trace_begins();

/// A process for each replica, with a track for each stage's rank of one pipeline (for each rank of a tensor-parallel group that
/// waits for one of its own) and for each dimension, with what is exposed of its collectives. A forward pass of micro-batch 3
/// is "F3", a backward one "B3". `steps` equal steps follow each other: the model has one.
///
/// Arrows lead along what is sent: from a pass to the same micro-batch on the next stage, from a pass to its collectives, from
/// the last pass of a stage to the reduction of gradients, from there to the optimizer and to the first pass of the next step; and from the
/// slowest rank of a tensor-parallel group to those that wait for it.
std::string to_trace(const StepPictures& pictures, std::uint32_t steps);

}  // namespace gauntlet
