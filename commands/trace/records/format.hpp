// How files of failure records are laid out.
#pragma once

#include <cstdint>

namespace gauntlet {

enum class TraceFormat : std::uint8_t {
  detect,  // LANL's where a column is named "Prob Started", else csv
  /// LANL's release of its failure records, LA-UR-05-7318 (https://www.usenix.org/cfdr-data): System, nodes, nodenum, Prob
  /// Started, Prob Fixed, Down Time (minutes), and a column for each cause, of which one is filled at most. Its clocks have no
  /// zone, so that a gap over a change of the clocks is an hour off; Down Time, where it is given, is not, and is taken. Records
  /// come node by node: one that starts before the last one of its node is out of order.
  lanl,
  /// start, end, node, cause, and system where there are several; times in ISO 8601. An end that is empty, or spelled NA, N/A, nan,
  /// null, none, - or ? in any case, is a failure whose repair time is not known. In either format the same holds of a node and of a
  /// cause. A record that starts before the one above it is out of order.
  csv,
};

}  // namespace gauntlet
