// Runs of one scenario to its calibration.
#pragma once

#include "commands/calibrate/collect.hpp"
#include "commands/calibrate/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// What the file is for. The largest that was measured where it is not given.
struct CalibrationSize {
  std::optional<double> hosts, bytes;
};

struct Calibrated {
  std::optional<CalibratedScenario> result;
  std::vector<Problem> problems;
};

/// `runs` are of one scenario (problem_of_runs). Nothing in them is left out in silence: a probe that the scenario lacks has its line.
Calibrated calibrate(const std::vector<MeasuredRun>& runs, const std::vector<std::string>& probe_reports,
                     const CalibrationSize& size);

}  // namespace gauntlet
