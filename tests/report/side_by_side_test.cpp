// Two runs beside each other: orders are paired by what they mean.
#include "report/side_by_side.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

Watch period(double low, double high) {
  return {.id = WatchId{12},
          .signal = Signal::traffic_period,
          .who = Scope::hosts_of(JobId{0}),
          .until = Outside{low, high},
          .first = 0};
}

/// One order a second, each in answer to an observation of that time.
Record record_of(const std::vector<Action>& actions) {
  Record record;
  for (const Action& action : actions) {
    const auto number = static_cast<std::uint32_t>(record.orders.size() + 1);
    const Time at = kStart + number * 1s;
    record.observations.push_back({at, HostReturned{HostId{number}}});
    record.orders.push_back({at, number, Order{OrderId{number}, action}});
  }
  return record;
}

std::string beside(const std::vector<Action>& left, const std::vector<Action>& right) {
  const Record a = record_of(left), b = record_of(right);
  const Figures none{};
  return side_by_side({"real", &a, &none}, {"simulated", &b, &none}, {});
}

const Action kStop = Stop{.job = JobId{0}, .reason = StopReason::fault};
const Action kEvict = Evict{HostId{4}};
const Action kAlert = Alert{.job = JobId{0}, .who = {}};

TEST(SideBySide, TheSameSequencesAreSaidToBeTheSame) {
  EXPECT_THAT(beside({kStop, kEvict}, {kStop, kEvict}), HasSubstr("The sequences are the same: 2 orders.\n"));
}

TEST(SideBySide, BoundsThatWereMeasuredAreNamedAndPartNothing) {
  const std::string text = beside({period(0.7, 1.0), kStop}, {period(0.3, 0.5), kStop});
  EXPECT_THAT(text, HasSubstr("bounds measured: 0.700 to 1.000, simulated 0.300 to 0.500\n"));
  EXPECT_THAT(text, HasSubstr("The sequences are the same: 2 orders, but for bounds that were measured.\n"));
}

TEST(SideBySide, WhatOneSideDidAloneIsShownWithItsCause) {
  const std::string text = beside({kAlert, kStop}, {kStop});
  EXPECT_THAT(text, HasSubstr("The same on both sides: 1 order.\n"));
  EXPECT_THAT(text, HasSubstr("real alone\n      1.000 s  Alert{"));
  EXPECT_THAT(text, HasSubstr("    answering HostReturned{host=1} at 1.000 s\n"));
  EXPECT_THAT(text, Not(HasSubstr("simulated alone")));
}

TEST(SideBySide, AnOrderThatCameEarlierIsPairedAllTheSame) {
  const std::string text = beside({kAlert, kStop, kEvict}, {kStop, kEvict, kAlert});
  EXPECT_THAT(text, HasSubstr("at another place in the sequence\n      1.000 s     3.000 s  Alert{"));
  EXPECT_THAT(text, Not(HasSubstr("alone")));
}

}  // namespace
}  // namespace gauntlet
