// The section "Step times" of a drill's report: how much the steps of a real job jitter, as the detector `mfu` sees them.
#pragma once

#include "core/record/progress.hpp"
#include "core/record/truth.hpp"
#include "core/time.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// A step that was completed, and the time at which it was.
struct StepTime {
  Time end{};
  double seconds = 0;
  bool follows = false;  // the one before it, without a stop or a fault between them
};

/// The steps during which no fault disturbed the job, in order of time. Checkpoints are no part of them.
std::vector<StepTime> undisturbed_steps(const ProgressLog& progress, const TruthLog& truth);

/// The largest share of the best step by which steps declined for longer than `lasting` (MFU is inversely proportional to their time): a
/// smaller `detection.mfu.decline` is a false alert. Nothing where the steps do not last so long.
std::optional<double> lasting_decline(const std::vector<StepTime>& steps, Duration lasting);

/// `lasting`: detection.mfu.lasting. Empty where there is no such step.
std::string step_times_section(const std::vector<StepTime>& steps, Duration lasting);

}  // namespace gauntlet
