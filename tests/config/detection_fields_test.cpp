// Detection, telemetry and people: what a scenario can say of them, and what cannot work.
#include "policies/detect/fail_slow_detector.hpp"
#include "tests/config/scenario_texts.hpp"
#include "tests/policies/detect/watching.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Three lines that faults log, in the order of the faults' names: patterns 2, 3 and 4.
const std::string kLines = "[faults.a]\n" + kCrash + "mtbf = \"9d\"\nlog = \"xid_79\"\n[faults.b]\n" +
                           kCrash + "mtbf = \"9d\"\nlog = \"xid_63\"\n[faults.c]\n" + kCrash +
                           "mtbf = \"9d\"\nlog = \"nic_down\"\n";

PolicyConstants policies_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  const LoadedScenario loaded = load_text(text, sets);
  EXPECT_EQ(problems_of(loaded), "");
  return loaded.scenario ? loaded.scenario->policies : PolicyConstants{};
}

std::vector<std::string> warnings_of(const std::string& text) {
  const LoadedScenario loaded = load_text(text);
  EXPECT_EQ(problems_of(loaded), "");
  std::vector<std::string> out;
  for (const Problem& warning : loaded.warnings) out.push_back(warning.text());
  return out;
}

TEST(Detection, LinesThatNoTableNamesPutTheirHostUnderSuspicion) {
  const PolicyConstants policies =
      policies_of(kSmall + kLines + "[detection]\nlines = { xid_63 = \"alert\" }\n");
  EXPECT_THAT(policies.detection.lines, ElementsAre(LineRule{PatternId{2}, LineAction::replace},
                                                    LineRule{PatternId{3}, LineAction::alert},
                                                    LineRule{PatternId{4}, LineAction::ignore}));  // for flap
  EXPECT_THAT(policies.detection.flap.lines, ElementsAre(PatternId{4}));
}

/// A fault that logs a line of that severity.
std::string logs(const std::string& fault, const std::string& line, const std::string& severity) {
  return "[faults." + fault + "]\n" + kCrash + "mtbf = \"9d\"\nlog = \"" + line + "\"\nseverity = \"" +
         severity + "\"\n";
}

// Nobody loses a host to a warning that nobody thought of.
TEST(Detection, LinesThatNoTableNamesAreDealtWithByTheirSeverity) {
  const std::string faults = logs("a", "said", "info") + logs("b", "warm", "warning") +
                             logs("c", "broken", "error") + logs("d", "dead", "fatal") +
                             logs("e", "worse", "warning") + logs("f", "worse", "error");
  std::vector<LineAction> actions;
  for (const LineRule& rule : policies_of(kSmall + faults).detection.lines) actions.push_back(rule.action);
  EXPECT_THAT(actions, ElementsAre(LineAction::ignore, LineAction::alert, LineAction::replace,
                                   LineAction::replace, LineAction::replace));  // worse: as its worst fault
  const LoadedScenario loaded = load_text(kSmall + faults + "[detection]\nlines = { dead = \"restart\" }\n");
  const std::string shown = show(loaded, Comments::full);
  const std::size_t at = shown.find("\nlines = {");
  EXPECT_THAT(
      shown.substr(at, shown.find('\n', at + 1) - at),
      AllOf(HasSubstr("warm = \"alert\""), HasSubstr("[test.toml:62; broken, said, warm, worse: computed]")));
}

// A table of the catalogue serves many scenarios: lines that this one does not have are no mistake in it.
TEST(Detection, TakesATableOfTheCatalogueAndChangesToIt) {
  const std::string text = kSmall + kLines + "[detection]\nlines = \"nvidia-xid\"\n";
  EXPECT_THAT(policies_of(text).detection.lines, ElementsAre(LineRule{PatternId{2}, LineAction::replace},
                                                             LineRule{PatternId{3}, LineAction::alert},
                                                             LineRule{PatternId{4}, LineAction::ignore}));
  EXPECT_EQ(policies_of(text, {"detection.lines.xid_63=replace"}).detection.lines.at(1).action,
            LineAction::replace);
  EXPECT_EQ(policies_of(text, {"detection.lines=k8s-device-plugin"}).detection.lines.at(1).action,
            LineAction::replace);
  EXPECT_THAT(problems_of(load_text(text, {"detection.lines.xid_80=replace"})),
              HasSubstr("detection.lines.xid_80 is not a log line of this scenario; did you mean"));
  EXPECT_THAT(problems_of(load_text(kSmall + "[detection]\nlines = \"nvidia-xld\"\n")),
              HasSubstr("is not in the catalogue's lines; did you mean \"nvidia-xid\"?"));
}

// What is shown is a scenario of its own: it loads without the catalogue to the same thing.
TEST(Detection, IsShownAsItHolds) {
  const LoadedScenario loaded = load_text(kSmall + kLines + "[detection]\nlines = \"nvidia-xid\"\n");
  const std::string shown = show(loaded, Comments::none);
  const LoadedScenario again = load_text(shown);
  EXPECT_EQ(problems_of(again), "");
  EXPECT_EQ(show(again, Comments::none), shown);
  EXPECT_EQ(again.scenario->policies.detection.lines, loaded.scenario->policies.detection.lines);
}

/// A fault that corrupts the job's numbers and logs it an hour later.
const std::string kCorrupts =
    "[faults.bad]\ncomponent = \"host\"\nmtbf = \"9d\"\neffect = \"corrupt\"\nremedy = \"restart\"\n"
    "log = \"bad_numbers\"\nlog_delay = \"1h\"\n";

// What corrupts and says so is known to say so, and how late; a table may know better.
TEST(Detection, KnowsWhichLinesTellOfWrongNumbers) {
  const auto corruption = [](const std::string& more) {
    return policies_of(kSmall + more).detection.corruption;
  };
  EXPECT_THAT(corruption(kLines).lines, IsEmpty());
  EXPECT_EQ(corruption(kLines).late, 0s);
  const std::string faults = "keep_last = 9\n" + kLines + kCorrupts + "[telemetry]\nclock_error = \"5ms\"\n";
  EXPECT_THAT(corruption(faults).lines, ElementsAre(PatternId{4}));  // a, b, bad, c
  EXPECT_EQ(corruption(faults).late, 1h + 5ms);
  EXPECT_EQ(policies_of(kSmall + faults).detection.clock_error, 5ms);
  const CorruptionConstants other =
      corruption(faults + "[detection.corruption]\nlines = [\"xid_63\"]\nlate = \"2min\"\n");
  EXPECT_THAT(other.lines, ElementsAre(PatternId{3}));
  EXPECT_EQ(other.late, 2min);
}

TEST(Detection, WarnsWhereEveryCheckpointMayHoldWrongNumbers) {
  // An hour and what telemetry takes: four checkpoints of 20 min may be wrong, and a fifth is right.
  const auto with_so_many = [](const std::string& kept) {
    return warnings_of(kSmall + "keep_last = " + kept + "\n" + kCorrupts +
                       "[checkpoint]\ninterval = \"20min\"\n");
  };
  EXPECT_THAT(with_so_many("4"),
              ElementsAre(AllOf(HasSubstr("corruption"), HasSubstr("keep_last = 5 or more"))));
  EXPECT_THAT(with_so_many("5"), IsEmpty());
}

TEST(Detection, WaitsForTheCulpritsHeartbeatUnlessItSaysOtherwise) {
  const std::string telemetry =
      "[telemetry]\nheartbeat_period = \"5s\"\nheartbeat_jitter = \"2s\"\ndelay = \"3s\"\n";
  EXPECT_EQ(policies_of(kSmall + telemetry).detection.gather, 11s);
  EXPECT_EQ(policies_of(kSmall + telemetry + "[detection]\ngather = \"0s\"\n").detection.gather, 0s);
}

TEST(Detection, HasConstantsForEachDetector) {
  const DetectionConstants detection = policies_of(kSmall + R"(
[detection.learned_hang]
multiple = 3.0
[detection.fail_slow]
peers = 32
continuity = "2min"
[detection.mfu]
action = "restart"
)")
                                           .detection;
  EXPECT_EQ(detection.learned_hang.multiple, 3);
  EXPECT_EQ(detection.fail_slow.peers, 32);
  EXPECT_EQ(detection.fail_slow.continuity, 2min);
  EXPECT_EQ(detection.fail_slow.deviations, FailSlowConstants{}.deviations);
  EXPECT_TRUE(detection.mfu.restart);
  EXPECT_EQ(detection.flap.quarantine, FlapConstants{}.quarantine);
  EXPECT_THAT(problems_of(load_text(kSmall + "[detection.learned_hang]\nmultiple = 1.0\n")),
              HasSubstr("detection.learned_hang.multiple = 1.0 is not above 1"));
}

TEST(Detection, ProbesKnowTheirGroups) {
  const PolicyConstants policies =
      policies_of(kSmall + "[probes.pairs]\ntime = \"1min\"\ngroup = 2\n[probes.stress]\ntime = \"5min\"\n");
  EXPECT_THAT(policies.diagnosis.suite, ElementsAre(SuiteProbe{ProbeId{0}, 2}, SuiteProbe{ProbeId{1}, 1}));
}

// --- what cannot work --------------------------------------------------------------------------------------------------

TEST(Detection, CannotDoWithoutTheSignalsThatItWatches) {
  const std::string signals = "[telemetry]\nsignals = [\"heartbeat\", \"step\"]\n";
  EXPECT_THAT(policies_of(kSmall + signals).names.detect, ElementsAre("heartbeat", "hang", "mfu"));
  EXPECT_EQ(
      problems_of(load_text(kSmall + signals + "[policies]\ndetect = [\"heartbeat\", \"fail-slow\"]\n")),
      "test.toml:22:10: policies.detect = [\"heartbeat\", \"fail-slow\"] needs the signals \"forward_time\" "
      "and "
      "\"backward_time\", which telemetry.signals does not have: the detector \"fail-slow\"; add them to "
      "telemetry.signals, or leave "
      "the detector \"fail-slow\" out\n");
  EXPECT_THAT(problems_of(load_text(kSmall + "[telemetry]\nsignals = [\"heartbeat\"]\n[policies]\ndetect = "
                                             "[\"fail-slow\", \"hang\", \"heartbeat\", \"mfu\"]\n")),
              HasSubstr("needs the signals \"forward_time\", \"backward_time\" and \"step\", which "
                        "telemetry.signals does not have: the detectors \"fail-slow\", \"hang\" and \"mfu\"; "
                        "add them"));
  EXPECT_THAT(problems_of(load_text(kSmall + signals + "[policies]\ndiagnose = \"localise\"\n")),
              HasSubstr("needs the signal \"last_collective\""));
  EXPECT_THAT(problems_of(load_text(kSmall + "[telemetry]\nsignals = [\"heartbeats\"]\n")),
              HasSubstr("is not a signal; did you mean \"heartbeat\"?"));
}

TEST(Detection, DoesNotTakeACheckpointForAHang) {
  const std::string slow =
      with(kSmall, "free = true", "free = true\nstall = \"15min\"\npersist = \"1min\"\nload = \"1min\"");
  EXPECT_THAT(problems_of(load_text(slow)),
              HasSubstr("detection.hang_timeout = \"10min\", by default, is not above a step and "
                        "the stall of a checkpoint together"));
  EXPECT_EQ(problems_of(load_text(slow, {"policies.detect=[\"heartbeat\"]"})), "");
}

// The published lesson: a stall that outlasts the collective timeout is a crash.
TEST(Detection, WarnsOfACollectiveTimeoutShorterThanAStall) {
  const std::string flap =
      "[faults.flap]\ncomponent = \"nic\"\neffect = \"stall\"\nheals_after = \"20s\"\nremedy = "
      "\"restart\"\nmtbf = \"9d\"\n";
  EXPECT_THAT(warnings_of(kSmall + flap), IsEmpty());
  const auto with_timeout = [](const std::string& fault, const std::string& timeout) {
    return warnings_of(kSmall + fault + "[detection]\ncollective_timeout = \"" + timeout + "\"\n");
  };
  EXPECT_THAT(
      with_timeout(flap, "10s"),
      ElementsAre(
          "test.toml:26:22: detection.collective_timeout = \"10s\" is outlasted by 100% of the stalls of "
          "faults.flap, which last 20s on average; ranks give up before those heal, and they become "
          "crashes; 99% are shorter than \"21s\""));
  EXPECT_THAT(with_timeout(flap, "20s"), SizeIs(1));  // a wait of just the timeout is too long
  EXPECT_THAT(with_timeout(flap, "21s"), IsEmpty());
  // The mean says nothing of the long ones: exp(-60/20) = 5%, and 20 s x log(100) = 92.1 s.
  const std::string varied = with(flap, "\"20s\"", "{ name = \"exponential\", mean = \"20s\" }");
  EXPECT_THAT(with_timeout(varied, "60s"), ElementsAre(HasSubstr("is outlasted by 5% of the stalls")));
  EXPECT_THAT(with_timeout(varied, "60s"), ElementsAre(HasSubstr("99% are shorter than \"1min33s\"")));
  EXPECT_THAT(with_timeout(varied, "93s"), IsEmpty());
}

// With four hosts of a stage fail-slow says nothing, and with five it asks them: what is warned of is what happens.
TEST(Detection, WarnsWhereAHostHasTooFewPeers) {
  const std::string slow =
      "[faults.slow]\ncomponent = \"host\"\neffect = \"slow\"\nfactor = 1.1\nremedy = \"restart\"\nmtbf = "
      "\"9d\"\n";
  for (const int hosts : {4, 5}) {
    std::string text = with(kSmall, "hosts = 2", "hosts = " + std::to_string(2 * hosts)) + slow;
    text = with(with(text, "dp = 4", "dp = " + std::to_string(2 * hosts)), "tp = 4", "tp = 4\npp = 2");
    text = with(text, "global_batch = 16", "global_batch = " + std::to_string(16 * hosts));
    const std::string detect = "[policies]\ndetect = [\"fail-slow\"]\n";
    const LoadedScenario loaded = load_text(text + detect);
    ASSERT_TRUE(loaded.scenario) << problems_of(loaded);
    EXPECT_EQ(loaded.warnings.size(), hosts == 4 ? 1U : 0U);
    EXPECT_EQ(warnings_of(text).size(), hosts == 4 ? 1U : 0U) << "the detectors by default";
    if (hosts == 4) {
      EXPECT_THAT(
          loaded.warnings.front().text(),
          HasSubstr("compares the hosts of a pipeline stage, five or more, and 2 of 2 stages have fewer "
                    "(as few as 4); a host that is slow there is not found"));
    }
    const Scenario& scenario = *loaded.scenario;
    Watching<FailSlowDetector> detector(scenario.policies.detection, scenario.world.inventory);
    detector.at_start();
    EXPECT_EQ(detector.job_begins().empty(), hosts == 4);
  }
  // Nobody asked for the detector, and nobody is slow.
  EXPECT_THAT(warnings_of(kSmall), IsEmpty());
}

TEST(Detection, WarnsOfDetectorsThatWatchTheSame) {
  EXPECT_THAT(warnings_of(kSmall + "[policies]\ndetect = [\"learned-hang\", \"hang\"]\n"),
              ElementsAre(HasSubstr("has both \"hang\" and \"learned-hang\", which watch the same silence of "
                                    "steps; the shorter timeout stops the job")));
  EXPECT_THAT(warnings_of(kSmall + "[policies]\ndetect = [\"learned-hang\", \"heartbeat\"]\n"), IsEmpty());
}

TEST(Detection, WarnsOfABandThatNoiseLeaves) {
  EXPECT_THAT(warnings_of(kSmall + "[telemetry]\nnoise = 0.04\n"),
              ElementsAre(HasSubstr(
                  "detection.fail_slow.least_excess = 0.05, by default, is not above twice the noise")));
}

// --- telemetry and people ----------------------------------------------------------------------------------------------

TEST(Telemetry, SaysWhatAgentsSend) {
  const LoadedScenario loaded = load_text(kSmall + R"(
[telemetry]
delay = "2s"
clock_error = "5ms"
noise = 0.01
traffic_interval = "10s"
blip_mtbf = "30d"
blip_factor = 2.0
blip_duration = "1min"
abort_hop = "500ms"
signals = ["heartbeat", "loss"]
[people]
notice = "1h"
)");
  ASSERT_EQ(problems_of(loaded), "");
  const Telemetry& telemetry = loaded.scenario->world.telemetry;
  EXPECT_EQ(telemetry.delay, 2s);
  EXPECT_EQ(telemetry.clock_error, 5ms);
  EXPECT_EQ(telemetry.noise, 0.01);
  EXPECT_EQ(telemetry.traffic_interval, 10s);
  EXPECT_EQ(telemetry.blip_mtbf, 720h);
  EXPECT_EQ(telemetry.blip_factor, 2);
  EXPECT_DOUBLE_EQ(telemetry.blip_duration.mean(), 60);
  EXPECT_EQ(telemetry.abort_hop, 500ms);
  EXPECT_TRUE(telemetry.carries[static_cast<std::size_t>(Signal::loss)]);
  EXPECT_FALSE(telemetry.carries[static_cast<std::size_t>(Signal::step)]);
  EXPECT_EQ(loaded.scenario->world.people.notice, Law::constant(3600));
}

}  // namespace
}  // namespace gauntlet
