// The driver's cluster over agents of this test's own, with no controller above it.
#include "real/driver/drill_place.hpp"
#include "tests/real/cluster_harness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

TEST_F(RealClusters, ADriverThatWasSupersededStopsAndLeavesTheAgentsAlone) {
  const Record nothing;
  DriverUnderTest later(socket(0), 5, {.started_ns = started_ns});
  {
    RealCluster cluster(world, setup(2), nothing, platform);
    await<Started>(cluster);
    later.attend();
    EXPECT_THROW(await<Finished>(cluster), Superseded);
  }
  later.await<AgentHeartbeat>();
  DriverUnderTest other(socket(1), 5, {.started_ns = started_ns});
  other.attend();  // host 1 had not been taken over, and its agent lives as well
  for (DriverUnderTest* driver : {&later, &other}) {
    driver->link.quit();
    driver->await_loss();
  }
}

TEST_F(RealClusters, ADriverThatComesTooLateStopsAndLeavesTheAgentsAlone) {
  AgentProcess agent(agent_command(0), directory.file("agent.log"));
  DriverUnderTest later(socket(0), 5, {.started_ns = started_ns});
  later.attend();
  Record so_far;
  so_far.observations.push_back({kStart, Started{JobId{0}, world.inventory}});
  EXPECT_THROW(RealCluster(world, setup(2), so_far, platform), Superseded);
  later.await<AgentHeartbeat>();
}

// Its agents are gone, and with them what they remember.
TEST_F(RealClusters, ADriverThatComesTooLateStartsNoAgent) {
  write_epoch(directory.name(), 5);
  const Record nothing;
  EXPECT_THROW(RealCluster(world, setup(2), nothing, platform), Superseded);
  EXPECT_FALSE(agent_process(directory.name(), 0));
  EXPECT_EQ(newest_epoch(directory.name()), 5U);
}

// A process that is stopped answers no farewell and no SIGTERM: only who waits for it itself knows that it is still there.
struct TakenOver : RealClusters {
  TakenOver() {
    for (const std::uint32_t host : {0u, 1u})
      agents.emplace_back(agent_command(host), directory.file("agent-" + std::to_string(host) + ".log"));
    for (const std::uint32_t host : {0u, 1u})
      DriverUnderTest(socket(host), 1, {.started_ns = started_ns}).attend();
    so_far.observations.push_back({kStart, Started{JobId{0}, world.inventory}});
  }
  std::vector<AgentProcess> agents;
  Record so_far;
};

TEST_F(TakenOver, AgentsAreGoneWithTheDriver) {
  {
    RealCluster cluster(world, setup(2), so_far, platform);
    stop_agent_of(1);
  }
  EXPECT_TRUE(agents[0].exits_within(0s));
  EXPECT_TRUE(agents[1].exits_within(0s));
}

TEST_F(TakenOver, AnAgentThatDoesNotAnswerMakesPlaceForAnother) {
  stop_agent_of(1);
  {
    RealCluster cluster(world, setup(2), so_far, platform);
    EXPECT_TRUE(agents[1].exits_within(0s));
    EXPECT_FALSE(agents[0].exits_within(0s));
    EXPECT_TRUE(agent_process(directory.name(), 1));
  }
  EXPECT_FALSE(agent_process(directory.name(), 0));
  EXPECT_FALSE(agent_process(directory.name(), 1));
}

TEST_F(RealClusters, OrdersThatATakeoverFindsOpenAreAnsweredOnce) {
  Record so_far;
  so_far.observations.push_back({kStart, Started{JobId{0}, world.inventory}});
  const auto ordered = [&](std::uint64_t id, const Action& what) {
    const auto heard = static_cast<std::uint32_t>(so_far.observations.size());
    so_far.orders.push_back({kStart, heard, {OrderId{id}, what}});
  };
  const auto answered = [&](std::uint64_t id, Status status) {
    so_far.observations.push_back(
        {kStart, Outcome{.order = OrderId{id}, .status = status, .took = {}, .result = {}}});
  };
  // Host 0 was evicted, and the driver knew it. Whether host 1 was, it did not live to write down.
  const Watch watch{.id = WatchId{1},
                    .signal = Signal::process_exit,
                    .who = Scope::all(ComponentKind::host),
                    .until = Match{}};
  ordered(1, Evict{HostId{0}});
  answered(1, Status::done);
  ordered(2, watch);
  ordered(3, Evict{HostId{1}});
  ordered(4, Readmit{HostId{0}});  // refused: it is in repair, or just being repaired
  ordered(5, Wake{kStart});
  ordered(6, Cancel{OrderId{5}});
  ordered(7, Start{JobId{0}, 10s});  // refused: slots are empty

  world.repair.time = Law::constant(0);
  RealCluster cluster(world, setup(2), so_far, platform);
  cluster.start({OrderId{8}, Alert{JobId{0}, component(HostId{0})}});  // the last outcome to come
  std::map<std::uint64_t, std::vector<Status>> outcomes;
  while (outcomes.count(8) == 0) {
    const Outcome outcome = await<Outcome>(cluster);
    outcomes[outcome.order.value].push_back(outcome.status);
  }
  using Answers = std::map<std::uint64_t, std::vector<Status>>;
  EXPECT_EQ(outcomes, (Answers{{2, {Status::done}},
                               {3, {Status::done}},
                               {4, {Status::failed}},
                               {5, {Status::cancelled}},
                               {6, {Status::done}},
                               {7, {Status::failed}},
                               {8, {Status::done}}}));
  // Their agents are started together, and either may attend first.
  std::set<std::uint32_t> returned;
  for (int host = 0; host < 2; ++host) returned.insert(await<HostReturned>(cluster).host.value);
  EXPECT_EQ(returned, (std::set<std::uint32_t>{0, 1}));
}

TEST_F(RealClusters, AJobThatMakesNoProgressIsGivenUp) {
  world.job.give_up_after = 1ms;
  const Record nothing;
  RealCluster cluster(world, setup(1), nothing, platform);
  EXPECT_EQ(await<Finished>(cluster).ending, Ending::gave_up);
}

TEST_F(RealClusters, HostsAreKnownByThePodsThatTheirAgentsRunIn) {
  const Variable ip("POD_IP", "10.244.1.7"), name("POD_NAME", "worker-7");
  world.probes = {{.name = "host_check", .time = 1s, .false_positive = {0}, .detects = {}, .source = ""}};
  const Record nothing;
  RealCluster cluster(world, setup(1), nothing, platform);
  cluster.start({OrderId{1}, Probe{ProbeId{0}, Scope::hosts_of(JobId{0}), WatchId{1}}});
  await<Outcome>(cluster);  // what the agents said before their answers is heard
  const HostIdentity worker{.address = "10.244.1.7", .pod = "worker-7"};
  EXPECT_EQ(cluster.identities(), (std::vector<HostIdentity>{worker, worker}));
}

// No link keeps a line below 0, so both hosts of a pair that has measured fail.
TEST_F(RealClusters, TwoHostsMeasureTheLinkBetweenThem) {
  world.probes = {
      {.name = "tcp_loss", .time = 1s, .group = 2, .false_positive = {0}, .detects = {}, .source = ""}};
  DrillSetup of_links = setup(1);
  of_links.probes["tcp_loss"].threshold = {.at_most = -1};
  const Record nothing;
  RealCluster cluster(world, of_links, nothing, platform);
  cluster.start({OrderId{1}, Probe{ProbeId{0}, Scope::hosts_of(JobId{0}), WatchId{1}}});
  const auto found = std::get<Probed>(await<Outcome>(cluster).result);
  EXPECT_EQ(found.verdict, Verdict::faulty);
  EXPECT_EQ(found.value, 2);
}

TEST_F(RealClusters, AnAgentThatCannotBeStartedIsNamedWithWhatItSaid) {
  const std::string program = directory.file("no-agent");
  LocalPlatform broken(program, trainer.program());
  {
    std::ofstream script(program);
    script << "#!/bin/sh\necho the disk is on fire\n";
  }
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const Record nothing;
  try {
    RealCluster cluster(world, setup(1), nothing, broken);
    ADD_FAILURE() << "it began";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("agent of host 0"));
    EXPECT_THAT(error.what(), testing::HasSubstr("the disk is on fire"));
  }
}

}  // namespace
}  // namespace gauntlet
