// Dates as traces write them, to time since 1970.
#pragma once

#include "core/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

struct Date {
  Duration since_1970{};  // by the clock that the text names; of its own place where it names none
  bool zoned = false;     // it says how far that clock is from UTC, and the difference is taken off
};

/// "6/21/2005 10:54": month, day, year and minute of a clock of 24 hours, as LANL's records have them. None where the text is
/// no date; years 1900 to 2189.
std::optional<Date> parse_month_first(std::string_view text);

/// ISO 8601: "2005-06-21", "2005-06-21T10:54", "2005-06-21 10:54:07.25", each time of day with "Z" or "+02:00" behind
/// it or not.
std::optional<Date> parse_iso_date(std::string_view text);

/// "2005-06-21T10:54:07", without a fraction.
std::string iso_text(Duration since_1970);

}  // namespace gauntlet
