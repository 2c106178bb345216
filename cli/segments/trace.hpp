// The segments of a few steps as a trace for https://ui.perfetto.dev: who was busy when, and who held up its group.
#pragma once

#include "core/problem.hpp"
#include "real/telemetry/segment_steps.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {
struct SegmentsTrace {
  std::string text;
  std::optional<Problem> problem;  // there is no text
};

/// A track for each rank. A rank reports a step as a whole: its segments lie one behind the other by name, up to that time, and in which order
/// they came is not known. Members of a group begin a step after all of them ended the one before: an arrow leads from the member that
/// reported last to the first slice of each other one.
/// `by`: the dimension of the layout whose groups of ranks lie together: "pp", "dp", "cp" or "tp".
SegmentsTrace segments_trace(const SegmentSteps& steps, std::string_view by);

}  // namespace gauntlet
