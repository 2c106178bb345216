// Regular expressions of a scenario. They are RE2's: linear in the length of the line.
#pragma once

#include "config/fields/fields.hpp"

#include <string>

namespace gauntlet {

Type pattern(std::string& into);
/// One whose first group is the number of a step.
Type step_pattern(std::string& into);
/// One whose first group is the number that a probe measured.
Type metric_pattern(std::string& into);

}  // namespace gauntlet
