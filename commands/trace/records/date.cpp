#include "commands/trace/records/date.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>

namespace gauntlet {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;

// 64 bits of nanoseconds hold the time between any two of them.
constexpr std::uint32_t kFirstYear = 1900, kLastYear = 2189;

/// Reads a text from its front; what does not fit makes it bad for good.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  /// So many digits, at least and at most.
  std::uint32_t number(std::size_t least, std::size_t most) {
    std::uint32_t value = 0;
    std::size_t digits = 0;
    for (; digits < most && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; ++digits) {
      value = value * 10 + static_cast<std::uint32_t>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    good_ = good_ && digits >= least;
    return value;
  }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(char c) { good_ = take(c) && good_; }
  void fail_unless(bool holds) { good_ = good_ && holds; }
  bool at_end() const { return rest_.empty(); }
  bool good() const { return good_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

Duration day_of(Reader& in, std::uint32_t year, std::uint32_t month, std::uint32_t day) {
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(year)}, std::chrono::month{month},
                                         std::chrono::day{day}};
  in.fail_unless(year >= kFirstYear && year <= kLastYear && date.ok());
  return in.good() ? Duration(sys_days(date).time_since_epoch()) : Duration::zero();
}

/// Hours and minutes of a day.
Duration clock_of(Reader& in, std::size_t hour_digits) {
  const std::uint32_t hour = in.number(hour_digits, 2);
  in.need(':');
  const std::uint32_t minute = in.number(2, 2);
  in.fail_unless(hour < 24 && minute < 60);
  return hours(hour) + minutes(minute);
}

Duration seconds_of(Reader& in) {
  const std::uint32_t second = in.number(2, 2);
  in.fail_unless(second < 60);  // a leap second has no place on this clock
  Duration out = seconds(second);
  if (in.take('.')) {
    Duration digit = std::chrono::milliseconds(100);
    out += in.number(1, 1) * digit;
    for (int more = 1; more < 9 && !in.at_end(); ++more) {
      digit /= 10;
      Reader before = in;
      const std::uint32_t value = in.number(1, 1);
      if (!in.good()) {  // the fraction is over
        in = before;
        break;
      }
      out += value * digit;
    }
  }
  return out;
}

std::optional<Date> finished(const Reader& in, Date date) {
  if (!in.good() || !in.at_end()) return std::nullopt;
  return date;
}

}  // namespace

std::optional<Date> parse_month_first(std::string_view text) {
  Reader in(text);
  const std::uint32_t month = in.number(1, 2);
  in.need('/');
  const std::uint32_t day = in.number(1, 2);
  in.need('/');
  const std::uint32_t year = in.number(4, 4);
  in.need(' ');
  const Duration clock = clock_of(in, 1);
  return finished(in, {.since_1970 = day_of(in, year, month, day) + clock, .zoned = false});
}

std::optional<Date> parse_iso_date(std::string_view text) {
  Reader in(text);
  const std::uint32_t year = in.number(4, 4);
  in.need('-');
  const std::uint32_t month = in.number(2, 2);
  in.need('-');
  const std::uint32_t day = in.number(2, 2);
  Date date{.since_1970 = day_of(in, year, month, day), .zoned = false};
  if (in.at_end()) return finished(in, date);
  if (!in.take('T')) in.need(' ');
  date.since_1970 += clock_of(in, 2);
  if (in.take(':')) date.since_1970 += seconds_of(in);
  if (in.take('Z')) {
    date.zoned = true;
  } else if (const bool ahead = in.take('+'); ahead || in.take('-')) {
    const Duration offset = clock_of(in, 2);
    date.since_1970 += ahead ? -offset : offset;
    date.zoned = true;
  }
  return finished(in, date);
}

std::string iso_text(Duration since_1970) {
  const auto day = std::chrono::floor<std::chrono::days>(since_1970);
  const std::chrono::year_month_day date{sys_days(day)};
  const auto second = std::chrono::floor<seconds>(since_1970 - day).count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), second / 3600,
                     second / 60 % 60, second % 60);
}

}  // namespace gauntlet
