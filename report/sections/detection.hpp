// How the faults of each kind fared, on a page: what was detected and how soon, what was missed.
#pragma once

#include "report/page/page.hpp"
#include "study/summary/summary.hpp"

namespace gauntlet {

/// Precision and recall over all kinds, then latency and recall by fault kind, those that cost most first. Says so where no fault
/// met the job.
Section detection_section(const Summary& summary);

}  // namespace gauntlet
