// A host that is lost during a drill and does not answer: the driver waits for nobody, so that other hosts and operators are
// served meanwhile. And what a driver makes of the answers of agents that undo faults.
#include "real/driver/real_cluster.hpp"
#include "tests/driver/stand_ins.hpp"
#include "tests/real/scratch.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kLost = 1, kSilent = 2;

struct LostHosts : testing::Test {
  LostHosts() {
    world.inventory = {
        .job_hosts = 3, .spares = 0, .gpus_per_host = 1, .layout = {.tp = 1, .pp = 3, .dp = 1}};
    world.job.layout = world.inventory.layout;
    world.job.step_time = 1s;
    world.drill.lease = 10min;
    world.telemetry.heartbeat_period = 1ms;
    setup.directory = place.path().string();
    setup.started_ns = monotonic_ns();
    setup.seed = {.study = 1, .replica = 0};
    setup.desk = &desk;
    setup.answers_within = 1h;
    platform.answers = [this](std::uint32_t host, Duration timeout, std::string& why) {
      if (!lost) return true;
      longest_wait = std::max(longest_wait, timeout);
      ++looks[host];
      why = "no agent answers";
      return attends_again;
    };
  }

  /// Its stream breaks.
  void lose(std::uint32_t host) {
    lost = true;
    platform.listeners.at(host).lost("Socket closed");
  }
  /// Runs the driver until something is seen that `holds` is true of.
  void run_until(RealCluster& cluster, const std::function<bool(const Observed&)>& holds) {
    constexpr Duration kPatience = 2min;  // a guard against a wait without end, not a measure
    for (const std::int64_t end = monotonic_ns() + Duration(kPatience).count(); monotonic_ns() < end;) {
      const auto seen = cluster.next(kStart + Duration(monotonic_ns() - setup.started_ns) + 10ms);
      if (seen && holds(*seen)) return;
    }
    throw std::runtime_error("it was never seen");
  }

  const Scratch place;
  StandIns platform;
  World world;
  DrillSetup setup;
  OperatorDesk desk;
  bool lost = false, attends_again = false;
  Duration longest_wait{};
  std::map<std::uint32_t, int> looks;
};

TEST_F(LostHosts, KeepTheDriverFromNobody) {
  RealCluster cluster(world, setup, Record{}, platform);
  const WatchId silence{7};
  cluster.start({OrderId{1}, Watch{.id = silence,
                                   .signal = Signal::heartbeat,
                                   .who = Scope::hosts_of(JobId{0}),
                                   .until = Silence{20ms}}});
  lose(kLost);
  std::optional<OperatorReply> reply;
  desk.post({.verb = OperatorVerb::hosts}, [&reply](const OperatorReply& said) { reply = said; });
  run_until(cluster, [&](const Observed& seen) {
    const auto* missed = std::get_if<Seen>(&seen.what);
    return missed != nullptr && missed->watch == silence && missed->who == component(HostId{kSilent});
  });
  EXPECT_TRUE(reply) << "an operator waits for a host that does not answer";
  EXPECT_GT(looks[kLost], 0);
  EXPECT_EQ(looks.size(), 1U) << "only the lost host is dialled again";
  EXPECT_EQ(longest_wait, 0s) << "the driver's thread waits for one host, and all others with it";
}

// What is undone, and when, only the agent knows: it also answers for a number that it never injected.
TEST_F(LostHosts, AFaultIsUndoneOnlyWhenItsAgentSaysSo) {
  FaultKind hang{.name = "rank_stopped", .component = ComponentKind::gpu};
  hang.effect = Effect::hang;
  world.faults = {hang};
  setup.plan = {{.at = kStart, .kind = FaultKindId{0}, .component = {ComponentKind::gpu, kLost}}};
  std::vector<std::uint64_t> asked;
  bool injected = false;
  platform.told = [&](const DriverMessage& message) {
    injected = injected || std::holds_alternative<DriverInject>(message);
    if (const auto* undo = std::get_if<DriverUndo>(&message)) asked.push_back(undo->injection);
  };
  RealCluster cluster(world, setup, Record{}, platform);
  const auto hear_all = [&] {
    while (cluster.next(kStart)) {
    }
  };
  const auto says = [&](const AgentMessage& message) {
    platform.listeners.at(kLost).receive(message);
    hear_all();
  };
  hear_all();
  cluster.start({OrderId{1}, Start{JobId{0}, 10min}});
  hear_all();
  ASSERT_TRUE(injected);
  const std::int64_t struck_ns = monotonic_ns();
  says(AgentInjected{.injection = 0, .ok = true, .at_ns = struck_ns, .why = {}});
  ASSERT_TRUE(cluster.journal().observed(0));

  desk.post({.verb = OperatorVerb::disarm}, [](const OperatorReply&) {});
  hear_all();
  const std::uint64_t in_run = injection_in_run(0, 1);
  EXPECT_EQ(asked, (std::vector<std::uint64_t>{0, in_run}));
  EXPECT_FALSE(cluster.journal().undone(0)) << "it was only asked for";
  says(AgentUndone{.injection = in_run, .at_ns = struck_ns + 1, .why = {}});
  EXPECT_FALSE(cluster.journal().undone(0)) << "nothing was injected under that number";
  says(AgentUndone{.injection = 0, .at_ns = struck_ns + 2, .why = "the watchdog does not answer"});
  EXPECT_FALSE(cluster.journal().undone(0)) << "it is not undone yet";
  says(AgentUndone{.injection = 0, .at_ns = struck_ns + 3, .why = {}});
  ASSERT_TRUE(cluster.journal().undone(0));
  EXPECT_EQ(cluster.journal().entries().back().at, kStart + Duration(struck_ns + 3 - setup.started_ns))
      << "by the agent's time";
}

TEST_F(LostHosts, ALaterDriverReportsTheFaultsThatAnEarlierOneMissed) {
  FaultKind hang{.name = "rank_stopped", .component = ComponentKind::gpu};
  hang.effect = Effect::hang;
  world.faults = {hang};
  setup.plan = {{.at = kStart, .kind = FaultKindId{0}, .component = {ComponentKind::gpu, kLost}}};
  Record so_far;
  {
    RealCluster first(world, setup, Record{}, platform);
    so_far.observations.push_back(first.next(kStart).value());
    while (first.next(kStart)) {
    }
    platform.listeners.at(kLost).receive(
        AgentInjected{.injection = 0, .ok = false, .at_ns = monotonic_ns(), .why = "it injects no faults"});
    while (first.next(kStart)) {
    }
    ASSERT_EQ(first.missed_faults().size(), 1U);
  }
  setup.epoch = 2;
  const RealCluster second(world, setup, so_far, platform);
  EXPECT_EQ(
      second.missed_faults(),
      std::vector<std::string>{"fault 0 (rank_stopped) on host 1 is not injected: it injects no faults"});
}

// Agents ended the ranks of two hosts for want of a lease; what became of the third's, nobody knows.
TEST_F(LostHosts, RanksThatEndedWithTheirLeaseAreVictims) {
  const auto exits = [](std::uint32_t watch, const decltype(Watch::until)& until) {
    return Watch{.id = WatchId{watch},
                 .signal = Signal::process_exit,
                 .who = Scope::all(ComponentKind::host),
                 .until = until};
  };
  Record so_far;
  so_far.observations = {{kStart, Started{JobId{0}, world.inventory}},
                         {kStart + 1s, Outcome{OrderId{3}, Status::done, 1s, Loaded{0}}}};
  so_far.orders = {{.at = kStart, .observations = 1, .order = {OrderId{1}, exits(7, Match{})}},
                   {.at = kStart,
                    .observations = 1,
                    .order = {OrderId{2}, exits(8, Outside{kAbortedByWatchdog, kAbortedByWatchdog})}},
                   {.at = kStart, .observations = 1, .order = {OrderId{3}, Start{JobId{0}, 10min}}}};
  setup.started_ns -= Duration(10s).count();
  setup.epoch = 2;
  platform.dialled = [&](std::uint32_t host) {
    platform.listeners.at(host).receive(AgentAttending{.epoch = 2,
                                                       .run = 0,
                                                       .ranks = {},
                                                       .identity = {},
                                                       .rank_uid = ::geteuid(),
                                                       .clock = {},
                                                       .lapsed_run = host == kSilent ? 0U : 1U});
  };
  RealCluster cluster(world, setup, so_far, platform);
  std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, double>>> seen;  // by watch: host, exit code
  while (const auto observed = cluster.next(kStart))
    if (const auto* exit = std::get_if<Seen>(&observed->what))
      seen[exit->watch.value].emplace_back(exit->who.index, exit->value);
  using Exits = std::vector<std::pair<std::uint32_t, double>>;
  EXPECT_EQ(seen[7], (Exits{{0, kAbortedByWatchdog}, {1, kAbortedByWatchdog}, {2, 137}}));
  EXPECT_EQ(seen[8], (Exits{{2, 137}})) << "victims are not among the culprits";
}

// The order comes at once; its ranks begin when the agent is back.
TEST_F(LostHosts, AStartWaitsForTheAgentThatIsStartedAgain) {
  RealCluster cluster(world, setup, Record{}, platform);
  lose(kLost);
  const auto go_on_until = [&](const std::function<bool()>& holds) {
    while (!holds())
      static_cast<void>(cluster.next(kStart + Duration(monotonic_ns() - setup.started_ns) + 10ms));
  };
  go_on_until([&] { return looks[kLost] > 0; });
  std::vector<std::uint32_t> told;
  platform.told = [&told](const DriverMessage& message) {
    if (const auto* start = std::get_if<DriverStartRanks>(&message)) told.push_back(start->ranks.front());
  };
  cluster.start({OrderId{1}, Start{JobId{0}, 10min}});
  go_on_until([&] { return looks[kLost] > 2; });
  EXPECT_TRUE(told.empty());
  attends_again = true;
  go_on_until([&] { return told.size() == 3; });
  EXPECT_EQ(told, (std::vector<std::uint32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace gauntlet
