// The agent's decisions over stand-ins: ranks that take their time to die, and drivers that come one after another.
#include "real/agent/supervisor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

struct StandInClock final : Clock {
  std::int64_t monotonic_ns() const override { return now; }
  std::int64_t now = 1'000'000'000;
};

struct StandInStreams final : AgentStreams {
  bool send(StreamId stream, const AgentMessage& message) override {
    if (stream == broken) return false;
    if (const auto* injected = std::get_if<AgentInjected>(&message)) {
      injections.emplace_back(stream, injected->injection);
      answers.emplace_back(injected->injection, injected->why);
    }
    if (const auto* over = std::get_if<AgentUndone>(&message))
      undone.emplace_back(over->injection, over->why);
    exits += std::holds_alternative<AgentRankExited>(message) ? 1 : 0;
    if (const auto* heartbeat = std::get_if<AgentHeartbeat>(&message)) heartbeats.push_back(heartbeat->at_ns);
    if (const auto* reading = std::get_if<AgentClockReading>(&message)) readings.push_back(reading->at_ns);
    if (const auto* attending = std::get_if<AgentAttending>(&message))
      attended.emplace_back(stream, *attending);
    if (const auto* seen = std::get_if<AgentSeen>(&message))
      hosts_seen.push_back(std::get<Seen>(seen->observed.what).who.index);
    return true;
  }
  void end(StreamId stream, const std::string& why) override { ended.emplace_back(stream, why); }

  std::optional<StreamId> broken;
  int exits = 0;                                   // of ranks, that a driver was told
  std::vector<std::int64_t> heartbeats, readings;  // the times that they name
  std::vector<std::pair<StreamId, AgentAttending>> attended;
  std::vector<std::pair<StreamId, std::string>> ended;         // why; empty: all is well
  std::vector<std::uint32_t> hosts_seen;                       // that samples were about
  std::vector<std::pair<StreamId, std::uint64_t>> injections;  // who was told of which
  std::vector<std::pair<std::uint64_t, std::string>> answers;  // of injections, and why not
  std::vector<std::pair<std::uint64_t, std::string>> undone;   // which, and why not yet
};

/// Ranks that were stopped stay until they are let go.
struct SlowRanks final : RankRunner {
  std::string start(const DriverStartRanks& start) override {
    started.push_back(start.run);
    living = start.ranks;
    return "";
  }
  void stop() override {}
  void kill() override { ++kills; }
  void forget() override { ++forgotten; }
  bool hold(std::uint32_t rank, bool held) override {
    if (speaks) holds.emplace_back(rank, held);
    return speaks;
  }
  std::string signal(std::uint32_t rank, AgentSignal signal) override {
    signals.emplace_back(rank, signal);
    return "";
  }
  void collect(const Listener& listener) override {
    for (const std::string& line : std::exchange(lines, {})) listener.on_line(run(), 0, line);
    if (std::exchange(exits, false)) listener.on_exit({.run = run(), .rank = 0, .code = 1});
  }
  bool none() const override { return living.empty(); }
  std::uint32_t run() const override { return started.empty() ? 0 : started.back(); }
  std::vector<std::uint32_t> alive() const override { return living; }

  std::vector<std::uint32_t> started, living;
  std::vector<std::pair<std::uint32_t, AgentSignal>> signals;
  std::vector<std::string> lines;  // that the first one says
  int kills = 0, forgotten = 0;
  bool exits = false;  // one does
  bool speaks = true;
  std::vector<std::pair<std::uint32_t, bool>> holds;
};

/// Of an earlier agent's watchdog, too: they end when the test says so.
struct HeldFaults final : HostFaults {
  std::string inject(const DriverInject&, const InjectionSubject&, Duration) override { return ""; }
  void undo(std::uint64_t injection) override { asked.push_back(injection); }
  void end(const FaultEnd& what) { ends_.push_back(what); }
  std::vector<std::uint64_t> asked;
};

struct NoProbes final : ProbeRunner {
  void begin(const ProbeTask&, std::uint64_t) override {}
};

struct Supervisors : testing::Test {
  void hear(StreamId stream, const DriverMessage& message) {
    supervisor.wake({FromStream{stream, message}});
    EXPECT_FALSE(supervisor.settle());
  }
  void attend(StreamId stream, std::uint64_t epoch) {
    hear(stream, DriverHello{.epoch = epoch, .greeting = {.started_ns = 1}});
    hear(stream, DriverLease{10min});
  }
  void start(StreamId stream, std::uint64_t order, std::uint32_t run) {
    hear(stream, DriverStartRanks{.order = OrderId{order}, .run = run, .ranks = {0}, .arguments = {}});
  }

  StandInClock clock;
  StandInStreams streams;
  SlowRanks ranks;
  NoProbes probes;
  HostSensor host;
  HeldFaults faults;
  Supervisor supervisor{AgentOptions{.host = 0, .directory = "", .trainer = "", .allow_injection = true},
                        AgentSurroundings{.clock = clock,
                                          .streams = streams,
                                          .ranks = ranks,
                                          .probes = probes,
                                          .host = host,
                                          .faults = faults,
                                          .identity = {},
                                          .rank_uid = {},
                                          .say = [](const std::string&) {}}};
};

// The later driver knows of the order, where it was recorded, and gives it anew as another run.
TEST_F(Supervisors, AStartThatWaitsForRanksToDieEndsWithItsDriver) {
  attend(1, 1);
  start(1, 10, 1);
  start(1, 11, 2);  // waits for run 1 to be gone
  attend(2, 2);
  ranks.living.clear();
  hear(2, DriverLease{10min});
  EXPECT_THAT(ranks.started, ElementsAre(1));
  start(2, 11, 3);
  EXPECT_THAT(ranks.started, ElementsAre(1, 3));
}

// What its former driver sent before it heard of the later one.
TEST_F(Supervisors, AnEarlierDriverIsNotObeyedAnyMore) {
  attend(1, 1);
  attend(2, 2);
  start(1, 10, 1);
  EXPECT_TRUE(ranks.started.empty());
  hear(3, DriverHello{.epoch = 1, .greeting = {.started_ns = 1}});
  start(3, 10, 1);
  EXPECT_TRUE(ranks.started.empty());
}

// Whether or not that one asks for it again.
TEST_F(Supervisors, AFaultIsOverOnceItIsUndoneAndNotWhenThatIsAskedFor) {
  attend(1, 1);
  hear(1, DriverInject{.injection = 7, .kind = InjectionKind::link_down});
  for (const std::uint64_t each : {7U, 8U}) hear(1, DriverUndo{each});  // 8: of an agent that was here before
  EXPECT_THAT(faults.asked, ElementsAre(7, 8));
  EXPECT_THAT(streams.undone, IsEmpty());
  faults.end({.injection = 7, .why = "the link is held"});
  faults.end({.injection = 8});
  supervisor.wake({});
  EXPECT_THAT(streams.undone, ElementsAre(Pair(7U, "the link is held"), Pair(8U, "")));
  hear(1, DriverUndo{7});
  EXPECT_THAT(faults.asked, ElementsAre(7, 8, 7)) << "it is not over";
  faults.end({.injection = 7});
  supervisor.wake({});
  EXPECT_THAT(streams.undone, ElementsAre(Pair(7U, "the link is held"), Pair(8U, ""), Pair(7U, "")));
}

/// Lets that much time pass, with a timer each second.
struct Disturbed : Supervisors {
  void pass(int seconds) {
    for (; seconds > 0; --seconds) {
      clock.now += 1'000'000'000;
      supervisor.wake_by_timer();
    }
  }
  void inject(InjectionKind kind, Duration lasts) {
    hear(1, DriverInject{.injection = 7, .kind = kind, .target = kEveryTarget, .lasts = lasts});
    EXPECT_THAT(streams.answers, ElementsAre(Pair(7, "")));
  }
  static constexpr std::int64_t kSecond = 1'000'000'000;
};

TEST_F(Disturbed, LateHeartbeatsArriveTogetherAtTheEnd) {
  attend(1, 1);
  pass(1);
  streams.heartbeats.clear();
  const std::int64_t began = clock.now;
  inject(InjectionKind::late_heartbeats, 3s);
  pass(2);
  EXPECT_THAT(streams.heartbeats, IsEmpty());
  EXPECT_THAT(streams.undone, IsEmpty());
  pass(1);
  EXPECT_THAT(streams.heartbeats, ElementsAre(began + kSecond, began + 2 * kSecond, began + 3 * kSecond));
  EXPECT_THAT(streams.undone, ElementsAre(Pair(7, "")));
  pass(1);
  EXPECT_EQ(streams.heartbeats.size(), 4U);
}

TEST_F(Disturbed, RepeatedHeartbeatsArriveTwice) {
  attend(1, 1);
  pass(1);
  streams.heartbeats.clear();
  inject(InjectionKind::repeated_heartbeats, 3s);
  pass(2);
  EXPECT_THAT(streams.heartbeats,
              ElementsAre(clock.now - kSecond, clock.now - kSecond, clock.now, clock.now));
  pass(2);
  EXPECT_EQ(streams.heartbeats.size(), 6U) << "at the end one arrives, and another after it";
}

TEST_F(Disturbed, AClockThatHasSteppedStaysAhead) {
  attend(1, 1);
  ranks.living = {0};
  const int kills = ranks.kills;
  inject(InjectionKind::clock_step, kForever);
  pass(1);
  EXPECT_EQ(streams.heartbeats.back(), clock.now + kClockStep.count());
  hear(1, DriverUndo{7});
  hear(1, DriverLease{10min});
  EXPECT_EQ(streams.readings.back(), clock.now + kClockStep.count());
  EXPECT_EQ(ranks.kills, kills) << "its own deadlines are by the clock that did not step";
}

TEST_F(Disturbed, NothingPassesAPartitionAndAllOfItArrivesAtTheEnd) {
  attend(1, 1);
  pass(1);
  streams.heartbeats.clear();
  inject(InjectionKind::partition, 3s);
  hear(1, DriverStartRanks{.order = OrderId{10}, .run = 1, .ranks = {0}, .arguments = {}});
  pass(2);
  EXPECT_THAT(streams.heartbeats, IsEmpty());
  EXPECT_THAT(ranks.started, IsEmpty());
  pass(1);
  EXPECT_THAT(ranks.started, IsEmpty());
  EXPECT_FALSE(supervisor.settle());
  EXPECT_THAT(ranks.started, ElementsAre(1));
  EXPECT_EQ(streams.heartbeats.size(), 3U);
}

TEST_F(Disturbed, ARankIsHeldOnceItSaysSo) {
  attend(1, 1);
  ranks.living = {3, 4};
  const DriverInject hold{.injection = 7, .kind = InjectionKind::hold, .target = kEveryTarget};
  hear(1, hold);
  hear(1, hold);  // asked again
  EXPECT_THAT(ranks.holds, ElementsAre(Pair(3, true)));
  EXPECT_THAT(streams.answers, IsEmpty());
  ranks.started = {1};
  ranks.lines = {"5 held 2"};  // of rank 0, which nobody told
  pass(1);
  EXPECT_THAT(streams.answers, IsEmpty());
  ranks.living = {0};
  hear(1, DriverInject{.injection = 8, .kind = InjectionKind::hold, .target = 0});
  ranks.lines = {"6 held 2"};
  pass(1);
  EXPECT_THAT(streams.answers, ElementsAre(Pair(8, "")));
  pass(8);  // ten seconds after it was told
  EXPECT_THAT(streams.answers,
              ElementsAre(Pair(8, ""), Pair(7, HasSubstr("rank 3 came to no collective within 10s"))));
  hear(1, DriverUndo{8});
  EXPECT_THAT(ranks.holds, ElementsAre(Pair(3, true), Pair(0, true), Pair(3, false), Pair(0, false)));
}

TEST_F(Disturbed, ARankThatDoesNotSpeakIsStopped) {
  attend(1, 1);
  ranks.living = {3, 4};
  ranks.speaks = false;
  hear(1, DriverInject{.injection = 7, .kind = InjectionKind::hold, .target = kEveryTarget});
  EXPECT_THAT(streams.answers, ElementsAre(Pair(7, "")));
  EXPECT_THAT(ranks.signals, ElementsAre(Pair(3, AgentSignal::stop), Pair(4, AgentSignal::stop)));
}

TEST_F(Disturbed, ARankThatAnotherFaultHasStoppedStaysSoAfterAPause) {
  attend(1, 1);
  ranks.living = {3};
  hear(1, DriverInject{.injection = 7, .kind = InjectionKind::stop, .target = 3});
  hear(1, DriverInject{.injection = 8, .kind = InjectionKind::pause, .target = 3, .lasts = 1s});
  faults.end({.injection = 8});
  pass(1);
  EXPECT_THAT(ranks.signals, ElementsAre(Pair(3, AgentSignal::stop), Pair(3, AgentSignal::stop)));
}

TEST_F(Supervisors, AnInjectionThatNobodyHeardOfIsToldToTheNextDriver) {
  attend(1, 1);
  streams.broken = 1;
  hear(1, DriverInject{.injection = 7, .kind = InjectionKind::kill, .target = 0});
  EXPECT_THAT(streams.injections, IsEmpty());
  attend(2, 2);
  EXPECT_THAT(streams.injections, ElementsAre(Pair(StreamId{2}, 7U)));
}

TEST_F(Supervisors, AFaultOfTheHostReachesEachOfItsRanks) {
  attend(1, 1);
  hear(1, DriverInject{.injection = 1, .kind = InjectionKind::kill, .target = kEveryTarget});
  hear(1, DriverStartRanks{.order = OrderId{10}, .run = 1, .ranks = {4, 5}, .arguments = {}});
  hear(1, DriverInject{.injection = 2, .kind = InjectionKind::stop, .target = kEveryTarget});
  hear(1, DriverInject{.injection = 3, .kind = InjectionKind::stop, .target = 0});
  EXPECT_THAT(streams.answers,
              ElementsAre(Pair(1U, "no rank runs here"), Pair(2U, ""), Pair(3U, "rank 0 does not run here")));
  EXPECT_THAT(ranks.signals, ElementsAre(Pair(4U, AgentSignal::stop), Pair(5U, AgentSignal::stop)));
}

// The driver's order to start and the fault come together, while ranks of the run before are ending.
TEST_F(Supervisors, AFaultOfAStartWaitsForTheRanks) {
  attend(1, 1);
  start(1, 10, 1);
  start(1, 11, 2);
  hear(1, DriverInject{.injection = 7, .kind = InjectionKind::start_fails, .target = kEveryTarget});
  EXPECT_THAT(streams.answers, IsEmpty());
  EXPECT_THAT(ranks.signals, IsEmpty());
  ranks.living.clear();
  hear(1, DriverLease{10min});
  EXPECT_THAT(ranks.started, ElementsAre(1, 2));
  EXPECT_THAT(streams.answers, ElementsAre(Pair(7U, "")));
  EXPECT_THAT(ranks.signals, ElementsAre(Pair(0U, AgentSignal::kill)));
}

TEST_F(Supervisors, AnAgentGoesWithItsHostAndSaysNothingOfItsRanks) {
  attend(1, 1);
  start(1, 10, 1);
  supervisor.wake({FromStream{1, DriverInject{.injection = 7, .kind = InjectionKind::host_lost}}});
  EXPECT_THAT(streams.answers, ElementsAre(Pair(7U, "")));
  EXPECT_EQ(ranks.kills, 2) << "at the beginning of the drill, and now";
  EXPECT_FALSE(supervisor.settle()) << "its rank is dying";
  ranks.exits = true;
  ranks.living.clear();
  supervisor.wake({});
  EXPECT_EQ(streams.exits, 0);
  EXPECT_EQ(supervisor.settle(), kAgentEnded);
}

/// A driver that asks for lines and for losses.
struct Readers : Supervisors {
  Readers() {
    hear(1, DriverHello{.epoch = 1,
                        .greeting = {.started_ns = 1,
                                     .patterns = {"collective_timeout", "peer_lost", "xid_79", "exception"},
                                     .expressions = {"", "", R"(Xid \([^)]*\): 79\b)", "^Traceback"}}});
    hear(1, DriverLease{10min});
    watch(3, Signal::log_line, Match{.pattern = PatternId{2}});
    watch(4, Signal::loss, Outside{.low = -5, .high = 5});
  }
  void watch(std::uint32_t id, Signal signal, const decltype(Watch::until)& until) {
    hear(1, DriverWatch{Order{OrderId{id}, Watch{.id = WatchId{id},
                                                 .signal = signal,
                                                 .who = Scope{.kind = ComponentKind::host},
                                                 .until = until}}});
  }
  void inject_line(std::uint64_t injection, std::uint32_t pattern, const std::string& text) {
    hear(1, DriverInject{.injection = injection,
                         .kind = InjectionKind::line,
                         .line = InjectedLine{.pattern = PatternId{pattern}, .text = text}});
  }
};

TEST_F(Readers, ALineIsInjectedWhereTheReaderFindsIt) {
  inject_line(1, 2, "NVRM: Xid (PCI:0000:00:00): 79 (injected by gauntlet)");
  EXPECT_THAT(streams.hosts_seen, ElementsAre(0U));
  inject_line(2, 2, "NVRM: Xid (PCI:0000:00:00): 7");
  inject_line(3, 9, "of no kind");
  ASSERT_EQ(streams.answers.size(), 3U);
  EXPECT_EQ(streams.answers[0].second, "");
  EXPECT_THAT(streams.answers[1].second, HasSubstr("is not found by drill.lines.xid_79"));
  EXPECT_THAT(streams.answers[2].second, HasSubstr("of no kind"));
  EXPECT_EQ(streams.hosts_seen.size(), 1U);
}

TEST_F(Readers, AHigherLossEndsAfterItsTime) {
  start(1, 10, 1);
  const auto train = [&](int steps) {
    for (int i = 0; i < steps; ++i) ranks.lines.push_back("1 loss 1 1.0");
    supervisor.wake({});
  };
  train(20);
  EXPECT_THAT(streams.hosts_seen, IsEmpty());
  hear(1, DriverInject{.injection = 1, .kind = InjectionKind::loss, .value = 12, .lasts = 10s});
  train(1);
  EXPECT_THAT(streams.hosts_seen, ElementsAre(0U));
  clock.now += std::chrono::nanoseconds(10s).count();
  EXPECT_LE(supervisor.next_deadline(), Time(Duration(clock.now)));
  train(0);
  EXPECT_THAT(streams.undone, ElementsAre(Pair(1U, "")));
  streams.hosts_seen.clear();
  train(1);
  EXPECT_LE(streams.hosts_seen.size(), 1U) << "the end of the excursion, and no other";
}

// --- an agent that stays -----------------------------------------------------------------------------------------------

/// Drill 1 and drill 2; streams are numbered as they come.
struct StayingAgents : Supervisors {
  StreamId come(std::int64_t drill, std::uint64_t epoch, bool anew = false, std::uint32_t host = 0) {
    hear(++streams_so_far,
         DriverHello{.epoch = epoch, .greeting = {.started_ns = drill, .host = host}, .anew = anew});
    return streams_so_far;
  }
  bool attends(StreamId stream) const {
    return !streams.attended.empty() && streams.attended.back().first == stream;
  }
  std::string refusal(StreamId stream) const {
    for (const auto& [each, why] : streams.ended)
      if (each == stream) return why;
    return "none";
  }
  void lose(StreamId stream) {
    agent.wake({FromStream{stream, StreamGone{}}});
    EXPECT_FALSE(agent.settle());
  }
  void hear(StreamId stream, const DriverMessage& message) {
    agent.wake({FromStream{stream, message}});
    EXPECT_FALSE(agent.settle());
  }
  void pass(Duration time) {
    clock.now += time.count();
    agent.wake({});
    EXPECT_FALSE(agent.settle()) << "it stays";
  }
  void start(StreamId stream, std::uint64_t order, std::uint32_t run) {
    hear(stream, DriverStartRanks{.order = OrderId{order}, .run = run, .ranks = {0}, .arguments = {}});
  }

  AgentOptions options{.host = 0, .directory = "", .trainer = "", .stays = true};
  StreamId streams_so_far = 0;
  Supervisor agent{options, AgentSurroundings{.clock = clock,
                                              .streams = streams,
                                              .ranks = ranks,
                                              .probes = probes,
                                              .host = host,
                                              .faults = faults,
                                              .identity = {},
                                              .rank_uid = {},
                                              .say = [](const std::string&) {}}};
};

// Epochs are those of a drill.
TEST_F(StayingAgents, ServeTheNextDrillOnceNothingIsLeftOfTheLast) {
  pass(1h);  // without any driver
  const StreamId first = come(1, 3);
  hear(first, DriverLease{10min});
  start(first, 10, 1);
  hear(first, DriverQuit{});
  EXPECT_EQ(ranks.kills, 2) << "at the beginning of the drill, and at its end";
  EXPECT_THAT(refusal(come(2, 1)), HasSubstr("is ending a drill"));
  EXPECT_EQ(ranks.forgotten, 0);
  ranks.living.clear();
  pass(1ms);
  EXPECT_EQ(refusal(first), "") << "its driver hears that it has ended";
  EXPECT_EQ(ranks.forgotten, 1);
  const StreamId second = come(2, 1);
  ASSERT_TRUE(attends(second));
  start(second, 10, 1);
  EXPECT_THAT(ranks.started, ElementsAre(1)) << "the lease was that of the first drill";
  hear(second, DriverLease{10min});
  start(second, 11, 1);
  EXPECT_THAT(ranks.started, ElementsAre(1, 1));
}

TEST_F(StayingAgents, HaveOneOwner) {
  hear(come(1, 1), DriverLease{10min});
  EXPECT_THAT(refusal(come(2, 9)), HasSubstr("serves another drill"));
  EXPECT_TRUE(attends(1));
  EXPECT_EQ(refusal(1), "none");
}

TEST_F(StayingAgents, RefuseAnEarlierDriverOfADrillThatIsOver) {
  come(1, 1);
  hear(come(1, 2), DriverQuit{});
  hear(come(2, 1), DriverQuit{});
  EXPECT_THAT(refusal(come(1, 1)), HasSubstr("obeys the driver of epoch 2"));
  EXPECT_TRUE(attends(come(1, 2, true))) << "its last driver takes a repaired host back";
}

// Its link broke, or the host was evicted and is back: what ran there is over.
TEST_F(StayingAgents, BeginAnewForTheirDriver) {
  const StreamId first = come(1, 1);
  hear(first, DriverLease{10min});
  start(first, 10, 1);
  hear(first, DriverInject{.injection = 7, .kind = InjectionKind::kill, .target = 0});
  lose(first);
  EXPECT_THAT(refusal(come(1, 1)), HasSubstr("epoch 1 is not higher"));
  const StreamId again = come(1, 1, true);
  ASSERT_TRUE(attends(again));
  EXPECT_EQ(streams.attended.back().second.run, 0U);
  EXPECT_THAT(streams.attended.back().second.ranks, IsEmpty());
  EXPECT_EQ(ranks.kills, 2);
}

// A later driver of the drill finds its ranks.
TEST_F(StayingAgents, KeepTheirRanksForTheNextDriverOfTheDrill) {
  const StreamId first = come(1, 1);
  hear(first, DriverLease{10min});
  start(first, 10, 4);
  lose(first);
  pass(20s);
  ASSERT_TRUE(attends(come(1, 2)));
  EXPECT_EQ(streams.attended.back().second.run, 4U);
}

TEST_F(StayingAgents, EndADrillWhoseDriverStaysAway) {
  const StreamId first = come(1, 1);
  hear(first, DriverLease{10s});
  lose(first);
  pass(29s);
  EXPECT_THAT(refusal(come(2, 1)), HasSubstr("serves another drill"));
  pass(2s);
  EXPECT_TRUE(attends(come(2, 1)));
}

// A machine that lost its power ends no stream.
TEST_F(StayingAgents, EndADrillWhoseDriverGivesNoLease) {
  const StreamId first = come(1, 1);
  hear(first, DriverLease{10s});
  pass(11s);
  pass(29s);
  EXPECT_EQ(refusal(first), "none");
  hear(first, DriverLease{10s});  // it was slow
  pass(11s);
  pass(31s);
  EXPECT_EQ(refusal(first), "");
  const StreamId second = come(2, 1);
  EXPECT_TRUE(attends(second));
  pass(31s);
  EXPECT_EQ(refusal(second), "") << "it never gave one";
}

TEST_F(StayingAgents, AreTheHostThatTheDriverSays) {
  const StreamId first = come(1, 1, true, 5);
  hear(first, DriverWatch{Order{OrderId{1}, Watch{.id = WatchId{3},
                                                  .signal = Signal::process_exit,
                                                  .who = Scope{.kind = ComponentKind::host},
                                                  .until = Match{}}}});
  ranks.exits = true;
  pass(1ms);
  EXPECT_THAT(streams.hosts_seen, ElementsAre(5U));
}

}  // namespace
}  // namespace gauntlet
