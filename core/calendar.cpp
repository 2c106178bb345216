#include "core/calendar.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>

namespace gauntlet {
namespace {

constexpr double kSecondsOfDay = 86'400;
constexpr int kFirstYear = 1970;

/// All of `text` as a decimal number without a sign.
std::optional<int> number(std::string_view text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || parsed != end || text.front() == '-') return std::nullopt;
  return value;
}

std::string padded(unsigned value, std::size_t digits) {
  const std::string text = std::to_string(value);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

}  // namespace

Parsed<CalendarDay> parse_day(std::string_view text) {
  constexpr const char* kExample = "write for example 2027-01-15";
  const bool shaped = text.size() == 10 && text[4] == '-' && text[7] == '-';
  const auto year = shaped ? number(text.substr(0, 4)) : std::nullopt;
  const auto month = shaped ? number(text.substr(5, 2)) : std::nullopt;
  const auto day = shaped ? number(text.substr(8, 2)) : std::nullopt;
  if (!year || !month || !day) return {{}, "is not a date", kExample};
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return {{}, "is not a day of the calendar", kExample};
  if (*year < kFirstYear) return {{}, "is before 1970", kExample};
  return {CalendarDay(date), "", ""};
}

std::string to_text(CalendarDay date) {
  const std::chrono::year_month_day of(date);
  return padded(static_cast<unsigned>(static_cast<int>(of.year())), 4) + '-' +
         padded(static_cast<unsigned>(of.month()), 2) + '-' + padded(static_cast<unsigned>(of.day()), 2);
}

CalendarDay day_after(CalendarDay start, double seconds) {
  expect(seconds >= 0 && seconds < 1e11, "a date is after the start, within a few thousand years");
  return start + std::chrono::days(static_cast<int>(std::floor(seconds / kSecondsOfDay)));
}

}  // namespace gauntlet
