// Each rule with an order that breaks it, beside its neighbours that do not.
#include "policies/custom/rules.hpp"

#include "core/infinity.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

constexpr Time kNow = kStart + 1000s;

/// 4 hosts of 2 stages and a spare; the policy took the watches 4 and 5.
OrderBounds bounds_of(PolicyKind kind) {
  return {.kind = kind,
          .job = JobId{0},
          .inventory = {.job_hosts = 4, .spares = 1, .layout = {.tp = 8, .pp = 2, .dp = 2}},
          .probes = {ProbeId{2}},
          .before_first = WatchId{3},
          .last = WatchId{5}};
}

std::string rule_of(const Action& what, PolicyKind kind = PolicyKind::detector) {
  const char* rule = broken_rule(what, bounds_of(kind), kNow);
  return rule == nullptr ? "" : rule;
}

Watch watch_of(Signal signal, Scope who, decltype(Watch::until) until) {
  return {.id = WatchId{4}, .signal = signal, .who = who, .until = until};
}

const Scope kHosts = Scope::all(ComponentKind::host);
const Scope kTheJob = Scope::all(ComponentKind::job);

TEST(CustomRules, EachKindOrdersWhatItMay) {
  const std::string detector = "a detector must order only Watch, Unwatch, Wake, Cancel and Probe";
  const std::string checkpoint =
      "a checkpoint policy must order only CheckpointEvery, Checkpoint, Watch, Unwatch, Wake and Cancel";
  for (const Action& common : std::vector<Action>{Unwatch{WatchId{4}}, Wake{kNow}, Cancel{}})
    for (const PolicyKind kind : {PolicyKind::detector, PolicyKind::checkpoint})
      EXPECT_EQ(rule_of(common, kind), "");
  for (const Action& never : std::vector<Action>{Stop{}, Start{}, Acquire{}, StandBy{}, Evict{}, Readmit{},
                                                 Retire{}, Release{}, Ask{}, Alert{}}) {
    EXPECT_EQ(rule_of(never), detector);
    EXPECT_EQ(rule_of(never, PolicyKind::checkpoint), checkpoint);
  }
  const Probe probe = {ProbeId{2}, Scope::hosts_of(JobId{0}), WatchId{5}};
  EXPECT_EQ(rule_of(probe), "");
  EXPECT_EQ(rule_of(probe, PolicyKind::checkpoint), checkpoint);
  for (const Action& saves : std::vector<Action>{Checkpoint{}, CheckpointEvery{JobId{0}, 1h}}) {
    EXPECT_EQ(rule_of(saves), detector);
    EXPECT_EQ(rule_of(saves, PolicyKind::checkpoint), "");
  }
}

TEST(CustomRules, WatchesAreThePolicysOwn) {
  const std::string own = "a watch must have an id that the policy took at the start";
  for (const std::uint32_t id : {3U, 6U}) {
    Watch watch = watch_of(Signal::step, kTheJob, Silence{1s});
    watch.id = WatchId{id};
    EXPECT_EQ(rule_of(watch), own);
    EXPECT_EQ(rule_of(Unwatch{WatchId{id}}), own);
    EXPECT_EQ(rule_of(Probe{ProbeId{2}, Scope::hosts_of(JobId{0}), WatchId{id}}), own);
  }
  EXPECT_EQ(rule_of(watch_of(Signal::step, kTheJob, Silence{1s})), "");
}

struct RuleCase {
  Watch watch;
  const char* rule;
};

TEST(CustomRules, WatchesMakeSense) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto host = [](std::uint32_t index) { return Scope::one(component(HostId{index})); };
  const std::vector<RuleCase> cases = {
      {watch_of(Signal::heartbeat, kHosts, Silence{1min}), ""},
      {watch_of(Signal::heartbeat, host(4), Silence{1min}), ""},
      {watch_of(Signal::heartbeat, kHosts, Sample{1}), "heartbeats must be watched for silence"},
      {watch_of(Signal::heartbeat, Scope::hosts_of(JobId{0}), Silence{1min}),
       "heartbeats must be watched for each host, whichever job it serves"},
      {watch_of(Signal::heartbeat, host(5), Silence{1min}), "a host must be one of the cluster"},
      {watch_of(Signal::heartbeat, Scope::hosts_of_stage(JobId{0}, 1), Silence{1min}),
       "this signal must not be watched by pipeline stage"},
      {watch_of(Signal::process_exit, kHosts, Outside{0, 0}), ""},
      {watch_of(Signal::process_exit, kHosts, Match{}), ""},
      {watch_of(Signal::process_exit, kHosts, Silence{1s}), "exits must be watched with a band or a pattern"},
      {watch_of(Signal::log_line, kHosts, Match{PatternId{3}}), ""},
      {watch_of(Signal::log_line, kHosts, Outside{0, 1}), "log lines must be watched for a pattern"},
      {watch_of(Signal::step, kTheJob, Outside{0, 5}), ""},
      {watch_of(Signal::step, kTheJob, Match{}),
       "steps must be watched for silence, with a band or for samples"},
      {watch_of(Signal::step, kHosts, Silence{1s}), "this signal is the job's: its scope must be the job"},
      {watch_of(Signal::step, Scope::one({ComponentKind::job, 1}), Silence{1s}),
       "a scope must name the job of the policy"},
      {watch_of(Signal::step, kTheJob, Silence{0s}), "a silence must be longer than zero"},
      {watch_of(Signal::step, kTheJob, Sample{0}), "a watch must ask for at least one sample"},
      {watch_of(Signal::checkpoint_stall, kTheJob, Sample{1}), ""},
      {watch_of(Signal::checkpoint_stall, kTheJob, Silence{1s}),
       "this signal must be watched with a band or for samples"},
      {watch_of(Signal::loss, kTheJob, Outside{-kInfinity, 3}), ""},
      {watch_of(Signal::loss, kTheJob, Outside{3, 2}),
       "the low end of a band must not be above its high end"},
      {watch_of(Signal::loss, kTheJob, Outside{nan, 2}),
       "the low end of a band must not be above its high end"},
      {watch_of(Signal::forward_time, Scope::hosts_of_stage(JobId{0}, 1, 8), Sample{2}), ""},
      {watch_of(Signal::forward_time, Scope::hosts_of_stage(JobId{0}, 2, 8), Sample{2}),
       "a pipeline stage must be one of the job"},
      {watch_of(Signal::forward_time, Scope::hosts_of(JobId{1}), Sample{2}),
       "a scope must name the job of the policy"},
      {watch_of(Signal::backward_time, kHosts, Silence{1s}),
       "segment timings must be watched with a band or for samples"},
      {watch_of(Signal::traffic, kHosts, Silence{1s}), ""},
      {watch_of(Signal::traffic_period, kHosts, Match{}),
       "traffic must be watched for silence, with a band or for samples"},
      {watch_of(Signal::traffic, kTheJob, Silence{1s}), "this signal is a host's: its scope must be hosts"},
      {watch_of(Signal::traffic, Scope::all(ComponentKind::rack), Silence{1s}),
       "a scope must be the job or hosts"},
      {watch_of(Signal::last_collective, kHosts, Sample{1}), ""},
      {watch_of(Signal::last_collective, kHosts, Silence{1s}),
       "the last collective must be watched for samples"},
  };
  for (const RuleCase& each : cases)
    EXPECT_EQ(rule_of(each.watch), each.rule) << "case " << &each - cases.data();
}

TEST(CustomRules, TimesAndIntervalsMakeSense) {
  EXPECT_EQ(rule_of(Wake{kNow}), "");
  EXPECT_EQ(rule_of(Wake{kNow - 1ns}), "a wake must not be in the past");
  const auto every = [](JobId job, Duration interval) {
    return rule_of(CheckpointEvery{job, interval}, PolicyKind::checkpoint);
  };
  EXPECT_EQ(every(JobId{0}, 1ns), "");
  EXPECT_EQ(every(JobId{0}, kForever), "");  // ends the standing order
  EXPECT_EQ(every(JobId{0}, 0ns), "the interval of periodic checkpoints must be above zero");
  EXPECT_EQ(every(JobId{0}, -1h), "the interval of periodic checkpoints must be above zero");
  EXPECT_EQ(every(JobId{1}, 1h), "an order must name the job of the policy");
  EXPECT_EQ(rule_of(Checkpoint{JobId{1}}, PolicyKind::checkpoint),
            "an order must name the job of the policy");
}

TEST(CustomRules, ProbesAreThoseOfTheSuite) {
  const auto probe = [](std::uint32_t which, Scope who) {
    return rule_of(Probe{ProbeId{which}, who, WatchId{4}});
  };
  EXPECT_EQ(probe(2, Scope::one(component(HostId{4}))), "");
  EXPECT_EQ(probe(0, Scope::one(component(HostId{4}))), "a probe must be one of diagnosis.suite");
  EXPECT_EQ(probe(2, Scope::one(component(HostId{5}))), "a host must be one of the cluster");
  EXPECT_EQ(probe(2, kHosts), "a probe must run on one host or on the hosts of the job");
  EXPECT_EQ(probe(2, kTheJob), "a probe must run on one host or on the hosts of the job");
}

TEST(CustomRules, SuspicionsNameHostsAndWatches) {
  const auto rule = [](const Suspicion& suspicion) {
    const char* broken = broken_rule(suspicion, bounds_of(PolicyKind::detector));
    return std::string(broken == nullptr ? "" : broken);
  };
  EXPECT_EQ(rule({}), "");
  EXPECT_EQ(rule({.host = HostId{4}, .cause = WatchId{4}}), "");
  EXPECT_EQ(rule({.host = HostId{5}}), "a suspected host must be one of the cluster");
  EXPECT_EQ(rule({.quarantine = -1s}), "a quarantine must not be negative");
  EXPECT_EQ(rule({.cause = WatchId{6}}), "the cause of a suspicion must be a watch of the detector");
}

}  // namespace
}  // namespace gauntlet
