#include "score/phase_log.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

std::string text_of(const PhaseLog& log) {
  std::string text;
  for (const PhaseSpan& each : log.spans())
    text += std::string(kPhaseNames[static_cast<std::size_t>(each.phase)]) + " " +
            std::to_string((each.begin - kStart).count()) + "-" +
            std::to_string((each.end - kStart).count()) + "\n";
  return text;
}

TEST(PhaseLog, NeighboursOfOnePhaseAndCauseAreOneSpan) {
  PhaseLog log({});
  log.charge(Phase::effective, 5ns, {});
  log.charge(Phase::effective, 5ns, {});
  log.charge(Phase::undetected, 1ns, kCauseFalseAlarm);
  log.charge(Phase::undetected, 2ns, kCauseUnattributed);
  log.charge(Phase::diagnosing, 1ns, kCauseUnattributed);
  EXPECT_EQ(text_of(log), "effective 0-10\nundetected 10-11\nundetected 11-13\ndiagnosing 13-14\n");
}

TEST(PhaseLog, BoundariesStaySpansApart) {
  PhaseLog log({kStart + 5ns, kStart + 7ns});
  EXPECT_EQ(log.next_boundary(kStart), kStart + 5ns);
  EXPECT_EQ(log.next_boundary(kStart + 5ns), kStart + 7ns);
  EXPECT_EQ(log.next_boundary(kStart + 7ns), kNever);
  log.charge(Phase::effective, 5ns, {});
  log.charge(Phase::effective, 1ns, {});
  log.charge(Phase::effective, 4ns, {});
  EXPECT_EQ(text_of(log), "effective 0-5\neffective 5-10\n");
}

TEST(PhaseLog, WhatIsTakenBackIsTakenFromTheEnd) {
  PhaseLog log({});
  log.charge(Phase::effective, 10ns, {});
  log.charge(Phase::slowdown, 1ns, kCauseFewer);
  log.charge(Phase::slowdown, -2ns, kCauseUnattributed);
  log.charge(Phase::restarting, 3ns, kCauseStart);
  EXPECT_EQ(text_of(log), "effective 0-9\nrestarting 9-12\n");
}

}  // namespace
}  // namespace gauntlet
