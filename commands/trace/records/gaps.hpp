// Times between failures, and who fails how often.
#pragma once

#include "commands/trace/records/records.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

/// What counts as one row of failures, in whose order times are taken.
enum class GapsOf : std::uint8_t {
  systems,  // from a failure of a system to its next one, on whatever node
  nodes,    // from a failure of a node to that node's next one
};

/// Which of the records; nothing: all of them.
struct RecordFilter {
  std::optional<std::uint32_t> system, cause;
};

/// The gaps between consecutive onsets of one row, in seconds, those of several rows together; first failures have none.
std::vector<double> gaps_of(const FailureTrace& trace, GapsOf rows, const RecordFilter& filter);

/// How long repairs took, in seconds, in the order of their failures.
std::vector<double> repair_times(const FailureTrace& trace, const RecordFilter& filter);

/// What is done about durations of zero, which no law but the exponential can be fitted to: mostly one event that was written
/// down for several nodes, or a duration below the minute that traces are written in.
enum class ZeroDurations : std::uint8_t {
  drop,
  minute,  // count as one minute
  keep,
};
std::vector<double> without_zeros(std::vector<double> durations, ZeroDurations convention);

/// How unevenly failures fall on the nodes of a system, as far as it is known on which.
struct Concentration {
  std::uint64_t failures = 0, nodes = 0;
  /// Failures on the 1% and 5% of nodes that failed most (rounded down to whole nodes, at least one).
  std::uint64_t top_nodes_1 = 0, top_nodes_5 = 0, on_top_1 = 0, on_top_5 = 0;
  /// Variance over mean of the failures of a node, those without any included: 1 on average where all nodes fail alike, at
  /// constant rates (Fisher's index of dispersion).
  double dispersion = 0;
  /// How likely at least this dispersion were then: (nodes - 1) x dispersion is chi-squared with nodes - 1 degrees of freedom.
  /// Nothing for a single node.
  std::optional<double> p_value = {};
};
Concentration concentration_of(const FailureTrace& trace, std::uint32_t system);

/// From the first onset of a system to its last.
Duration span_of(const FailureTrace& trace, std::uint32_t system);

}  // namespace gauntlet
