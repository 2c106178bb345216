#include "core/quantity.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

TEST(ParseDuration, KnowsEveryUnit) {
  const std::pair<const char*, Duration> cases[] = {
      {"7ns", 7ns},        {"7us", 7us},      {"7ms", 7ms},
      {"90s", 90s},        {"15min", 15min},  {"3h", 3h},
      {"2d", 48h},         {"1w", 168h},      {"1y", 24h * 365},
      {"0", 0ns},          {"0s", 0ns},       {"1.5h", 90min},
      {".5s", 500ms},      {"2min30s", 150s}, {"1d2h3min4s5ms6us7ns", 26h + 3min + 4s + 5ms + 6us + 7ns},
      {" 15 min ", 15min},
  };
  for (const auto& [text, value] : cases) {
    const auto parsed = parse_duration(text);
    ASSERT_TRUE(parsed.value) << text << ": " << parsed.why;
    EXPECT_EQ(*parsed.value, value) << text;
  }
}

TEST(ParseDuration, IsExactWhereADoubleIsNot) {
  // 9007199.254740993 s is 2^53 + 1 ns, which no double of nanoseconds holds.
  EXPECT_EQ(parse_duration("9007199.254740993s").value, Duration(9'007'199'254'740'993));
  // A third of a minute to the nearest nanosecond: 0.3333333333333 x 60e9 = 19999999999.998.
  EXPECT_EQ(parse_duration("0.3333333333333min").value, Duration(20'000'000'000));
}

TEST(ParseDuration, SaysWhyATextIsNone) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "is empty"},
      {"300", "has no unit"},
      {"2min30", "has no unit"},
      {"-5min", "is negative"},
      {"soon", "is not a number with a unit"},
      {"15mins", "has the unknown unit \"mins\""},
      {"5m", "has the unknown unit \"m\""},
      {"30s2min", "has its units out of order"},
      {"5s5s", "has its units out of order"},
      {"1.2.3s", "is not a duration"},
      {"300y", "is longer than 292 years"},
      {"99999999999999999999999h", "is longer than 292 years"},
  };
  for (const auto& [text, why] : cases) {
    const auto parsed = parse_duration(text);
    EXPECT_FALSE(parsed.value) << text;
    EXPECT_EQ(parsed.why, why) << text;
  }
  EXPECT_EQ(parse_duration("300").suggestion, "write \"300s\", \"300min\" or \"300h\"");
  EXPECT_EQ(parse_duration("15mins").suggestion, "known units are y w d h min s ms us ns");
}

TEST(ParseSeconds, ReachesBeyondTheRangeOfADuration) {
  // 7,077,888 h are 808 years: 7,077,888 x 3,600 s.
  EXPECT_EQ(parse_seconds("7077888h").value, 7'077'888.0 * 3'600);
  EXPECT_EQ(parse_seconds("2min30s").value, 150.0);
  EXPECT_EQ(parse_seconds("1500ms").value, 1.5);
  EXPECT_EQ(parse_seconds("300").why, "has no unit");
}

TEST(DurationText, ReadsAsItIsSpoken) {
  EXPECT_EQ(to_text(Duration(0)), "0s");
  EXPECT_EQ(to_text(Duration(150s)), "2min30s");
  EXPECT_EQ(to_text(Duration(24h * 54)), "54d");
  EXPECT_EQ(to_text(Duration(1500us)), "1.5ms");
  EXPECT_EQ(to_text(Duration(90s + 5ms)), "1min30.005s");
  EXPECT_EQ(to_text(Duration(3h + 1ns)), "3h1ns");
  EXPECT_EQ(to_text(Duration(-90s)), "-1min30s");
}

TEST(DurationText, ParsesBackToTheSameNanoseconds) {
  std::uint64_t bits = 1;
  for (int i = 0; i < 20'000; ++i) {
    bits = bits * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    const Duration value(static_cast<std::int64_t>(bits >> (1 + i % 63)));
    ASSERT_EQ(parse_duration(to_text(value)).value, value) << to_text(value);
  }
  EXPECT_EQ(parse_duration(to_text(kForever)).value, kForever);
}

TEST(ParseBytes, TellsDecimalFromBinaryUnits) {
  EXPECT_EQ(parse_bytes("80GB").value, Bytes{80e9});
  EXPECT_EQ(parse_bytes("80GiB").value, Bytes{80.0 * 1024 * 1024 * 1024});
  EXPECT_EQ(parse_bytes("1.6 TB").value, Bytes{1.6e12});
  EXPECT_EQ(parse_bytes("0").value, Bytes{0});
  EXPECT_EQ(parse_bytes("80").why, "has no unit");
  EXPECT_EQ(parse_bytes("80").suggestion, "write \"80GB\" or \"80GiB\"");
  EXPECT_EQ(parse_bytes("80gb").why, "has the unknown unit \"gb\"");
  EXPECT_EQ(parse_bytes("1e999GB").why, "is too large");
}

TEST(ParseBandwidth, CountsBitsOrBytes) {
  // 400 Gb/s / 8 = 50 GB/s
  EXPECT_EQ(parse_bandwidth("400Gb/s").value, Bandwidth{50e9});
  EXPECT_EQ(parse_bandwidth("50GB/s").value, Bandwidth{50e9});
  EXPECT_EQ(parse_bandwidth("-1GB/s").why, "is negative");
}

TEST(ParseFlopRate, KnowsItsPrefixes) {
  EXPECT_EQ(parse_flop_rate("989TFLOP/s").value, FlopRate{989e12});
  EXPECT_EQ(parse_flop_rate("1PFLOP/s").value, FlopRate{1e15});
  EXPECT_EQ(parse_flop_rate("5EFLOP/s").value, FlopRate{5e18});
  EXPECT_EQ(parse_flop_rate("nan").why, "is not a number with a unit");
}

TEST(QuantityText, IsTheShortestThatParsesBack) {
  EXPECT_EQ(to_text(Bytes{80.0 * 1024 * 1024 * 1024}), "80GiB");
  EXPECT_EQ(to_text(Bytes{1.6e12}), "1.6TB");
  EXPECT_EQ(to_text(Bytes{0}), "0B");
  EXPECT_EQ(to_text(Bandwidth{50e9}), "50GB/s");
  EXPECT_EQ(to_text(Bandwidth{2.5e10 / 8}), "25Gb/s");
  EXPECT_EQ(to_text(FlopRate{989e12}), "989TFLOP/s");
}

TEST(QuantityText, KeepsEveryBit) {
  double value = 1.0 / 3;
  for (int i = 0; i < 200; ++i, value *= 1.7) {
    ASSERT_EQ(parse_bytes(to_text(Bytes{value})).value, Bytes{value}) << to_text(Bytes{value});
    ASSERT_EQ(parse_bandwidth(to_text(Bandwidth{value})).value, Bandwidth{value})
        << to_text(Bandwidth{value});
  }
}

}  // namespace
}  // namespace gauntlet
