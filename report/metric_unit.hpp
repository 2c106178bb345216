// The unit of a metric, by its name (study/summary/metrics.hpp).
#pragma once

#include "report/units.hpp"

#include <string>
#include <string_view>

namespace gauntlet {

/// For values of about `size`: a share as percent, a time from milliseconds to days, money in `currency`,
/// tokens, or a plain number.
Unit metric_unit(std::string_view metric, double size, const std::string& currency);

}  // namespace gauntlet
