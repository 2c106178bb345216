// The part of a drill's report on clocks: how exact the times of its hosts are, and what that means for its figures.
#pragma once

#include "real/clocks/driver_times.hpp"

#include <string>

namespace gauntlet {

std::string clock_section(const ClockAccuracy& clocks);

}  // namespace gauntlet
