// Agents that are there and say nothing (SIGSTOP), at each kind of order: the driver goes on without them.
#include "tests/real/cluster_harness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// What is written there while it lives, or until it is taken.
class StandardError {
 public:
  StandardError() { testing::internal::CaptureStderr(); }
  ~StandardError() {
    if (!taken_) take();
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;
  std::string take() {
    taken_ = true;
    return testing::internal::GetCapturedStderr();
  }

 private:
  bool taken_ = false;
};

struct SilentAgents : RealClusters {
  SilentAgents() {
    world.probes = {{.name = "host_check", .time = 100ms, .false_positive = {0}, .detects = {}, .source = ""}};
    world.faults.resize(1);
    world.faults[0].component = ComponentKind::gpu;
    world.faults[0].effect = Effect::hang;  // SIGSTOP of a rank
    world.faults[0].remedy = Remedy::restart;
  }

  /// A healthy agent answers in milliseconds; the silent one is given up after this.
  DrillSetup setup(std::uint64_t epoch) const override {
    DrillSetup setup = RealClusters::setup(epoch);
    setup.answers_within = 2s;
    setup.plan = plan;
    return setup;
  }

  Outcome outcome_of(RealCluster& cluster, std::uint64_t order) const {
    while (true) {
      const auto outcome = await<Outcome>(cluster);
      if (outcome.order == OrderId{order}) return outcome;
    }
  }
  Outcome obey(RealCluster& cluster, const Action& what) {
    cluster.start({OrderId{++last_order}, what});
    return outcome_of(cluster, last_order);
  }
  /// Reads on until the ranks have been started on every host.
  void await_processes(RealCluster& cluster) const {
    const auto said = [&](std::uint32_t rank) {
      const auto& raw = cluster.raw_progress().entries();
      return std::any_of(raw.begin(), raw.end(), [&](const RawProgress::Entry& each) {
        return each.rank == rank && each.line.pattern == "pid";
      });
    };
    hear_until(cluster, [&] { return said(0) && said(1); });
  }
  /// Whatever is observed meanwhile.
  static void hear_until(RealCluster& cluster, const std::function<bool()>& holds) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (Time until = kStart; !holds(); until += 10ms) {
      if (std::chrono::steady_clock::now() > deadline)
        throw std::runtime_error("what was awaited did not come");
      cluster.next(until);
    }
  }
  Outcome start_ranks(RealCluster& cluster) {
    // Beside the driver: its order reaches a rank once the agent attends, and the rank is awaited there.
    std::thread ranks([this] {
      for (const std::uint32_t rank : {0u, 1u}) trainer.say(rank, "5 up 0");
    });
    cluster.start({OrderId{++last_order}, Start{JobId{0}, 10min}});
    const Outcome outcome = outcome_of(cluster, last_order);
    ranks.join();
    return outcome;
  }
  /// The lost host has another agent, which obeys.
  void expect_recovers(RealCluster& cluster, const Descriptor& old) {
    StandardError said;  // it is not lost once more
    EXPECT_EQ(obey(cluster, Stop{JobId{0}}).status, Status::done);
    EXPECT_EQ(start_ranks(cluster).status, Status::done);
    EXPECT_TRUE(has_ended(old));
    EXPECT_THAT(said.take(), testing::Not(HasSubstr("counts as lost")));
  }

  FaultPlan plan;
  const Record nothing;
  std::uint64_t last_order = 0;
};

TEST_F(SilentAgents, AStopGoesOnWithoutIt) {
  RealCluster cluster(world, setup(1), nothing, platform);
  obey(cluster, Watch{.id = WatchId{1},
                      .signal = Signal::heartbeat,
                      .who = Scope::all(ComponentKind::host),
                      .until = Silence{10min}});  // stands for the next agent too
  ASSERT_EQ(start_ranks(cluster).status, Status::done);
  const Descriptor silent = stop_agent_of(1);
  StandardError said;
  EXPECT_EQ(obey(cluster, Stop{JobId{0}}).status, Status::done);
  EXPECT_THAT(said.take(),
              HasSubstr("host 1 has not answered the order to stop its ranks within 2s; it counts as lost"));
  expect_recovers(cluster, silent);
}

TEST_F(SilentAgents, AStartFails) {
  RealCluster cluster(world, setup(1), nothing, platform);
  const Descriptor silent = stop_agent_of(1);
  StandardError said;
  EXPECT_EQ(obey(cluster, Start{JobId{0}, 10min}).status, Status::failed);
  EXPECT_THAT(said.take(), HasSubstr("host 1 has not answered the order to start its ranks within 2s"));
  expect_recovers(cluster, silent);
}

TEST_F(SilentAgents, AStartThatAStopOvertakesFails) {
  RealCluster cluster(world, setup(1), nothing, platform);
  const std::uint64_t starting = ++last_order, stopping = ++last_order;
  cluster.start({OrderId{starting}, Start{JobId{0}, 10min}});
  await_processes(cluster);
  cluster.start({OrderId{stopping}, Stop{JobId{0}}});
  EXPECT_EQ(outcome_of(cluster, starting).status, Status::failed);
  EXPECT_EQ(outcome_of(cluster, stopping).status, Status::done);
  EXPECT_EQ(start_ranks(cluster).status, Status::done);
}

TEST_F(SilentAgents, AStartWhoseRanksAreNotHeardFails) {
  RealCluster cluster(world, setup(1), nothing, platform);
  cluster.start({OrderId{++last_order}, Start{JobId{0}, 100ms}});
  await_processes(cluster);
  const Descriptor silent = stop_agent_of(1);
  trainer.say(0, "5 up 0");
  StandardError said;
  EXPECT_EQ(outcome_of(cluster, last_order).status, Status::failed);
  EXPECT_THAT(said.take(), HasSubstr("host 1 has not brought its ranks up within 2.1s"));
  expect_recovers(cluster, silent);
}

TEST_F(SilentAgents, AProbeFindsIt) {
  RealCluster cluster(world, setup(1), nothing, platform);
  const Descriptor silent = stop_agent_of(1);
  StandardError said;
  const Outcome outcome = obey(cluster, Probe{ProbeId{0}, Scope::hosts_of(JobId{0}), WatchId{1}});
  EXPECT_THAT(said.take(), HasSubstr("host 1 has not answered the order to run a probe within 3s"));
  EXPECT_EQ(outcome.status, Status::done);
  const auto& found = std::get<Probed>(outcome.result);
  EXPECT_EQ(found.component, component(HostId{1}));
  EXPECT_EQ(found.verdict, Verdict::faulty);
  expect_recovers(cluster, silent);
}

TEST_F(SilentAgents, AnEvictionEndsItAndNoOtherHostSeemsSilentMeanwhile) {
  RealCluster cluster(world, setup(1), nothing, platform);
  obey(cluster, Watch{.id = WatchId{1},
                      .signal = Signal::heartbeat,
                      .who = Scope::all(ComponentKind::host),
                      .until = Silence{1s}});
  const Descriptor silent = stop_agent_of(1);
  StandardError said;
  cluster.start(
      {OrderId{++last_order}, Evict{HostId{1}}});  // waits for it to quit, and hears nobody meanwhile
  EXPECT_THAT(said.take(), HasSubstr("agent of host 1 did not quit within 2s"));
  while (const std::optional<Observed> observed = cluster.next(kStart)) {
    const auto* seen = std::get_if<Seen>(&observed->what);
    EXPECT_TRUE(seen == nullptr || seen->who != component(HostId{0})) << "it beat all the time";
  }
  EXPECT_TRUE(has_ended(silent));
}

TEST_F(SilentAgents, AnEvictionEndsTheWaitOfAStop) {
  RealCluster cluster(world, setup(1), nothing, platform);
  ASSERT_EQ(start_ranks(cluster).status, Status::done);
  const Descriptor silent = stop_agent_of(1);
  const std::uint64_t stop = ++last_order, evict = ++last_order;
  cluster.start({OrderId{stop}, Stop{JobId{0}}});
  cluster.start({OrderId{evict}, Evict{HostId{1}}});
  EXPECT_EQ(outcome_of(cluster, evict).status, Status::done);
  EXPECT_EQ(outcome_of(cluster, stop).status, Status::done);
  EXPECT_TRUE(has_ended(silent));
}

TEST_F(SilentAgents, OrdersThatNoAgentHearsAreAnsweredAtOnce) {
  RealCluster cluster(world, setup(1), nothing, platform);
  const Descriptor silent = stop_agent_of(1);
  EXPECT_EQ(obey(cluster, CheckpointEvery{JobId{0}, 1min}).status, Status::done);
  EXPECT_EQ(obey(cluster, Checkpoint{JobId{0}}).status, Status::failed);
  EXPECT_EQ(obey(cluster, Unwatch{WatchId{1}}).status, Status::done);
}

// The others have said that they are done with the last step: this one never will.
TEST_F(SilentAgents, TheEndOfTheJobIsNotWaitedForForEver) {
  RealCluster cluster(world, setup(1), nothing, platform);
  obey(cluster, Watch{.id = WatchId{1},
                      .signal = Signal::process_exit,
                      .who = Scope::all(ComponentKind::host),
                      .until = Match{}});
  cluster.start({OrderId{++last_order}, Start{JobId{0}, 100ms}});
  for (const std::uint32_t rank : {0u, 1u}) trainer.say(rank, "5 up 0");
  ASSERT_EQ(outcome_of(cluster, last_order).status, Status::done);
  const Descriptor silent = stop_agent_of(1);
  trainer.say(0, "6 finished 3 0123456789abcdef");
  trainer.leave(0, 0);  // it counts once the process has ended well
  StandardError said;
  EXPECT_EQ(await<Seen>(cluster).who, component(HostId{1}));
  EXPECT_THAT(said.take(), HasSubstr("host 1 has not reported the end of its ranks within 2.1s"));
  expect_recovers(cluster, silent);
}

TEST_F(SilentAgents, OneThatDoesNotEvenBeginIsGivenUp) {
  const BlockedAgent agent(directory.name());
  DrillSetup broken = setup(1);
  broken.answers_within = 100ms;
  LocalPlatform platform(agent.program(), trainer.program());
  try {
    RealCluster cluster(world, broken, nothing, platform);
    ADD_FAILURE() << "it began";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the agent of host 0 does not answer"));
  }
}

// --- asked to stop ----------------------------------------------------------------------------------------------------

/// What a driver that is asked to stop may take beyond the moment, on a busy machine: a tenth of what it would wait for agents.
constexpr auto kAtOnce = 5s;

struct StoppedDrivers : SilentAgents {
  DrillSetup setup(std::uint64_t epoch) const override {
    DrillSetup setup = SilentAgents::setup(epoch);
    setup.answers_within = 10 * kAtOnce;
    setup.stop = &stop;
    return setup;
  }
  std::atomic<bool> stop = false;
};

TEST_F(StoppedDrivers, AnAgentThatDoesNotBeginIsNotAwaited) {
  BlockedAgent agent(directory.name());
  LocalPlatform blocked(agent.program(), trainer.program());
  std::chrono::steady_clock::time_point asked;
  std::thread asks([&] {
    agent.await_begun();
    asked = std::chrono::steady_clock::now();
    stop = true;
  });
  EXPECT_THROW(RealCluster(world, setup(1), nothing, blocked), Interrupted);
  const auto left = std::chrono::steady_clock::now();
  asks.join();
  EXPECT_LT(left - asked, kAtOnce);
  EXPECT_TRUE(agent.is_gone());
}

// It has its place, and does not attend: the second part of a launch.
TEST_F(StoppedDrivers, AnAgentThatDoesNotAnswerIsNotAwaited) {
  const AgentProcess agent(agent_command(0), directory.file("agent-0.log"));
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (::access(socket(0).c_str(), F_OK) != 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(5ms);
  const Descriptor silent = stop_agent_of(0);
  Record so_far;
  so_far.observations.push_back({kStart, Started{JobId{0}, world.inventory}});
  stop = true;
  const auto asked = std::chrono::steady_clock::now();
  EXPECT_THROW(RealCluster(world, setup(2), so_far, platform), Interrupted);
  EXPECT_LT(std::chrono::steady_clock::now() - asked, kAtOnce);  // without: it is given another agent
}

TEST_F(StoppedDrivers, SilentAgentsAreEndedTogetherAndAtOnce) {
  std::vector<Descriptor> silent;
  std::chrono::steady_clock::time_point asked;
  {
    RealCluster cluster(world, setup(1), nothing, platform);
    for (const std::uint32_t host : {0u, 1u}) silent.push_back(stop_agent_of(host));
    asked = std::chrono::steady_clock::now();
    stop = true;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - asked, kAtOnce);  // without: as long for each
  for (const Descriptor& each : silent) EXPECT_TRUE(has_ended(each));
}

// --- injections, and what became of them ------------------------------------------------------------------------------

struct InterruptedInjections : SilentAgents {
  InterruptedInjections() {
    plan.push_back({.at = kStart, .kind = FaultKindId{0}, .component = {ComponentKind::gpu, 1}});
    for (const std::uint32_t host : {0u, 1u}) {
      agents.emplace_back(agent_command(host, true),
                          directory.file("agent-" + std::to_string(host) + ".log"));
    }
    // As an earlier driver left it: the ranks are up, and the journal says that the injection was begun.
    std::ofstream(directory.file("journal")) << "0 armed 0\n1 began 0\n";
    so_far.observations.push_back({kStart, Started{JobId{0}, world.inventory}});
    so_far.orders.push_back({kStart, 1, {OrderId{1}, Start{JobId{0}, 10min}}});
    so_far.observations.push_back(
        {kStart, Outcome{.order = OrderId{1}, .status = Status::done, .took = {}, .result = Loaded{0}}});
    last_order = 1;
  }

  /// The earlier driver; it leaves before it writes down what it heard.
  void earlier_driver(bool injects) {
    for (const std::uint32_t host : {0u, 1u}) {
      DriverUnderTest driver(socket(host), 1, {.started_ns = started_ns});
      driver.attend();
      driver.link.start_ranks(OrderId{1}, 1, {host}, {});
      driver.await_done(1);
      if (!injects || host == 0) continue;
      driver.link.send(DriverInject{.injection = 0, .kind = InjectionKind::stop, .target = 1});
      done_at = driver.await<AgentInjected>().at_ns;
    }
  }
  /// The one entry that says what became of it, once it is there.
  static JournalEntry answer(RealCluster& cluster) {
    hear_until(cluster, [&] { return cluster.journal().answered(0); });
    std::vector<JournalEntry> found;
    for (const JournalEntry& each : cluster.journal().entries()) {
      if (each.step == JournalStep::observed || each.step == JournalStep::missed) found.push_back(each);
    }
    EXPECT_EQ(found.size(), 1U);
    return found.at(0);
  }

  std::int64_t done_at = 0;
  std::vector<AgentProcess> agents;
  Record so_far;
};

TEST_F(InterruptedInjections, WhatReachedARankIsCountedByTheNextDriver) {
  earlier_driver(true);
  RealCluster cluster(world, setup(2), so_far, platform);
  const JournalEntry found = answer(cluster);
  EXPECT_EQ(found.step, JournalStep::observed);
  EXPECT_EQ(found.at, kStart + Duration(done_at - started_ns))
      << "when it was done, and not when it was asked";
}

TEST_F(InterruptedInjections, WhatNoAgentWasToldIsDoneByTheNextDriver) {
  earlier_driver(false);
  RealCluster cluster(world, setup(2), so_far, platform);
  EXPECT_EQ(answer(cluster).step, JournalStep::observed);
}

TEST_F(InterruptedInjections, WhatASilentAgentWasToldIsMissed) {
  earlier_driver(false);
  const Descriptor silent = stop_agent_of(1);
  RealCluster cluster(world, setup(2), so_far,
                      platform);  // gives that host another agent, which has no ranks
  EXPECT_EQ(answer(cluster).step, JournalStep::missed);
}

}  // namespace
}  // namespace gauntlet
