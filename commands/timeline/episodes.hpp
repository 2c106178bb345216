// The faults of a truth log, each from its onset to its end, and the observations that show them.
#pragma once

#include "core/record/record.hpp"
#include "core/record/truth.hpp"
#include "models/world/world.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace gauntlet {

/// One fault. Places are those in the truth log.
struct FaultEpisode {
  std::size_t onset = 0;
  std::vector<std::size_t> later = {};  // met, returned, escalated, grew
  Time end;                             // that of the run where `ended` is false
  bool ended = false;
  /// Places in Record::observations. No log holds this: it is derived (shown_by()).
  std::optional<std::size_t> names_host = {};  // the first that names a host of the fault
  std::optional<std::size_t> answered = {};    // the first after it stopped the job that an order answers
};

/// In the order of their onsets. An end belongs to the latest fault of its kind and component.
std::vector<FaultEpisode> episodes_of(const TruthLog& truth, Time end_of_run);

/// Fills which observations show which fault:
/// - an observation that names a host shows the latest fault on that host that acts, or ended up to an hour ago, and that none
///   has named yet;
/// - where a fault stops the job, the next observation that an order answers shows it, unless it names the host of another
///   fault.
void find_observations(const TruthLog& truth, const Record& record, std::vector<FaultEpisode>& episodes);

}  // namespace gauntlet
