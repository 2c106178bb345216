#include "core/filter.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

Time at(std::int64_t nanoseconds) { return kStart + Duration(nanoseconds); }

// --- silence -----------------------------------------------------------------------------------------------

TEST(SilenceFilter, ReportsASilenceOnceAndItsEndOnce) {
  SilenceFilter filter(Silence{10ns}, at(0));
  EXPECT_EQ(filter.deadline(), at(10));
  EXPECT_EQ(filter.on_sample(at(4)), std::nullopt);
  EXPECT_EQ(filter.deadline(), at(14));
  EXPECT_EQ(filter.on_deadline(at(14)), Edge::began);
  EXPECT_TRUE(filter.silent());
  EXPECT_EQ(filter.deadline(), kNever);  // nothing more to wait for
  EXPECT_EQ(filter.on_deadline(at(40)), std::nullopt);
  EXPECT_EQ(filter.on_sample(at(50)), Edge::ended);
  EXPECT_FALSE(filter.silent());
  EXPECT_EQ(filter.on_sample(at(51)), std::nullopt);
  EXPECT_EQ(filter.deadline(), at(61));
}

TEST(SilenceFilter, IgnoresADeadlineThatASampleMoved) {
  SilenceFilter filter(Silence{10ns}, at(0));
  EXPECT_EQ(filter.on_sample(at(10)),
            std::nullopt);  // at the deadline, before its timer: not longer than 10 ns
  EXPECT_EQ(filter.on_deadline(at(10)), std::nullopt);
  EXPECT_EQ(filter.on_deadline(at(19)), std::nullopt);
  EXPECT_EQ(filter.on_deadline(at(20)), Edge::began);
}

TEST(SilenceFilter, WaitsForeverUnlessToldOtherwise) {
  EXPECT_EQ(SilenceFilter().deadline(), kNever);
  EXPECT_EQ(SilenceFilter(Silence{kForever}, at(5)).deadline(), kNever);
}

TEST(SilenceFilterDeathTest, WantsSamplesInOrder) {
  SilenceFilter filter(Silence{10ns}, at(5));
  EXPECT_DEATH(filter.on_sample(at(4)), "samples come in order");
}

// Any samples, seen with a timer for the deadline (a sample at the deadline comes first), against the gaps
// between them.
RC_GTEST_PROP(SilenceFilter, ReportsExactlyTheLongGaps, ()) {
  const auto longest = *rc::gen::inRange<std::int64_t>(1, 20);
  const auto gaps = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 40));
  using Report = std::tuple<Time, Edge>;
  std::vector<Report> expected, reported;
  SilenceFilter filter(Silence{Duration(longest)}, at(100));
  Time last = at(100);
  for (const std::int64_t gap : gaps) {
    const Time sample = last + Duration(gap);
    if (gap > longest) {
      expected.emplace_back(last + Duration(longest), Edge::began);
      expected.emplace_back(sample, Edge::ended);
    }
    if (const Time due = filter.deadline(); due < sample) {
      if (const auto edge = filter.on_deadline(due)) reported.emplace_back(due, *edge);
    }
    if (const auto edge = filter.on_sample(sample)) reported.emplace_back(sample, *edge);
    last = sample;
  }
  RC_ASSERT(reported == expected);
}

// --- bands -------------------------------------------------------------------------------------------------

TEST(OutsideFilter, ReportsCrossingsAndTakesTheEdgeAsInside) {
  OutsideFilter filter(Outside{.low = 1, .high = 2});
  const double kInfinity = std::numeric_limits<double>::infinity();
  const struct {
    double value;
    std::optional<Edge> expected;
  } table[] = {
      {1.5, std::nullopt},  // it starts inside
      {2.0, std::nullopt},  // the edge is inside
      {std::nextafter(2.0, 3.0), Edge::began},
      {9, std::nullopt},
      {0.5, std::nullopt},  // outside on the other side: no news
      {1.0, Edge::ended},
      {std::nextafter(1.0, 0.0), Edge::began},
      {2.0, Edge::ended},
      {std::nan(""), Edge::began},  // a value that is not a number is in no band
      {-kInfinity, std::nullopt},
      {1.1, Edge::ended},
  };
  for (const auto& [value, expected] : table) {
    EXPECT_EQ(filter.would_report(value), expected.has_value()) << value;
    EXPECT_EQ(filter.on_sample(value), expected) << value;
    EXPECT_FALSE(filter.would_report(value)) << value;  // the same value again is not reported
  }
}

// What would not report may be left out: the rest reports the same.
RC_GTEST_PROP(OutsideFilter, ReportsTheSameWithoutTheSamplesThatWouldNotReport, (std::vector<int> values)) {
  OutsideFilter full(Outside{.low = -3, .high = 3}), elided(Outside{.low = -3, .high = 3});
  for (const int value : values) {
    const auto reported = full.on_sample(value);
    RC_ASSERT(reported.has_value() == elided.would_report(value));
    if (elided.would_report(value)) RC_ASSERT(elided.on_sample(value) == reported);
  }
}

// --- samples and bursts ------------------------------------------------------------------------------------

TEST(SampleFilter, PassesSoManyAndNoMore) {
  for (const std::uint16_t count : {std::uint16_t{0}, std::uint16_t{1}, std::uint16_t{3}}) {
    SampleFilter filter(Sample{count});
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(filter.would_report(0.5), i < count);
      EXPECT_EQ(filter.on_sample(0.5), i < count ? std::optional(Edge::sample) : std::nullopt);
    }
  }
}

// A burst of n members against a watch for the first f: min(n, f) pass, the rest are counted.
RC_GTEST_PROP(FirstMembers, CountsThoseThatItHoldsBack, ()) {
  const auto first = *rc::gen::inRange<std::uint16_t>(0, 5);
  FirstMembers members(first);
  for (int burst = 0; burst < 3; ++burst) {  // each starts afresh
    const auto reporting = *rc::gen::inRange<std::uint32_t>(0, 10);
    std::uint32_t passed = 0;
    for (std::uint32_t i = 0; i < reporting; ++i) {
      const bool passes = members.passes();
      RC_ASSERT(passes == (i < first));
      passed += passes ? 1 : 0;
    }
    RC_ASSERT(members.end_burst() == reporting - passed);
  }
  RC_ASSERT(members.end_burst() == 0u);
}

TEST(FirstMembers, PassesEachMemberByDefault) {
  FirstMembers members(kEachMember);
  for (int i = 0; i < 70'000; ++i) ASSERT_TRUE(members.passes());  // more than kEachMember = 65,535
  EXPECT_EQ(members.end_burst(), 0u);
}

}  // namespace
}  // namespace gauntlet
