#include "sim/faults/fault_arrivals.hpp"

#include "core/infinity.hpp"
#include "core/random/stream.hpp"
#include "models/world/blast_radius.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

FaultKind fault_kind(std::string name, Law life, FaultClock clock = FaultClock::always) {
  FaultKind kind;
  kind.name = std::move(name);
  kind.life = std::move(life);
  kind.clock = clock;
  return kind;
}

/// 3 hosts in the job and 2 spares, of 8 GPUs and 4 NICs each.
World world_with(std::vector<FaultKind> kinds) {
  World world;
  world.inventory.job_hosts = 3;
  world.inventory.spares = 2;
  world.inventory.gpus_per_host = 8;
  world.hardware.gpus_per_host = 8;
  world.hardware.nics_per_host = 4;
  world.faults = std::move(kinds);
  return world;
}

// --- ageing: lives of a known length -----------------------------------------------------------------------

/// Components that live for exactly `life` seconds of being on.
class KnownLives {
 public:
  KnownLives(double life, std::uint32_t count, std::uint32_t first_on) : life_(life), components_(count) {
    for (std::uint32_t c = 0; c < count; ++c)
      components_[c] = {.left = life, .on = c < first_on, .failed = false};
  }
  double next_time(double now) const {
    double next = kInfinity;
    for (const Component& each : components_) {
      if (each.on && !each.failed) next = std::min(next, now + each.left);
    }
    return next;
  }
  void pass(double seconds) {
    for (Component& each : components_) {
      if (each.on && !each.failed) each.left -= seconds;
    }
  }
  bool due(std::uint32_t c) const {
    return components_[c].on && !components_[c].failed && components_[c].left == 0;
  }
  void fail(std::uint32_t c) { components_[c].failed = true; }
  void turn(std::uint32_t c, bool on) { components_[c].on = on; }
  void renew(std::uint32_t c) {
    if (components_[c].failed) components_[c] = {.left = life_, .on = components_[c].on, .failed = false};
  }

 private:
  struct Component {
    double left;
    bool on, failed;
  };
  double life_;
  std::vector<Component> components_;
};

// Any order of turning off and on (also what is off, or was never on), failing and renewing (also what has
// not failed). All times are whole seconds, so that doubles are exact.
TEST(AgeingArrivals, AgeWhileOnAndOnlyThen) {
  constexpr std::uint32_t kCount = 6, kFirstOn = 4;
  FaultKind kind = fault_kind("x", Law::constant(100));
  kind.stationary_ages = false;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Stream draw(Seed{.study = seed}, stream_name("arrivals.operations"));
    AgeingArrivals arrivals(kind, Seed{.study = seed}, 0, kFirstOn);
    KnownLives model(100, kCount, kFirstOn);
    double now = 0;
    for (int i = 0; i < 400; ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", operation " + std::to_string(i) + ", " +
                   std::to_string(now) + " s");
      ASSERT_EQ(arrivals.next_time(), model.next_time(now));
      const auto component = static_cast<std::uint32_t>(draw.below(kCount));
      switch (draw.below(6)) {
        case 0:
          arrivals.turn_off(component, now);
          model.turn(component, false);
          break;
        case 1:
        case 2:
          arrivals.turn_on(component, now);
          model.turn(component, true);
          break;
        case 3:
          arrivals.renew(component, now);
          model.renew(component);
          break;
        case 4:
          if (arrivals.next_time() == now) {
            const std::uint32_t failed = arrivals.take();
            ASSERT_TRUE(model.due(failed)) << failed;
            model.fail(failed);
          }
          break;
        default:
          const double ahead = std::min(arrivals.next_time(), now + 1 + static_cast<double>(draw.below(60)));
          model.pass(ahead - now);
          now = ahead;
      }
    }
  }
}

TEST(AgeingArrivals, FailNoMoreUntilRenewed) {
  FaultKind kind = fault_kind("x", Law::weibull(10, 0.7));
  kind.stationary_ages = false;
  AgeingArrivals arrivals(kind, Seed{.study = 1}, 0, 20);
  std::set<std::uint32_t> failed;
  double now = 0;
  while (arrivals.next_time() < kInfinity) {
    EXPECT_GE(arrivals.next_time(), now);
    now = arrivals.next_time();
    EXPECT_TRUE(failed.insert(arrivals.take()).second);
  }
  EXPECT_EQ(failed.size(), 20u);
  arrivals.renew(7, now);
  EXPECT_GT(arrivals.next_time(), now);
  EXPECT_LT(arrivals.next_time(), kInfinity);
  EXPECT_EQ(arrivals.take(), 7u);
  EXPECT_EQ(arrivals.next_time(), kInfinity);
}

TEST(AgeingArrivals, StandAClockThatIsARoundingPastAFailure) {
  const FaultKind kind = fault_kind("x", Law::weibull(10, 0.7));
  AgeingArrivals arrivals(kind, Seed{.study = 1}, 0, 20);
  const double due = arrivals.next_time();
  arrivals.turn_off(3, std::nextafter(due, kInfinity));
  EXPECT_GE(arrivals.next_time(), due);
}

// --- ageing: statistics ------------------------------------------------------------------------------------

struct Average {
  double sum = 0, squares = 0;
  int n = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    ++n;
  }
  double mean() const { return sum / n; }
  double error() const { return std::sqrt((squares / n - mean() * mean()) / (n - 1)); }
};

/// Failures in `hours` of being on, each component drawn on its own and renewed at once.
int failures_one_by_one(const FaultKind& kind, std::uint32_t count, double hours, int replica) {
  int failures = 0;
  for (std::uint32_t c = 0; c < count; ++c) {
    Stream stream(Seed{.study = 1, .replica = static_cast<std::uint32_t>(replica)}, stream_name("one by one"),
                  c);
    double t = kind.stationary_ages ? kind.life.stationary_residual(0, stream) : kind.life.sample(stream);
    for (; t < hours; t += kind.life.sample(stream)) ++failures;
  }
  return failures;
}

/// The same by AgeingArrivals, with every component off for 10 hours after each 10 on, its neighbour the
/// other way round; the upper half are off at the start.
int failures_on_and_off(const FaultKind& kind, std::uint32_t count, int shifts, int replica) {
  int failures = 0;
  AgeingArrivals arrivals(kind, Seed{.study = 2, .replica = static_cast<std::uint32_t>(replica)}, 0,
                          count / 2);
  for (int shift = 0; shift < 2 * shifts; ++shift) {
    const double end = 10.0 * (shift + 1);
    while (arrivals.next_time() < end) {
      const double now = arrivals.next_time();
      arrivals.renew(arrivals.take(), now);
      ++failures;
    }
    for (std::uint32_t c = 0; c < count; ++c) {
      const bool was_on = (c < count / 2) == (shift % 2 == 0);
      was_on ? arrivals.turn_off(c, end) : arrivals.turn_on(c, end);
    }
  }
  return failures;
}

// Time spent off does not count: as many failures in 15 shifts of 10 hours as in 150 hours on end. The two
// averages are independent; 5 standard errors are one false alarm in 2 million, and the seeds are fixed.
TEST(AgeingArrivals, FailAsOftenInShiftsAsOnEnd) {
  struct Case {
    Law life;
    bool stationary;
  };
  for (const Case& each :
       {Case{Law::weibull_with_mean(100, 0.7), true}, Case{Law::weibull_with_mean(100, 0.7), false},
        Case{Law::lognormal_with_mean(80, 0.5), true}, Case{Law::uniform(20, 90), false}}) {
    FaultKind kind = fault_kind("x", each.life);
    kind.stationary_ages = each.stationary;
    Average expected, counted;
    for (int replica = 0; replica < 150; ++replica) {
      expected.add(failures_one_by_one(kind, 40, 150, replica));
      counted.add(failures_on_and_off(kind, 40, 15, replica));
    }
    EXPECT_NEAR(counted.mean(), expected.mean(), 5 * std::hypot(counted.error(), expected.error()))
        << each.life.name() << (each.stationary ? ", stationary" : ", new");
  }
}

// --- all kinds ---------------------------------------------------------------------------------------------

using Struck = std::tuple<double, std::uint32_t, ComponentKind, std::uint32_t>;  // when, kind, component

/// All strikes on a clock until `until`, renewing what failed `repair` later.
std::vector<Struck> strikes(const World& world, FaultClock clock, double until, double repair = 5) {
  FaultArrivals arrivals(world, Seed{.study = 4, .replica = 2});
  std::vector<Struck> all;
  std::vector<std::pair<double, Strike>> repairs;  // by when
  while (true) {
    const double due = repairs.empty() ? kInfinity : repairs.front().first;
    const double next = arrivals.next_time(clock);
    if (std::min(due, next) >= until) return all;
    if (due < next) {
      arrivals.renew(repairs.front().second.kind, repairs.front().second.component.index, due);
      repairs.erase(repairs.begin());
      continue;
    }
    const Strike strike = arrivals.take(clock);
    all.emplace_back(next, strike.kind.value, strike.component.kind, strike.component.index);
    repairs.emplace_back(next + repair, strike);
  }
}

std::vector<FaultKind> four_kinds(FaultClock clock) {
  std::vector<FaultKind> kinds = {
      fault_kind("a", Law::exponential(300), clock), fault_kind("b", Law::weibull_with_mean(200, 0.7), clock),
      fault_kind("c", Law::constant(1), clock), fault_kind("d", Law::gamma(100, 2), clock)};
  kinds[0].component = ComponentKind::gpu;
  kinds[1].component = ComponentKind::nic;
  using namespace std::chrono_literals;
  kinds[2].trace = {{kStart + 3s, 1}, {kStart + 3s, 0}, {kStart + 40s, 4}};
  kinds[3].component = ComponentKind::job;
  return kinds;
}

class FaultArrivalsTest : public testing::TestWithParam<FaultClock> {};
INSTANTIATE_TEST_SUITE_P(Clocks, FaultArrivalsTest, testing::Values(FaultClock::always, FaultClock::training),
                         [](const auto& info) {
                           return info.param == FaultClock::always ? "Always" : "Training";
                         });

// A kind's arrivals depend on its name alone: all kinds together strike as each does by itself, merged.
TEST_P(FaultArrivalsTest, StrikeAsEachKindDoesByItself) {
  const std::vector<FaultKind> kinds = four_kinds(GetParam());
  std::vector<Struck> merged;
  for (std::uint32_t k = 0; k < kinds.size(); ++k) {
    std::vector<Struck> alone = strikes(world_with({kinds[k]}), GetParam(), 500);
    EXPECT_GE(alone.size(), 3u) << kinds[k].name;
    for (Struck& each : alone) std::get<1>(each) = k;
    merged.insert(merged.end(), alone.begin(), alone.end());
  }
  std::stable_sort(merged.begin(), merged.end(), [](const Struck& a, const Struck& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  EXPECT_EQ(strikes(world_with(kinds), GetParam(), 500), merged);
}

TEST_P(FaultArrivalsTest, KeepToTheirClock) {
  const World world = world_with(four_kinds(GetParam()));
  const FaultClock other = GetParam() == FaultClock::always ? FaultClock::training : FaultClock::always;
  FaultArrivals arrivals(world, Seed{.study = 4});
  EXPECT_LT(arrivals.next_time(GetParam()), 10);
  EXPECT_EQ(arrivals.next_time(other), kInfinity);
}

TEST(FaultArrivals, OfATraceComeAsGiven) {
  using namespace std::chrono_literals;
  FaultKind kind =
      fault_kind("traced", Law::exponential(1), FaultClock::training);  // its life does not matter
  kind.component = ComponentKind::gpu;
  kind.trace = {{kStart + 1500ms, 9}, {kStart + 1500ms, 3}, {kStart + 2s, 9}};
  const World world = world_with({kind});
  FaultArrivals arrivals(world, Seed{});
  for (const auto& [seconds, gpu] : {std::pair(1.5, 9u), std::pair(1.5, 3u), std::pair(2.0, 9u)}) {
    EXPECT_EQ(arrivals.next_time(FaultClock::training), seconds);
    const Strike strike = arrivals.take(FaultClock::training);
    EXPECT_EQ(strike.component, (ComponentId{ComponentKind::gpu, gpu}));
    arrivals.renew(strike.kind, gpu, seconds);  // changes nothing
    arrivals.turn_off(FaultClock::training, HostId{1}, seconds);
  }
  EXPECT_EQ(arrivals.next_time(FaultClock::training), kInfinity);
}

// 40 GPUs of mean life 300 s strike every 7.5 s, in 30,000 s 4,000 times, +- 63; each GPU equally often, 100
// +- 10.
TEST(FaultArrivals, OfAnExponentialLawAreAPoissonProcess) {
  FaultKind kind = fault_kind("a", Law::exponential(300));
  kind.component = ComponentKind::gpu;
  const std::vector<Struck> all = strikes(world_with({kind}), FaultClock::always, 30'000);
  EXPECT_NEAR(static_cast<double>(all.size()), 4'000, 5 * 63);
  std::vector<int> hits(40);
  double squares = 0, before = 0;
  for (const auto& [at, k, component, index] : all) {
    EXPECT_EQ(component, ComponentKind::gpu);
    ++hits.at(index);
    squares += (at - before) * (at - before);
    before = at;
  }
  for (std::size_t gpu = 0; gpu < hits.size(); ++gpu) EXPECT_NEAR(hits[gpu], 100, 50) << "GPU " << gpu;
  // The gaps are exponential: their mean square is 2 * 7.5^2 = 112.5, with a standard error of
  // sqrt(24 - 4) * 7.5^2 / sqrt(4000) = 4.
  EXPECT_NEAR(squares / static_cast<double>(all.size()), 112.5, 20);
}

// It takes no note of what a policy does.
TEST(FaultArrivals, OfAnExponentialLawAreTheSameWhateverIsTurnedOffOrRenewed) {
  const World world = world_with({fault_kind("a", Law::exponential(10))});
  FaultArrivals left_alone(world, Seed{}), disturbed(world, Seed{});
  for (int i = 0; i < 100; ++i) {
    const double now = left_alone.next_time(FaultClock::always);
    ASSERT_EQ(disturbed.next_time(FaultClock::always), now);
    const Strike strike = left_alone.take(FaultClock::always);
    ASSERT_EQ(disturbed.take(FaultClock::always).component, strike.component);
    disturbed.turn_off(FaultClock::always, HostId{strike.component.index}, now);
    disturbed.renew(strike.kind, strike.component.index, now);
    disturbed.turn_on(FaultClock::always, HostId{strike.component.index}, now);
  }
}

// GPUs that live for exactly 100 s: on the clock of training those of the spares (hosts 3 and 4) do not age.
TEST(FaultArrivals, AgeOnTheClockOfTrainingOnlyInTheJob) {
  FaultKind kind = fault_kind("gpu", Law::constant(100), FaultClock::training);
  kind.component = ComponentKind::gpu;
  kind.stationary_ages = false;
  const World world = world_with({kind});
  FaultArrivals arrivals(world, Seed{});
  arrivals.turn_off(FaultClock::training, HostId{1}, 60);  // leaves the job, with 40 s to live
  arrivals.turn_on(FaultClock::training, HostId{4}, 60);   // takes its place, new
  arrivals.turn_off(FaultClock::always, HostId{2}, 60);    // another clock: no matter here
  const auto take_hosts = [&](double now) {
    std::multiset<std::uint32_t> hosts;
    while (arrivals.next_time(FaultClock::training) == now) {
      hosts.insert(hosts_of(world, arrivals.take(FaultClock::training).component).first.value);
    }
    return hosts;
  };
  const auto eight_each = [](std::initializer_list<std::uint32_t> hosts) {
    std::multiset<std::uint32_t> expected;
    for (const std::uint32_t host : hosts) {
      for (int gpu = 0; gpu < 8; ++gpu) expected.insert(host);
    }
    return expected;
  };
  EXPECT_EQ(take_hosts(100), eight_each({0, 2}));
  arrivals.turn_on(FaultClock::training, HostId{1}, 110);
  EXPECT_EQ(take_hosts(150), eight_each({1}));  // 110 + 40
  EXPECT_EQ(take_hosts(160), eight_each({4}));  // 60 + 100
  EXPECT_EQ(arrivals.next_time(FaultClock::training), kInfinity);
  arrivals.renew(FaultKindId{0}, 8 * 2 + 5, 170);  // GPU 5 of host 2 is replaced
  EXPECT_EQ(take_hosts(270), std::multiset<std::uint32_t>{2});
}

TEST(FaultArrivals, AgeOnTheWallClockAlsoAsSpares) {
  FaultKind kind = fault_kind("nic", Law::constant(100));
  kind.component = ComponentKind::nic;
  kind.stationary_ages = false;
  const World world = world_with({kind});
  FaultArrivals arrivals(world, Seed{});
  std::set<std::uint32_t> nics;
  while (arrivals.next_time(FaultClock::always) == 100)
    nics.insert(arrivals.take(FaultClock::always).component.index);
  EXPECT_EQ(nics.size(), 20u);  // 5 hosts of 4
  EXPECT_EQ(*nics.rbegin(), 19u);
}

/// What strikes a component that concerns the job's first hosts.
std::vector<Struck> strikes_of_job(World world, std::uint32_t spares, FaultClock clock) {
  world.inventory.spares = spares;
  std::vector<Struck> all = strikes(world, clock, 2'000);
  std::erase_if(all, [&](const Struck& each) {
    const ComponentId component{std::get<2>(each), std::get<3>(each)};
    return hosts_of(world, component).first.value >= world.inventory.job_hosts;
  });
  return all;
}

// Hosts beside strike by draws of their own: two scenarios that differ by their spares meet the same faults on the job's hosts.
TEST_P(FaultArrivalsTest, OfTheJobAreTheSameWhateverStandsBeside) {
  std::vector<FaultKind> kinds = four_kinds(GetParam());
  kinds.push_back(fault_kind("lemons", Law::exponential(300), GetParam()));
  kinds.back().component = ComponentKind::host;
  kinds.back().profile.lemons = {.share = 0.4, .factor = 5};
  kinds.back().profile.batches = {{.first = 1, .last = 6, .factor = 3}};
  kinds.push_back(fault_kind("rack", Law::exponential(300), GetParam()));
  kinds.back().component = ComponentKind::rack;
  World world = world_with(kinds);
  world.fabric.hosts_per_rack = 2;
  const std::vector<Struck> without = strikes_of_job(world, 0, GetParam());
  std::set<std::uint32_t> struck;
  for (const Struck& each : without) struck.insert(std::get<1>(each));
  EXPECT_EQ(struck.size(), kinds.size());
  for (const std::uint32_t spares : {1U, 2U, 40U})
    EXPECT_EQ(strikes_of_job(world, spares, GetParam()), without) << spares;
}

TEST(PoissonHosts, OfTheJobAreTheSameWhateverStandsBeside) {
  const auto on_job = [](std::uint32_t spares) {
    Inventory inventory;
    inventory.job_hosts = 3;
    inventory.spares = spares;
    PoissonHosts hosts(std::chrono::seconds(100), Seed{.study = 1}, stream_name("hosts"), inventory);
    std::vector<std::pair<Time, std::uint32_t>> all;
    std::uint32_t beside = 0;
    while (all.size() < 50) {
      const Time at = hosts.next();
      const std::uint32_t host = hosts.take().value;
      EXPECT_LT(host, 3 + spares);
      if (host < 3) {
        all.emplace_back(at, host);
      } else {
        ++beside;
      }
    }
    return std::pair(all, beside);
  };
  const auto [without, none] = on_job(0);
  const auto [with, some] = on_job(6);
  EXPECT_EQ(with, without);
  EXPECT_EQ(none, 0u);
  EXPECT_NEAR(some, 100, 5 * std::sqrt(100 * 3.0));  // two beside for each of the job
}

TEST(FaultArrivals, OfTheJobItselfAreNotTurnedOffWithAHost) {
  FaultKind kind = fault_kind("job", Law::constant(100), FaultClock::training);
  kind.component = ComponentKind::job;
  kind.stationary_ages = false;
  const World world = world_with({kind});
  FaultArrivals arrivals(world, Seed{});
  arrivals.turn_off(FaultClock::training, HostId{0}, 50);
  EXPECT_EQ(arrivals.next_time(FaultClock::training), 100);
  EXPECT_EQ(arrivals.take(FaultClock::training).component, (ComponentId{ComponentKind::job, 0}));
}

TEST(FaultArrivals, DifferBySeedAndReplicaAlone) {
  const World world = world_with(four_kinds(FaultClock::always));
  const auto first = [&world](Seed seed) { return FaultArrivals(world, seed).next_time(FaultClock::always); };
  EXPECT_EQ(first({.study = 1, .replica = 1}), first({.study = 1, .replica = 1}));
  EXPECT_NE(first({.study = 1, .replica = 1}), first({.study = 1, .replica = 2}));
  EXPECT_NE(first({.study = 1, .replica = 1}), first({.study = 2, .replica = 1}));
}

}  // namespace
}  // namespace gauntlet
