#include "commands/compare/pair_incidents.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace gauntlet {
namespace {

using std::chrono::hours;

const std::vector<std::string> kNoFaults = {"start",        "planned_stop", "false_alarm",    "checkpoint",
                                            "unattributed", "evaluation",   "fewer_replicas", "preempted"};

std::vector<std::string> causes(std::vector<std::string> faults) {
  faults.insert(faults.begin(), kNoFaults.begin(), kNoFaults.end());
  return faults;
}

Incident incident(Duration at, Cause cause, ComponentId component) {
  Incident of;
  of.opened = kStart + at;
  of.cause = cause;
  of.component = component;
  return of;
}

constexpr ComponentId kGpu7{ComponentKind::gpu, 7}, kHost7{ComponentKind::host, 7},
    kJob{ComponentKind::job, 0};

/// "hang 5h/6h" of both, "hang 5h/-" of the first alone.
std::vector<std::string> in_words(const std::vector<IncidentPair>& pairs) {
  std::vector<std::string> words;
  const auto text = [](const std::optional<Incident>& of) {
    return of ? std::to_string((of->opened - kStart) / hours(1)) + "h" : std::string("-");
  };
  for (const IncidentPair& pair : pairs)
    words.push_back(pair.cause + " " + text(pair.first) + "/" + text(pair.second));
  return words;
}

using Words = std::vector<std::string>;

TEST(PairIncidents, JoinsByTheNameOfTheCauseAndNotItsNumber) {
  const std::vector<std::string> of_first = causes({"hang", "crash"}), of_second = causes({"fire", "hang"});
  const Cause first_kind = cause_of(FaultKindId{0}), second_kind = cause_of(FaultKindId{1});
  const std::vector<Incident> first = {incident(hours(5), first_kind, kGpu7),
                                       incident(hours(9), second_kind, kGpu7)};
  const std::vector<Incident> second = {incident(hours(2), first_kind, kGpu7),
                                        incident(hours(5), second_kind, kGpu7),
                                        incident(hours(9), second_kind, kHost7)};
  EXPECT_EQ(in_words(pair_incidents({first, of_first}, {second, of_second})),
            (Words{"fire -/2h", "hang 5h/5h", "crash 9h/-", "hang -/9h"}));
}

TEST(PairIncidents, JoinsAFaultThatStruckLaterOnAClockThatStood) {
  const std::vector<std::string> names = causes({"hang"});
  const Cause hang = cause_of(FaultKindId{0});
  const auto at = [&](int h) { return incident(hours(h), hang, kGpu7); };
  // 10 h has a partner of its own time; 40 h takes the nearer of 44 h and 52 h; 90 h and 120 h are more than a day apart.
  const std::vector<Incident> first = {at(10), at(40), at(90)}, second = {at(10), at(52), at(44), at(120)};
  EXPECT_EQ(in_words(pair_incidents({first, names}, {second, names})),
            (Words{"hang 10h/10h", "hang 40h/44h", "hang -/52h", "hang 90h/-", "hang -/120h"}));
}

TEST(PairIncidents, JoinsWhatIsNoFaultWithinAnHour) {
  const std::vector<Incident> first = {incident(hours(1), kCausePlanned, kJob),
                                       incident(hours(3), kCauseFalseAlarm, kJob)};
  const std::vector<Incident> second = {incident(std::chrono::minutes(61), kCausePlanned, kJob),
                                        incident(hours(5), kCauseFalseAlarm, kJob)};
  EXPECT_EQ(in_words(pair_incidents({first, kNoFaults}, {second, kNoFaults})),
            (Words{"planned_stop 1h/1h", "false_alarm 3h/-", "false_alarm -/5h"}));
}

}  // namespace
}  // namespace gauntlet
