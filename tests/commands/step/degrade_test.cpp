// What --degrade may say, what state of the cluster comes of it, and what is said of mistakes.
#include "commands/step/degrade.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// 16 hosts and a spare, 4 under a ToR switch of each rail.
World sixteen_hosts() {
  World world;
  world.inventory.job_hosts = 16;
  world.inventory.spares = 1;
  world.inventory.hosts_per_tor = 4;
  world.hardware.nic = Bandwidth{50e9};
  world.hardware.nvlink = Bandwidth{900e9};
  world.hardware.pcie = Bandwidth{50e9};
  return world;
}

ClusterState state_of(const std::vector<std::string>& said, Switches switches = Switches::unknown) {
  const World world = sixteen_hosts();
  const Degraded degraded = parse_degrade(said, world, switches);
  for (const Problem& problem : degraded.problems) ADD_FAILURE() << problem.text();
  return degraded.state;
}

std::string complaint(const std::vector<std::string>& said, Switches switches = Switches::unknown) {
  const World world = sixteen_hosts();
  const Degraded degraded = parse_degrade(said, world, switches);
  EXPECT_EQ(degraded.problems.size(), 1U) << testing::PrintToString(said);
  return degraded.problems.empty() ? "" : degraded.problems.front().text();
}

TEST(Degrade, SegmentsOfOneComponentAreOneSeat) {
  const ClusterState state = state_of({"host:9.slow.forward=1.5", "host:7.slow=1.10",
                                       "host:9.slow.optimizer=3", "host:9.gpu:3.slow.backward=2"});
  EXPECT_THAT(state.slow, ElementsAre(SlowSeat{7, kWholeHost, {1.1, 1.1, 1.1}}, SlowSeat{9, 3, {1, 2, 1}},
                                      SlowSeat{9, kWholeHost, {1.5, 1, 3}}));
}

TEST(Degrade, EveryKindHasItsPlaceInTheState) {
  const ClusterState state =
      state_of({"host:3.stall=2s", "host:1.gpu:7.stall=500ms", "host:5.nic:2.degrade=4",
                "host:4.nic.degrade=2", "tor:31.degrade=8", "spine:0.degrade=2", "jitter=0.02"},
               Switches::modelled);
  EXPECT_THAT(state.stalled, ElementsAre(StalledSeat{1, 7, 0, 0.5}, StalledSeat{3, kWholeHost, 0, 2.0}));
  EXPECT_THAT(state.network.nics, ElementsAre(DegradedNic{4, kAllNics, 4 / 2.0}, DegradedNic{5, 2, 4}));
  EXPECT_THAT(state.network.switches,
              ElementsAre(DegradedSwitch{SwitchKind::tor, 31, 8}, DegradedSwitch{SwitchKind::spine, 0, 2}));
  EXPECT_EQ(state.jitter, 0.02);
}

// Data-parallel rings of two NICs in a host carry on with one.
TEST(Degrade, ALostNicLeavesTheOthers) {
  World world = sixteen_hosts();
  world.job.layout = {.tp = 4, .dp = 32};
  const std::vector<std::string> one = {"host:1.nic:2.degrade=lost"},
                                 both = {"host:1.nic:2.degrade=lost", "host:1.nic:6.degrade=lost"};
  EXPECT_THAT(parse_degrade(one, world, Switches::unknown).state.network.nics,
              ElementsAre(DegradedNic{1, 2, kLost}));
  const Degraded stopped = parse_degrade(both, world, Switches::unknown);
  ASSERT_EQ(stopped.problems.size(), 1U);
  EXPECT_THAT(stopped.problems[0].text(),
              HasSubstr("host:1.nic:6.degrade=lost leaves a communicator without a NIC"));
  EXPECT_THAT(complaint({"tor:3.degrade=lost"}, Switches::modelled), HasSubstr("only a NIC can be lost"));
}

TEST(Degrade, TheOrderInWhichItIsSaidDoesNotMatter) {
  const std::vector<std::string> said = {"host:3.slow=1.2", "host:1.slow=1.1", "host:2.nic:1.degrade=2",
                                         "host:2.nic:0.degrade=2"};
  EXPECT_EQ(state_of(said), state_of({said.rbegin(), said.rend()}));
}

TEST(Degrade, AFactorOfOneIsHealthy) {
  const World world = sixteen_hosts();
  const std::vector<std::string> said = {"host:3.slow=1", "host:3.nic.degrade=1.0"};
  const Degraded degraded = parse_degrade(said, world, Switches::unknown);
  EXPECT_TRUE(degraded.state.healthy());
  EXPECT_THAT(degraded.parts, IsEmpty());
  EXPECT_THAT(degraded.problems, IsEmpty());
}

TEST(Degrade, SaysWhatIsWrongAndWhatWouldWork) {
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"host:17.slow=1.10", "names host 17 of 16; hosts are 0 to 15"},
      {"host:16.slow=1.10", "names host 16, a spare; the job's hosts are 0 to 15"},
      {"host:-1.slow=1.10", "has \"-1\", which is the number of no host"},
      {"host:99999999999.slow=1.10", "which is the number of no host"},
      {"host.slow=1.10", "does not say which host; hosts are 0 to 15: write host:0"},
      {"hots:3.slow=1.10", "did you mean \"host\"?"},
      {"host:3.slwo=1.10", "has \"slwo\" after \"host\"; did you mean \"slow\"?"},
      {"host:3.slow.fwd=1.10", "known are \"forward\", \"backward\", \"optimizer\""},
      {"host:3.gpu:8.slow=1.10", "names gpu 8 of 8; gpus of a host are 0 to 7"},
      {"host:3.nic:8.degrade=2", "nics of a host are 0 to 7"},
      {"host:3.gpu:1.degrade=2", "has \"degrade\" after \"gpu\""},
      {"host:3", "names nothing after \"host\""},
      {"", "names nothing"},
      {"host:3.slow", "has no value"},
      {"host:3.slow.forward.backward=2", "has \"backward\" too many"},
      {"host:3.slow:1=2", "has a number after \"slow\""},
      {"host:3.slow=0.9", "is better than healthy; write a factor from 1 to 1000"},
      {"host:3.slow=nan", "is not a slow part"},
      {"host:3.slow=1e9", "is not a slow part but a broken one"},
      {"host:3.slow=1.1x", "has \"1.1x\", which is not a plain number"},
      {"host:3.slow=10%", "is a percentage; the factor is 1.1"},
      {"host:3.stall=2", "has no unit"},
      {"host:3.stall=0s", "is not a stall within a step"},
      {"host:3.stall=-2s", "host:3.stall=-2s"},
      {"jitter=2", "is not a relative standard deviation"},
      {"tor:1.degrade=2", "choose --network max-min or --network simgrid"},
  };
  for (const auto& [said, answer] : mistakes) EXPECT_THAT(complaint({said}), HasSubstr(answer)) << said;
  EXPECT_THAT(complaint({"tor:40.degrade=2"}, Switches::modelled),
              HasSubstr("names tor 40 of 40; tors are 0 to 39"));
}

TEST(Degrade, NothingIsSaidTwice) {
  EXPECT_THAT(complaint({"host:3.slow=1.1", "host:3.slow.forward=1.2"}),
              HasSubstr("host:3.slow.forward=1.2 says again what host:3.slow=1.1 says"));
  EXPECT_THAT(complaint({"host:3.nic:2.degrade=2", "host:3.nic.degrade=4"}),
              HasSubstr("says again what host:3.nic:2.degrade=2 says"));
  EXPECT_THAT(complaint({"jitter=0.1", "jitter=0.1"}), HasSubstr("says again"));
  EXPECT_THAT(complaint({"host:3.stall=1s", "host:3.stall=1s"}), HasSubstr("says again"));
}

TEST(Degrade, EveryMistakeIsNamedAtOnce) {
  const World world = sixteen_hosts();
  const std::vector<std::string> said = {"host:17.slow=1.1", "host:3.slow=1.1", "rack:1.slow=2"};
  EXPECT_EQ(parse_degrade(said, world, Switches::unknown).problems.size(), 2U);
}

}  // namespace
}  // namespace gauntlet
