// Calendar dates as users write them: 2027-01-15. They have no clock and no time zone.
#pragma once

#include "core/quantity.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace gauntlet {

/// A day of the Gregorian calendar.
using CalendarDay = std::chrono::sys_days;

/// "2027-01-15": a day of the years 1970 to 9999, as in ISO 8601.
Parsed<CalendarDay> parse_day(std::string_view text);
std::string to_text(CalendarDay date);

/// The day on which something happens `seconds` after the beginning of the day `start`. Precondition: 0 <= seconds < 1e11.
CalendarDay day_after(CalendarDay start, double seconds);

}  // namespace gauntlet
