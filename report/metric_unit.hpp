// The unit of a metric, by its name (study/summary/metrics.hpp).
#pragma once

#include "report/units.hpp"

#include <string>
#include <string_view>

namespace gauntlet {

/// For values of about `size`: a share as percent, a time from milliseconds to days, money in `currency`,
/// tokens, or a plain number.
Unit metric_unit(std::string_view metric, double size, const std::string& currency);

/// "ettr +- 0.013% on the longer side of its interval, and +- 0.01% was asked for": a half-width that misses another, with the digits that show the miss.
std::string missed_text(std::string_view metric, double reached, double asked, const std::string& currency);

}  // namespace gauntlet
