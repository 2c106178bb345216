// Detection, telemetry and people: what a scenario can say of them, and what cannot work.
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
      "test.toml:22:10: policies.detect = [\"heartbeat\", \"fail-slow\"] needs the signal \"forward_time\", "
      "which "
      "telemetry.signals does not have: the detector \"fail-slow\"; add it to telemetry.signals, or leave "
      "the detector \"fail-slow\" out\n");
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
  EXPECT_THAT(
      warnings_of(kSmall + flap + "[detection]\ncollective_timeout = \"10s\"\n"),
      ElementsAre(
          "test.toml:26:22: detection.collective_timeout = \"10s\" is not above the 20s that a stall of "
          "faults.flap lasts on average; ranks give up before it heals, and stalls become crashes"));
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
