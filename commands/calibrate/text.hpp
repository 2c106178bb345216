// A calibration as a table for people.
#pragma once

#include "commands/calibrate/result.hpp"

#include <string>

namespace gauntlet {

std::string text_report(const CalibratedScenario& of, const std::string& file);

}  // namespace gauntlet
