#include "core/calendar.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

std::string after(const char* start, double seconds) {
  return to_text(day_after(*parse_day(start).value, seconds));
}

TEST(Calendar, IsReadAndWrittenAlike) {
  for (const char* text : {"1970-01-01", "2000-02-29", "2027-01-15", "9999-12-31"})
    EXPECT_EQ(to_text(*parse_day(text).value), text);
}

// Day numbers of RFC 3339's calendar: 2000-03-01 is the 11,017th day after 1970-01-01, 2038-01-19 the 24,855th, in which a
// signed 32-bit count of seconds ends (2^31 = 24,855 x 86,400 + 11,648).
TEST(Calendar, CountsDaysAsTheCalendarDoes) {
  EXPECT_EQ(parse_day("2000-03-01").value->time_since_epoch().count(), 11'017);
  EXPECT_EQ(after("1970-01-01", 2147483648.0), "2038-01-19");
  EXPECT_EQ(after("2027-01-15", 0), "2027-01-15");
  EXPECT_EQ(after("2027-01-15", 86'399), "2027-01-15");
  EXPECT_EQ(after("2027-01-15", 86'400), "2027-01-16");
  EXPECT_EQ(after("2028-02-28", 86'400), "2028-02-29");
  EXPECT_EQ(after("2100-02-28", 86'400), "2100-03-01");  // not a leap year
}

TEST(Calendar, SaysWhatIsWrong) {
  for (const char* text : {"", "2027", "2027-1-5", "15.01.2027", "2027-01-15T00", "2027-0x-15", "2027--1-15",
                           "-027-01-15", "2027/01/15", "20270115"})
    EXPECT_EQ(parse_day(text).why, "is not a date") << text;
  for (const char* text : {"2027-02-29", "2027-13-01", "2027-00-10", "2027-04-31", "2027-01-00"})
    EXPECT_EQ(parse_day(text).why, "is not a day of the calendar") << text;
  EXPECT_EQ(parse_day("1969-12-31").why, "is before 1970");
}

}  // namespace
}  // namespace gauntlet
