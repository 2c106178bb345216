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
  EXPECT_THAT(
      text,
      HasSubstr("    answers HostReturned at 1.000 s: 2 times in the real run, 1 in the simulated one\n"));
  EXPECT_THAT(text, HasSubstr("The records explain every difference.\n"));
  EXPECT_THAT(text, Not(HasSubstr("simulated alone")));
}

TEST(SideBySide, TimersOfANoisyDetectorAreOneLineWithTheirNumber) {
  const Action timer = Wake{.at = kStart + 1h};
  const std::string text = beside({kStop, timer, timer, kAlert, timer}, {kStop});
  EXPECT_THAT(text, HasSubstr("real alone\n      2.000 s  Wake, 3 times until 5.000 s; the first\n"
                              "    answers HostReturned at 2.000 s: 5 times in the real run"));
  EXPECT_THAT(text, HasSubstr("      4.000 s  Alert{"));
  EXPECT_THAT(text, Not(HasSubstr("goes on with the order"))) << "each line is shown once";
}

TEST(SideBySide, AnOrderThatCameEarlierIsPairedAllTheSame) {
  const std::string text = beside({kAlert, kStop, kEvict}, {kStop, kEvict, kAlert});
  EXPECT_THAT(text, HasSubstr("at another place in the sequence\n      1.000 s     3.000 s  Alert{"));
  EXPECT_THAT(text, HasSubstr("    answers HostReturned at 1.000 s, simulated 2.000 s later\n"));
  EXPECT_THAT(text, Not(HasSubstr("alone")));
}

/// A record that is written as it happens, an observation a second.
class Telling {
 public:
  Telling& sees(const Observation& what) {
    record_.observations.push_back({kStart + static_cast<int>(record_.observations.size() + 1) * 1s, what});
    return *this;
  }
  Telling& orders(const Action& what) {
    record_.orders.push_back({record_.observations.back().at,
                              static_cast<std::uint32_t>(record_.observations.size()),
                              Order{OrderId{record_.orders.size() + 1}, what}});
    return *this;
  }
  /// The period of host 1 leaves the bounds of period().
  Telling& period_is(double value) {
    return sees(Seen{.watch = WatchId{12},
                     .who = component(HostId{1}),
                     .edge = Edge::began,
                     .sensed = {},
                     .value = value});
  }
  Telling& done(std::uint64_t order, Duration took = 0s) {
    return sees(Outcome{.order = OrderId{order}, .took = took, .result = {}});
  }
  const Record& record() const { return record_; }

 private:
  Record record_;
};

Telling told() { return Telling().sees(Started{}).orders(period(0.3, 0.5)); }

std::string beside(const Telling& left, const Telling& right) {
  const Figures none{};
  return side_by_side({"real", &left.record(), &none}, {"simulated", &right.record(), &none}, {});
}

TEST(SideBySide, AnAlertOfOneWorldIsExplainedByTheValueAndTheBoundsThatItLeft) {
  const std::string text = beside(told().period_is(1.009).orders(kAlert), told());
  EXPECT_THAT(
      text,
      HasSubstr("      2.000 s  Alert{job=0 who=job:0}\n    answers traffic_period outside its bounds (host "
                "1: 1.009, bounds 0.3 to 0.5) at 2.000 s: 1 time in the real run, 0 in the simulated one\n"));
  EXPECT_THAT(text, HasSubstr("The records explain every difference.\n"));
}

TEST(SideBySide, AnOrderAfterATimerAnswersWhatTheTimerWasSetFor) {
  const std::string text =
      beside(told().period_is(1.009).orders(Wake{kStart + 3s}).done(2).orders(kAlert), told());
  EXPECT_THAT(text, HasSubstr("      3.000 s  Alert{job=0 who=job:0}\n    answers traffic_period outside its "
                              "bounds (host 1: 1.009"));
}

TEST(SideBySide, AWatchIsOrderedAgainBecauseItWasTakenBack) {
  const Telling real = told()
                           .period_is(1.009)
                           .orders(Unwatch{WatchId{12}})
                           .sees(StopRequest{})
                           .orders(period(0.3, 0.5))
                           .orders(kStop);
  const std::string text = beside(real, told().sees(StopRequest{}).orders(kStop));
  EXPECT_THAT(text, HasSubstr("first=0}\n    goes on with the order at 2.000 s\n"));
  EXPECT_THAT(text, HasSubstr("The records explain every difference.\n"));
}

TEST(SideBySide, AnOrderThatAnswersAMeasuredValueIsExplainedByTheValues) {
  const auto measured = [](double value) {
    const Watch steps{
        .id = WatchId{22}, .signal = Signal::step, .who = Scope::all(ComponentKind::job), .until = Sample{1}};
    return Telling().sees(Started{}).orders(steps).sees(Seen{.watch = WatchId{22},
                                                             .who = component(JobId{0}),
                                                             .edge = Edge::sample,
                                                             .sensed = {},
                                                             .value = value});
  };
  const std::string text = beside(measured(0.473).orders(period(0.3, 0.5)), measured(0.4));
  EXPECT_THAT(text, HasSubstr("    answers step (job: 0.473) at 2.000 s: measured 0.473 to 0.473 in the real "
                              "run, 0.4 to 0.4 in the simulated one\n"));
  EXPECT_THAT(beside(measured(0.4).orders(period(0.3, 0.5)), measured(0.4)),
              HasSubstr("    not explained: answers step (job: 0.4) at 2.000 s"));
}

TEST(SideBySide, WhatBothWorldsObservedExplainsNothing) {
  const std::string text = beside(told().period_is(1.009).orders(kAlert), told().period_is(1.5));
  EXPECT_THAT(text, HasSubstr("    not explained: answers traffic_period outside its bounds (host 1: 1.009, "
                              "bounds 0.3 to 0.5) at 2.000 s, which both runs observed as often\n"));
  EXPECT_THAT(text, HasSubstr("Not explained by the records: 1 of 1 difference.\n"));
}

TEST(SideBySide, OrdersThatAnswerOtherObservationsSaySo) {
  const std::string text =
      beside(told().period_is(1.009).orders(kAlert), told().sees(StopRequest{}).orders(kAlert));
  EXPECT_THAT(text, HasSubstr("    answers traffic_period outside its bounds (host 1: 1.009, bounds 0.3 to "
                              "0.5) at 2.000 s, simulated StopRequest at 2.000 s\n"));
  EXPECT_THAT(text, HasSubstr("The sequences are the same: 2 orders.\n"));
}

TEST(SideBySide, WhatAWorldNeededForAnOrderIsSetBesideWhatTheOtherNeeded) {
  const std::string text = beside(told().orders(kStop).done(2, 412ms), told().orders(kStop).done(2, 300ms));
  EXPECT_THAT(text, HasSubstr("    took 0.412 s, simulated 0.300 s\n"));
}

TEST(SideBySide, AnIncidentSaysWhatStoppedTheJobAndWhichStepsAreRepeated) {
  const Telling real = told().period_is(1.009).orders(kStop),
                simulated = told().sees(StopRequest{}).sees(StopRequest{}).orders(kStop);
  Figures a{}, b{};
  Incident& repeating = a.incidents.emplace_back();
  repeating.opened = kStart + 1s;
  repeating.closed = kStart + 9s;
  repeating.steps_lost = 4;
  at(repeating.lost, Phase::recomputing) = 2s;
  Incident& other = b.incidents.emplace_back();
  other.opened = kStart + 1s;
  other.closed = kStart + 5s;
  const std::string text =
      side_by_side({"real", &real.record(), &a}, {"simulated", &simulated.record(), &b}, {});
  EXPECT_THAT(text, HasSubstr("    real stopped by traffic_period outside its bounds (host 1: 1.009, bounds "
                              "0.3 to 0.5) at 2.000 s, simulated stopped by StopRequest at 3.000 s\n"));
  EXPECT_THAT(text, HasSubstr("    real repeats 4 steps of 0.500 s, simulated repeats no step\n"));
}

}  // namespace
}  // namespace gauntlet
