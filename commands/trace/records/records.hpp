// What failed when, as operators wrote it down: a failure trace.
//
// Every failure is an onset on a node of a system with a cause, and mostly how long it lasted. Names are numbered in the
// order that people sort them (node 9 before node 10).
#pragma once

#include "core/problem.hpp"
#include "core/time.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// The node of a record that names none: its time counts for its system, and it belongs to no node.
inline constexpr std::uint32_t kNoNode = std::numeric_limits<std::uint32_t>::max();

struct FailureRecord {
  Duration start{};  // since 1970, by the clock of whoever wrote it down
  std::uint32_t system = 0, node = 0, cause = 0;
  std::optional<Duration> repair;  // until its node was well again
  friend bool operator==(const FailureRecord&, const FailureRecord&) = default;
};

struct TraceSystem {
  std::string name;
  std::vector<std::string> nodes;  // those that failed, by number
  std::uint32_t stated_nodes = 0;  // how many there are, as the source says; 0: it does not
  /// How many nodes could have failed: never less than did.
  std::uint64_t node_count() const { return stated_nodes > nodes.size() ? stated_nodes : nodes.size(); }
};

/// Why a line is not a failure that can be used.
enum class Rejection : std::uint8_t { fields, quotes, start, end, negative, duration, cause, time_zone };
inline constexpr std::array<std::string_view, 8> kRejectionNames = {
    "fields", "quotes", "start", "end", "negative", "duration", "cause", "time_zone"};

/// What became of every line: read = used + all that were rejected.
struct TraceReading {
  std::string format;  // "lanl", "csv", "gauntlet"
  std::uint64_t read = 0, used = 0;
  std::array<std::uint64_t, kRejectionNames.size()> rejected{};
  std::uint64_t out_of_order = 0;        // used, at their place in time
  std::uint32_t first_out_of_order = 0;  // its line
  std::uint64_t without_end = 0;         // used, but for their repair time
  std::uint64_t without_node = 0;        // used, but not for what is counted by node
  std::uint64_t other_duration = 0;      // used: their "Down Time" is not the difference of their times
  std::uint64_t duplicates = 0;          // used: the same in every field as another one
  std::uint64_t untold = 0;              // rejected, and not among `problems`, which stop at kMostTold
  std::vector<std::string> unread_columns;
  std::vector<Problem> problems;  // of each line that was rejected, in the order of lines
};
inline constexpr std::size_t kMostTold = 1000;

struct FailureTrace {
  std::vector<TraceSystem> systems;
  std::vector<std::string> causes;     // names as those of faults: lower-case words joined by _
  std::vector<FailureRecord> records;  // by system, then by start
  TraceReading reading;
};

/// How many records are the same in every field as one before them, a named node included: written down twice, or several
/// failures at once. Nobody can tell, so that they are kept. In the order of `FailureTrace::records`.
std::uint64_t duplicates_of(const std::vector<FailureRecord>& records);

/// What of a trace is looked at.
struct TraceSelection {
  std::optional<std::string> system, cause;
  std::optional<Duration> from, until;  // onsets in [from, until)
};

/// The part of it that is selected. Systems and causes without a failure are left out; nodes keep their numbers, and
/// `reading` stays as it was.
FailureTrace select(const FailureTrace& trace, const TraceSelection& selection);

/// "Human Error" as the name of a fault: "human_error"; "unrecorded" of nothing. Its first letters, as many as a scenario takes.
std::string cause_name(std::string_view text);

}  // namespace gauntlet
