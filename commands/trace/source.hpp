// The part of a trace that a question is about.
#pragma once

#include "commands/trace/question.hpp"
#include "commands/trace/records/records.hpp"
#include "commands/trace/result.hpp"
#include "core/problem.hpp"

#include <optional>
#include <vector>

namespace gauntlet {

struct SelectedTrace {
  FailureTrace trace;              // what was selected; at least one record
  FailureTrace every_cause;        // the same of all causes, for how long and how many nodes were watched
  std::optional<Duration> window;  // where both of its ends were given
  Duration origin{};               // its beginning, or the first onset
  TraceSource source;
};

struct TraceSelected {
  std::optional<SelectedTrace> selected;
  std::vector<Problem> problems;
};
TraceSelected open_trace(const TraceQuestion& question);

/// The most frequent first.
std::vector<CauseShare> cause_shares(const FailureTrace& trace);

}  // namespace gauntlet
