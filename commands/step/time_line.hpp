// One step on a time line that Perfetto opens (https://ui.perfetto.dev).
#pragma once

#include "commands/step/picture.hpp"

#include <string>
#include <string_view>

namespace gauntlet {

/// What every trace begins with.
inline constexpr std::string_view kTraceBegins = "{\"otherData\":{\"what\":\"gauntlet step\"";

/// Chrome trace event format
/// (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU): a process for each replica, with
/// a track for each stage's rank of one pipeline (for each rank of a tensor-parallel group that waits for one of its own)
/// and for each dimension, with what is exposed of its collectives; times in microseconds. A forward pass of micro-batch 3
/// is "F3", a backward one "B3".
std::string to_trace(const StepPictures& pictures);

}  // namespace gauntlet
