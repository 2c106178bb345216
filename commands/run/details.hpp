// The details of a run, from the store and from a replica that runs again.
#pragma once

#include "commands/run/result.hpp"
#include "study/experiment.hpp"

namespace gauntlet {

/// Of all replicas of a point in the store. The replica whose ETTR is the median, of equal ones the first, is run again for its parts
/// and its orders; `terms` are those that it was run with. A study that was stopped shows no replica.
RunDetails run_details(Experiment& experiment, PointNumber point, const Summary& summary,
                       const StudyTerms& terms);

}  // namespace gauntlet
