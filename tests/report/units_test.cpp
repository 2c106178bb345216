#include "report/units.hpp"

#include "report/metric_unit.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

TEST(Units, TimesAreInTheUnitThatFitsThem) {
  const struct {
    double seconds;
    const char* text;
  } cases[] = {{0, "0 s"},
               {0.25, "250 ms"},
               {1, "1 s"},
               {35.25, "35.2 s"},
               {120, "2 min"},
               {7199, "120 min"},
               {7200, "2 h"},
               {9912, "2.8 h"},
               {259200, "3 days"},
               {54 * 86400.0, "54 days"},
               {54.26 * 86400, "54.3 days"}};
  for (const auto& [seconds, text] : cases) EXPECT_EQ(time_text(seconds), text);
}

TEST(Units, LargeAmountsHaveAPrefix) {
  const auto text = [](double value) {
    const Unit unit = amount_unit(value, "tokens/s");
    return unit.number(value) + " " + unit.name;
  };
  EXPECT_EQ(text(12.34), "12.3 tokens/s");
  EXPECT_EQ(text(12345.6), "12,346 tokens/s");
  EXPECT_EQ(text(1.525e6), "1.52 M tokens/s");  // 1.525 is a little less in binary
  EXPECT_EQ(text(2.5e9), "2.50 G tokens/s");
}

TEST(Units, DigitsAreGroupedByThree) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(16384), "16,384");
  EXPECT_EQ(count_text(-1234567), "-1,234,567");
  EXPECT_EQ((Unit{.divisor = 1, .name = "", .decimals = 1}).number(1234.56), "1,234.6");
}

TEST(Units, NothingIsLessThanNothing) { EXPECT_EQ(percent().number(-1e-9), "0.00"); }

TEST(Units, AMissedHalfWidthHasTheDigitsThatShowTheMiss) {
  EXPECT_EQ(missed_text("ettr", 0.00013, 0.0001, "USD"),
            "ettr +- 0.013% on the longer side of its interval, and +- 0.01% was asked for");
  EXPECT_EQ(missed_text("ettr", 0.00010004, 0.0001, "USD"),
            "ettr +- 0.010004% on the longer side of its interval, and +- 0.01% was asked for");
  EXPECT_EQ(missed_text("wall_time_s", 7920, 7200, "USD"),
            "wall_time_s +- 2.2 h on the longer side of its interval, and +- 2 h was asked for");
  EXPECT_EQ(missed_text("interruptions", 0.31, 0.3, "USD"),
            "interruptions +- 0.31 on the longer side of its interval, and +- 0.3 was asked for");
}

}  // namespace
}  // namespace gauntlet
