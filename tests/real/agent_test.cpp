// An agent as its driver meets it: a process behind a socket.
#include "real/agent/agent.hpp"

#include "real/agent/place.hpp"
#include "real/stream/listening.hpp"
#include "real/system/clock.hpp"
#include "tests/real/agent_harness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>
#include <variant>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kKilled = 128 + SIGKILL;

Order watch(WatchId id, Signal signal, ComponentKind kind, decltype(Watch::until) until) {
  return {OrderId{id.value}, Watch{.id = id, .signal = signal, .who = Scope::all(kind), .until = until}};
}
Order exit_watch(WatchId id) { return watch(id, Signal::process_exit, ComponentKind::host, Match{}); }

struct Agents : testing::Test {
  OwnDirectory directory;
  PuppetTrainer trainer{directory, 2};
};

TEST_F(Agents, RanksAreStartedHeardAndStopped) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest driver(agent.socket(), 1, {.heartbeat_period = 20ms});
  driver.attend();
  const auto attending = driver.await<AgentAttending>();
  EXPECT_EQ(attending.epoch, 1U);
  EXPECT_EQ(attending.run, 0U);

  driver.link.start_ranks(OrderId{5}, 1, {0, 1}, {"--pp", "2"});
  const AgentDone started = driver.await_done(5);
  EXPECT_TRUE(started.ok) << started.why;
  const Handle first(driver.await_pid(0)), second(driver.await_pid(1));
  const auto arguments = driver.await<AgentRankLine>([](const AgentRankLine& line) {
    return line.rank == 1 && line.line.find("arguments") != std::string::npos;
  });
  EXPECT_EQ(arguments.line, "1 log arguments --rank 1 --pp 2");
  EXPECT_EQ(arguments.run, 1U);
  driver.await<AgentHeartbeat>(
      [](const AgentHeartbeat& beat) { return beat.ranks_alive == 2 && beat.number > 1; });

  // Lines go to the driver, anything else to the rank's log.
  trainer.say(0, "a word to people");
  trainer.say(0, "12 step 3 200000000");
  const auto step = driver.await<AgentRankLine>(
      [](const AgentRankLine& line) { return line.line.find(" step ") != std::string::npos; });
  EXPECT_EQ(step.line, "12 step 3 200000000");
  trainer.say(0, "13 log caf\xe9 \xff");  // no UTF-8: the stream once ended here
  const auto latin = driver.await<AgentRankLine>(
      [](const AgentRankLine& line) { return line.line.find("caf") != std::string::npos; });
  EXPECT_EQ(latin.line, "13 log caf\xe9 \xff");
  driver.link.stop_ranks(OrderId{6});
  EXPECT_TRUE(driver.await_done(6).ok);
  EXPECT_FALSE(first.alive());
  EXPECT_FALSE(second.alive());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(driver.await<AgentRankExited>().code, kKilled);
  driver.link.stop_ranks(OrderId{7});  // of none
  EXPECT_TRUE(driver.await_done(7).ok);

  // Output and lines come by two ways, so a later line can overtake it; an exit cannot.
  std::ifstream log(directory.file("rank-0.log"));
  std::string logged;
  EXPECT_TRUE(std::getline(log, logged));
  EXPECT_EQ(logged, "a word to people");
}

TEST_F(Agents, SayWhichMachineTheyAre) {
  const auto identity = [&] {
    AgentUnderTest agent(directory, trainer.program());
    DriverUnderTest driver(agent.socket(), 1);
    driver.attend();
    return driver.await<AgentAttending>().identity;
  };
  char machine[256] = {};
  ASSERT_EQ(::gethostname(machine, sizeof machine - 1), 0);
  const HostIdentity nowhere{.address = "unix:" + directory.file("agent-2.sock"), .pod = machine};
  {
    const Variable ip("POD_IP", "fd00:10:244::17"), name("POD_NAME", "llama-workers-17");
    EXPECT_EQ(identity(), (HostIdentity{.address = "fd00:10:244::17", .pod = "llama-workers-17"}));
  }
  EXPECT_EQ(identity(), nowhere);
  // What a terminal would obey, or no message could carry.
  const Variable ip("POD_IP", "\xff\xfe"), name("POD_NAME", "\x1b[2Jworker");
  EXPECT_EQ(identity(), nowhere);
}

TEST_F(Agents, ExitsPassTheWatchUnlessTheyAreOrderedOrClean) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  driver.link.watch(exit_watch(WatchId{4}));
  driver.link.start_ranks(OrderId{5}, 1, {0, 1}, {});
  driver.await_pid(0);
  driver.await_pid(1);
  trainer.leave(1, 0);
  EXPECT_EQ(driver.await<AgentRankExited>().code, 0);
  trainer.leave(0, 3);
  EXPECT_EQ(driver.await<AgentRankExited>().code, 3);
  const Seen seen = driver.await_seen();
  EXPECT_EQ(seen.watch, WatchId{4});
  EXPECT_EQ(seen.who, component(HostId{2}));
  EXPECT_EQ(seen.edge, Edge::sample);
  EXPECT_EQ(seen.value, 3) << "and not 0 of the rank that finished";

  driver.link.start_ranks(OrderId{6}, 2, {0}, {});
  driver.await_pid(0);
  driver.link.stop_ranks(OrderId{7});
  driver.await_done(7);
  driver.link.start_ranks(OrderId{8}, 3, {0}, {});
  driver.await_pid(0);
  trainer.leave(0, 9);
  EXPECT_EQ(driver.await_seen().value, 9) << "and not the exit that was ordered";
}

TEST_F(Agents, LogLinesAndStepsPassTheirWatches) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest driver(agent.socket(), 1, {.patterns = {"collective_timeout", "nan"}});
  driver.attend();
  driver.link.watch(watch(WatchId{1}, Signal::log_line, ComponentKind::host, Match{PatternId{1}}));
  driver.link.watch(watch(WatchId{2}, Signal::step, ComponentKind::job, Sample{1}));
  driver.link.start_ranks(OrderId{5}, 1, {0}, {});
  driver.await_pid(0);
  trainer.say(0, "1 log collective_timeout waited 5 s");
  trainer.say(0, "2 log nan loss");
  EXPECT_EQ(driver.await_seen().watch, WatchId{1});
  trainer.say(0, "3 up 0");
  trainer.say(0, "4 step 1 250000000");
  const Seen step = driver.await_seen();
  EXPECT_EQ(step.watch, WatchId{2});
  EXPECT_EQ(step.who, component(JobId{0}));
  EXPECT_EQ(step.value, 0.25);

  driver.link.watch(watch(WatchId{3}, Signal::step, ComponentKind::job, Silence{50ms}));
  const Seen missing = driver.await_seen();
  EXPECT_EQ(missing.watch, WatchId{3});
  EXPECT_EQ(missing.edge, Edge::began);
  trainer.say(0, "5 step 2 250000000");
  EXPECT_EQ(driver.await_seen().edge, Edge::ended);
  driver.link.unwatch(WatchId{3});
}

TEST_F(Agents, WhatAGpuMeetsPassesItsWatchAndItsLoadIsReported) {
  const Variable wrong("MOCK_NVML", "ecc-grows=5");
  AgentUnderTest agent(directory, trainer.program(), {"--nvml", MOCK_NVML});
  {
    DriverUnderTest driver(agent.socket(), 1,
                           {.patterns = {"collective_timeout", "gpu_ecc"},
                            .expressions = {"", R"(^GPU \d+: uncorrected errors of memory)"}});
    driver.attend();
    driver.link.watch(watch(WatchId{1}, Signal::log_line, ComponentKind::host, Match{PatternId{1}}));
    EXPECT_EQ(driver.await_seen().watch, WatchId{1});
  }
  agent.await_said("the host logged gpu_ecc: GPU 1: uncorrected errors of memory: 5 more");
  DriverUnderTest driver(agent.socket(), 2);
  driver.attend();
  const auto first = driver.await<AgentHeartbeat>();
  ASSERT_TRUE(first.report && first.report->gpus.size() == 2);
  EXPECT_EQ(first.report->gpus[0], (GpuVitals{.name = "GPU 0",
                                              .celsius = 41,
                                              .watts = 350,
                                              .megahertz = 1755,
                                              .percent = 50,
                                              .memory_bytes = std::uint64_t{20} << 30U,
                                              .processes = 1,
                                              .link_bytes = 1024 * 1000 * (138 + 139)}));
}

TEST_F(Agents, TimesAreOfTheirOwnClockAndALeaseIsAnsweredWithIt) {
  AgentUnderTest agent(directory, trainer.program());
  const Time before{Duration(monotonic_ns())};
  DriverUnderTest driver(agent.socket(), 1, {.started_ns = 7});
  driver.attend();
  driver.link.lease(1h, 12);
  const auto reading =
      driver.await<AgentClockReading>([](const AgentClockReading& each) { return each.asked_ns == 12; });
  EXPECT_GE(reading.at_ns, before.time_since_epoch().count());
  EXPECT_LE(reading.at_ns, monotonic_ns());
  driver.link.watch(exit_watch(WatchId{4}));
  driver.link.start_ranks(OrderId{5}, 1, {0}, {});
  driver.await_pid(0);
  trainer.leave(0, 1);
  const Seen seen = driver.await_seen();
  EXPECT_GE(seen.sensed, before);
  EXPECT_LE(seen.sensed, Time(Duration(monotonic_ns())));
}

TEST_F(Agents, AStartIsObeyedOnceAndANewerOneEndsTheOlderRanks) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  driver.link.start_ranks(OrderId{5}, 1, {0}, {});
  driver.await_done(5);
  const Handle old(driver.await_pid(0));
  driver.link.start_ranks(OrderId{5}, 1, {0}, {});
  EXPECT_TRUE(driver.await_done(5).ok) << "answered again";
  EXPECT_TRUE(old.alive());
  driver.link.start_ranks(OrderId{6}, 2, {0}, {});
  EXPECT_TRUE(driver.await_done(6).ok);
  EXPECT_FALSE(old.alive());
  const auto exited = driver.await<AgentRankExited>();
  EXPECT_EQ(exited.run, 1U);
  EXPECT_EQ(exited.code, kKilled);
  driver.await_pid(0);
  EXPECT_EQ(driver.left<AgentRankExited>(), 0U);
}

TEST_F(Agents, AStartThatFailsLeavesNothing) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  driver.link.start_ranks(OrderId{4}, 1, {0, 0}, {});
  EXPECT_THAT(driver.await_done(4).why, HasSubstr("not distinct"));
  std::filesystem::remove(trainer.program());
  driver.link.start_ranks(OrderId{5}, 1, {0, 1}, {});
  const AgentDone failed = driver.await_done(5);
  EXPECT_FALSE(failed.ok);
  EXPECT_EQ(failed.why, trainer.program() + ": cannot be started: No such file or directory");
}

TEST_F(Agents, RanksRunOnlyUnderALease) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest driver(agent.socket(), 1);
  std::string why;
  ASSERT_TRUE(driver.link.connect(kPatience, why)) << why;
  driver.link.watch(exit_watch(WatchId{4}));
  driver.link.start_ranks(OrderId{5}, 1, {0}, {});
  EXPECT_THAT(driver.await_done(5).why, HasSubstr("no lease"));

  driver.link.lease(10min);
  driver.link.start_ranks(OrderId{6}, 1, {0}, {});
  ASSERT_TRUE(driver.await_done(6).ok);
  const Handle rank(driver.await_pid(0));
  driver.link.lease(100ms);  // the last one counts
  EXPECT_TRUE(rank.exits_within(kPatience));
  EXPECT_EQ(driver.await<AgentRankExited>().code, kKilled);

  DriverUnderTest next(agent.socket(), 2);
  next.attend();
  const auto attending = next.await<AgentAttending>();
  EXPECT_EQ(attending.run, 0U);
  EXPECT_THAT(attending.ranks, IsEmpty());
  EXPECT_EQ(driver.left<AgentSeen>(), 0U) << "the end of a lease is no fault of the rank";
}

// It did not order their end, and it may have been stopped itself: the steps that stay away are what it learns from.
TEST_F(Agents, ADriverThatLivesMissesTheStepsOfRanksWhoseLeaseLapsed) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  driver.link.watch(watch(WatchId{4}, Signal::step, ComponentKind::job, Silence{1s}));
  driver.link.start_ranks(OrderId{6}, 1, {0}, {});
  ASSERT_TRUE(driver.await_done(6).ok);
  trainer.say(0, "5 up 0");
  driver.await<AgentRankLine>([](const AgentRankLine& said) { return said.line == "5 up 0"; });
  driver.link.lease(1ms);
  driver.await<AgentRankExited>();
  const Seen seen = driver.await_seen();
  EXPECT_EQ(seen.watch, WatchId{4});
  EXPECT_EQ(seen.edge, Edge::began);
}

TEST_F(Agents, TheHighestEpochIsObeyed) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest old(agent.socket(), 5, {.started_ns = 1});
  old.attend();
  old.link.start_ranks(OrderId{9}, 3, {0, 1}, {});
  ASSERT_TRUE(old.await_done(9).ok);
  const Handle rank(old.await_pid(0));
  old.await_pid(1);

  std::string why;
  DriverUnderTest lower(agent.socket(), 4, {.started_ns = 1}), equal(agent.socket(), 5, {.started_ns = 1});
  EXPECT_FALSE(lower.link.connect(kPatience, why));
  EXPECT_THAT(why, HasSubstr("host 2 obeys the driver of epoch 5, and epoch 4 is not higher"));
  EXPECT_FALSE(equal.link.connect(kPatience, why));
  EXPECT_THAT(why, HasSubstr("epoch 5 is not higher"));

  DriverUnderTest next(agent.socket(), 6, {.started_ns = 1});
  next.attend();
  const auto attending = next.await<AgentAttending>();
  EXPECT_EQ(attending.run, 3U);
  EXPECT_THAT(attending.ranks, ElementsAre(0, 1));
  EXPECT_THAT(old.await_loss(), HasSubstr("the driver of epoch 6 took over"));
  EXPECT_TRUE(rank.alive());
  old.link.stop_ranks(OrderId{10});  // nobody listens any more
  next.link.start_ranks(OrderId{9}, 3, {0, 1}, {});
  EXPECT_TRUE(next.await_done(9).ok) << "the start that the older driver gave";
  EXPECT_TRUE(rank.alive());
}

TEST_F(Agents, WhatRanksSayWhileNobodyAttendsIsKept) {
  AgentUnderTest agent(directory, trainer.program());
  {
    DriverUnderTest driver(agent.socket(), 1);
    driver.attend();
    driver.link.start_ranks(OrderId{5}, 1, {0, 1}, {});
    driver.await_pid(0);
    driver.await_pid(1);
    driver.link.close();
  }
  trainer.say(0, "7 step 1 200000000");
  trainer.leave(1, 3);
  DriverUnderTest next(agent.socket(), 2);
  next.attend();
  next.await<AgentRankLine>([](const AgentRankLine& line) { return line.line == "7 step 1 200000000"; });
  EXPECT_EQ(next.await<AgentRankExited>().code, 3);
}

TEST_F(Agents, WhatADriverSaysBeforeItLeavesIsObeyed) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  driver.link.start_ranks(OrderId{5}, 1, {0}, {});
  const Handle rank(driver.await_pid(0));
  driver.link.stop_ranks(OrderId{6});
  driver.link.close();
  EXPECT_TRUE(rank.exits_within(kPatience));
}

TEST_F(Agents, AKilledAgentTakesItsRanksAlong) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  driver.link.start_ranks(OrderId{5}, 1, {0, 1}, {});
  const Handle first(driver.await_pid(0)), second(driver.await_pid(1));
  agent.signal(SIGKILL);
  EXPECT_EQ(agent.exit_code(), kKilled);
  EXPECT_TRUE(first.exits_within(kPatience));
  EXPECT_TRUE(second.exits_within(kPatience));
  driver.await_loss();

  // It left its socket; the next agent takes the place, and knows nothing of epochs.
  ASSERT_TRUE(std::filesystem::exists(agent.socket()));
  AgentUnderTest next(directory, trainer.program());
  DriverUnderTest again(next.socket(), 1);
  again.attend();
  EXPECT_EQ(again.await<AgentAttending>().run, 0U);
}

TEST_F(Agents, ItEndsWithItsRanksWhenItIsTold) {
  for (const bool by_signal : {true, false}) {
    AgentUnderTest agent(directory, trainer.program());
    DriverUnderTest driver(agent.socket(), 1);
    driver.attend();
    driver.link.start_ranks(OrderId{5}, 1, {0}, {});
    const Handle rank(driver.await_pid(0));
    if (by_signal) {
      agent.signal(SIGTERM);
    } else {
      driver.link.quit();
    }
    EXPECT_EQ(agent.exit_code(), kAgentEnded);
    EXPECT_FALSE(rank.alive());
    EXPECT_EQ(driver.await<AgentRankExited>().code, kKilled) << "told before it left";
    driver.await_loss();
    EXPECT_FALSE(std::filesystem::exists(agent.socket()));
  }
}

TEST_F(Agents, AnAbandonedAgentEndsWithItsRanks) {
  AgentUnderTest agent(directory, trainer.program(), {"--abandoned-after", "1s"});
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  driver.link.start_ranks(OrderId{5}, 1, {0}, {});
  const Handle rank(driver.await_pid(0));
  driver.link.close();
  EXPECT_EQ(agent.exit_code(), kAgentAbandoned);
  EXPECT_FALSE(rank.alive());
  EXPECT_THAT(agent.said(), HasSubstr("no driver attends"));
}

TEST_F(Agents, FaultsAreInjectedWhereThatIsAllowed) {
  AgentUnderTest agent(directory, trainer.program(), {"--allow-injection"});
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  driver.link.watch(exit_watch(WatchId{4}));
  driver.link.start_ranks(OrderId{5}, 1, {0, 1}, {});
  const Handle killed(driver.await_pid(0));
  const pid_t stopped = driver.await_pid(1);
  driver.link.send(DriverInject{.injection = 0, .kind = InjectionKind::stop, .target = 1});
  EXPECT_TRUE(driver.await<AgentInjected>().ok);
  // The state is the word after the name in /proc/PID/stat; the signal takes effect in its own time.
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  std::string number, name, state;
  while (state != "T" && std::chrono::steady_clock::now() < deadline) {
    std::ifstream("/proc/" + std::to_string(stopped) + "/stat") >> number >> name >> state;
    ::usleep(1000);
  }
  EXPECT_EQ(state, "T");

  driver.link.send(DriverInject{.injection = 1, .kind = InjectionKind::kill, .target = 0});
  const auto injected = driver.await<AgentInjected>();
  EXPECT_EQ(injected.injection, 1U);
  EXPECT_TRUE(injected.ok) << injected.why;
  EXPECT_EQ(driver.await_seen().value, kKilled) << "a fault, however it came";
  driver.link.send(DriverInject{.injection = 2, .kind = InjectionKind::kill, .target = 0});
  EXPECT_EQ(driver.await<AgentInjected>().why, "rank 0 does not run here");
  driver.link.stop_ranks(OrderId{6});
  EXPECT_TRUE(driver.await_done(6).ok) << "a stopped process dies too";
}

// A driver that died before it heard what became of an injection leaves the question to the next one.
TEST_F(Agents, AnInjectionIsDoneOnceAndAnsweredAgain) {
  AgentUnderTest agent(directory, trainer.program(), {"--allow-injection"});
  std::int64_t done_at = 0;
  {
    DriverUnderTest driver(agent.socket(), 1, {.started_ns = 1});
    driver.attend();
    driver.link.start_ranks(OrderId{5}, 1, {0}, {});
    const Handle first(driver.await_pid(0));
    driver.link.send(DriverInject{.injection = 7, .kind = InjectionKind::kill, .target = 0});
    const auto injected = driver.await<AgentInjected>();
    EXPECT_TRUE(injected.ok) << injected.why;
    done_at = injected.at_ns;
    EXPECT_TRUE(first.exits_within(kPatience));
    driver.link.start_ranks(OrderId{6}, 2, {0}, {});
    driver.await_done(6);
    driver.link.close();
  }
  DriverUnderTest next(agent.socket(), 2, {.started_ns = 1});
  next.attend();
  next.link.send(DriverInject{.injection = 7, .kind = InjectionKind::kill, .target = 0});
  const auto again = next.await<AgentInjected>();
  EXPECT_TRUE(again.ok);
  EXPECT_EQ(again.at_ns, done_at);
  EXPECT_EQ(next.await<AgentAttending>().ranks, std::vector<std::uint32_t>{0});
  next.link.stop_ranks(OrderId{8});
  EXPECT_TRUE(next.await_done(8).ok);
  EXPECT_EQ(next.await<AgentRankExited>().run, 2U) << "until it was told to stop";
}

TEST_F(Agents, FaultsAreNotInjectedElsewhere) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  driver.link.start_ranks(OrderId{5}, 1, {0}, {});
  const Handle rank(driver.await_pid(0));
  driver.link.send(DriverInject{.injection = 3, .kind = InjectionKind::kill, .target = 0});
  const auto refused = driver.await<AgentInjected>();
  EXPECT_EQ(refused.injection, 3U);
  EXPECT_FALSE(refused.ok);
  EXPECT_THAT(refused.why, HasSubstr("--allow-injection"));
  EXPECT_TRUE(rank.alive());
}

ProbeTask own_probe_of(const std::string& name) {
  return {.probe = name, .arguments = {}, .metric = {}, .deadline = 60s};
}

TEST_F(Agents, AHostIsProbed) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  driver.link.run_probe(OrderId{5}, own_probe_of("host_check"));
  EXPECT_THAT(driver.await_probed(5).errors, IsEmpty());
  driver.link.run_probe(OrderId{6}, own_probe_of("guesswork"));
  const AgentDone unknown = driver.await_done(6);
  EXPECT_FALSE(unknown.ok);
  EXPECT_THAT(unknown.why, HasSubstr("there is no probe \"guesswork\" here; known: host_check, cpu_cores"));

  std::filesystem::rename(directory.name(), directory.name() + "-away");
  driver.link.run_probe(OrderId{7}, own_probe_of("host_check"));
  const ProbeSample faulty = driver.await_probed(7);
  std::filesystem::rename(directory.name() + "-away", directory.name());
  EXPECT_THAT(faulty.errors, ElementsAre(HasSubstr("cannot be made: No such file or directory")));
}

TEST_F(Agents, AProgramIsAProbe) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  driver.link.run_probe(OrderId{5}, {.probe = "rate",
                                     .arguments = {"echo", "at 7.5 GB/s, then 8 GB/s"},
                                     .metric = "([0-9.]+) GB/s",
                                     .deadline = 60s});
  const ProbeSample rate = driver.await_probed(5);
  ASSERT_EQ(rate.parts.size(), 1U) << rate.inconclusive << rate.unsupported;
  EXPECT_THAT(rate.parts[0].values, ElementsAre(7.5, 8.0));
  driver.link.run_probe(
      OrderId{6},
      {.probe = "rate", .arguments = {"sh", "-c", "echo broken; exit 3"}, .metric = {}, .deadline = 60s});
  EXPECT_THAT(driver.await_probed(6).errors, ElementsAre("sh ended with 3; it last said: broken"));
  driver.link.run_probe(OrderId{7},
                        {.probe = "rate", .arguments = {"sleep", "1000"}, .metric = {}, .deadline = 200ms});
  EXPECT_THAT(driver.await_probed(7).errors, ElementsAre(HasSubstr("sleep did not end within 200ms")));
}

TEST_F(Agents, ProbesWithoutEndDoNotTakeAHostsMemory) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  constexpr std::uint64_t kProbes = 300;
  for (std::uint64_t order = 1; order <= kProbes; ++order)
    driver.link.run_probe(OrderId{order}, own_probe_of("host_check"));
  std::set<std::uint64_t> refused, healthy;
  while (refused.size() + healthy.size() < kProbes) {
    const auto next = driver.await_done_or_probed();
    if (const auto* done = std::get_if<AgentDone>(&next)) {
      EXPECT_THAT(done->why, HasSubstr("16 probes run or wait already; ask again"));
      EXPECT_TRUE(refused.insert(done->order).second);
    } else {
      const AgentProbed& probed = std::get<AgentProbed>(next);
      EXPECT_THAT(probed.sample.errors, IsEmpty());
      EXPECT_TRUE(healthy.insert(probed.order).second);
    }
  }
  EXPECT_FALSE(refused.empty());
  EXPECT_GE(healthy.size(), 16U) << "those that waited were run";
  EXPECT_LT(agent.most_memory_kib(), 256 * 1024) << "processes of their own hold what probes need";
}

TEST_F(Agents, APlaceIsHeldByOneAgent) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest driver(agent.socket(), 1);
  driver.attend();
  AgentUnderTest second(directory, trainer.program());
  EXPECT_EQ(second.exit_code(), kAgentRefused);
  EXPECT_THAT(second.said(), HasSubstr("agent-2.lock: is held by a living agent (process "));
  driver.link.run_probe(OrderId{6}, own_probe_of("guesswork"));
  driver.await_done(6);  // the first one is where it was
}

TEST_F(Agents, AnUnsafePlaceIsRefused) {
  ::chmod(directory.name().c_str(), 0755);
  AgentUnderTest open(directory, trainer.program());
  EXPECT_EQ(open.exit_code(), kAgentRefused);
  EXPECT_THAT(open.said(), HasSubstr("is open to other users"));
  ::chmod(directory.name().c_str(), 0700);

  AgentUnderTest no_trainer(directory, directory.file("nothing"));
  EXPECT_EQ(no_trainer.exit_code(), kAgentRefused);
  EXPECT_THAT(no_trainer.said(), HasSubstr("nothing: cannot be run as a rank: No such file or directory"));

  std::ofstream(agent_socket(directory.name(), 2)) << "not a socket";
  AgentUnderTest taken(directory, trainer.program());
  EXPECT_EQ(taken.exit_code(), kAgentRefused);
  EXPECT_THAT(taken.said(), HasSubstr("is not a socket"));
}

/// As a driver looks at a host during a drill.
Attends looked_at(DriverUnderTest& driver) {
  std::string why;
  const auto until = std::chrono::steady_clock::now() + kPatience;
  Attends attends = driver.link.look(why);
  for (; attends == Attends::not_yet && std::chrono::steady_clock::now() < until;
       attends = driver.link.look(why))
    std::this_thread::sleep_for(5ms);
  return attends;
}

TEST_F(Agents, AnswerADriverThatDoesNotWait) {
  AgentUnderTest agent(directory, trainer.program());
  DriverUnderTest driver(agent.socket(), 1);
  ASSERT_EQ(looked_at(driver), Attends::yes);
  driver.link.lease(10min);
  driver.link.start_ranks(OrderId{5}, 1, {0}, {});
  EXPECT_TRUE(driver.await_done(5).ok);

  DriverUnderTest equal(agent.socket(), 1);
  EXPECT_EQ(looked_at(equal), Attends::refused) << "another driver has this epoch";
}

TEST(AgentLinks, OneThatAcceptsAndNeverAnswersKeepsNobody) {
  const OwnDirectory directory;
  const std::string path = agent_socket(directory.name(), 2);
  Listening listening;
  ASSERT_FALSE(listen_at(path, listening));
  DriverUnderTest driver(path, 1);
  driver.link.begin_connect();
  std::string why;
  for (int look = 0; look < 50; ++look) ASSERT_EQ(driver.link.look(why), Attends::not_yet);
  EXPECT_THAT(why, HasSubstr("no agent answers"));
}

TEST(AgentLinks, NoAgentIsToldWithinTheTime) {
  const OwnDirectory directory;
  DriverUnderTest driver(agent_socket(directory.name(), 2), 1);
  std::string why;
  EXPECT_FALSE(driver.link.connect(50ms, why));
  EXPECT_THAT(why, HasSubstr("no agent answers"));
  driver.link.lease(1s);  // goes nowhere, and harms nothing
  driver.link.close();
}

}  // namespace
}  // namespace gauntlet
