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
using testing::IsEmpty;
using testing::Pair;

struct StandInClock final : Clock {
  std::int64_t monotonic_ns() const override { return now; }
  std::int64_t now = 1'000'000'000;
};

struct StandInStreams final : AgentStreams {
  bool send(StreamId stream, const AgentMessage& message) override {
    if (stream == broken) return false;
    if (const auto* injected = std::get_if<AgentInjected>(&message))
      injections.emplace_back(stream, injected->injection);
    return true;
  }
  void end(StreamId, const std::string&) override {}

  std::optional<StreamId> broken;
  std::vector<std::pair<StreamId, std::uint64_t>> injections;  // who was told of which
};

/// Ranks that were stopped stay until they are let go.
struct SlowRanks final : RankRunner {
  std::string start(const DriverStartRanks& start) override {
    started.push_back(start.run);
    living = start.ranks;
    return "";
  }
  void stop() override {}
  void kill() override {}
  std::string signal(std::uint32_t, AgentSignal) override { return ""; }
  void collect(const Listener&) override {}
  bool none() const override { return living.empty(); }
  std::uint32_t run() const override { return started.empty() ? 0 : started.back(); }
  std::vector<std::uint32_t> alive() const override { return living; }

  std::vector<std::uint32_t> started, living;
};

struct NoProbes final : ProbeRunner {
  bool knows(const std::string&) const override { return false; }
  std::string known() const override { return ""; }
  void begin(const std::string&, std::uint64_t) override {}
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
  HostFaults faults;
  Supervisor supervisor{AgentOptions{.host = 0, .directory = "", .trainer = "", .allow_injection = true},
                        AgentSurroundings{.clock = clock,
                                          .streams = streams,
                                          .ranks = ranks,
                                          .probes = probes,
                                          .host = host,
                                          .faults = faults,
                                          .identity = {},
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
TEST_F(Supervisors, AnInjectionThatNobodyHeardOfIsToldToTheNextDriver) {
  attend(1, 1);
  streams.broken = 1;
  hear(1, DriverInject{.injection = 7, .kind = InjectionKind::kill, .target = 0});
  EXPECT_THAT(streams.injections, IsEmpty());
  attend(2, 2);
  EXPECT_THAT(streams.injections, ElementsAre(Pair(StreamId{2}, 7U)));
}

}  // namespace
}  // namespace gauntlet
