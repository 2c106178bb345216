// Failure traces from files of comma-separated values.
#pragma once

#include "commands/trace/records/format.hpp"
#include "commands/trace/records/records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct TraceRead {
  std::optional<FailureTrace> trace;  // with at least one record
  std::vector<Problem> problems;      // why there is none
};

/// Columns are found by their names. Lines that are not failures are counted by reason, with a problem each in `reading`.
/// A file that cannot be read to its end is not a trace. Never throws for bad input.
TraceRead read_failures(const std::string& file, TraceFormat format);

}  // namespace gauntlet
