// A calibration as a file that a scenario extends.
#pragma once

#include "commands/calibrate/result.hpp"

#include <string>
#include <string_view>

namespace gauntlet {

/// How such a file begins, so that another calibration may replace it.
inline constexpr std::string_view kCalibrationBegins = "# Measured on real machines";

/// Each value with how often it was measured, in which range, and whether it lies beyond the sizes that were measured; what is not
/// known exactly stands in study.uncertain.
std::string to_toml(const CalibratedScenario& of);

}  // namespace gauntlet
