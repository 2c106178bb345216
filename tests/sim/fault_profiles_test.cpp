// Rates that differ between components and over time, what is there from the beginning, and what comes with a start.
// Statistics are of committed seeds and stay within 4 standard deviations of the closed form.
#include "models/world/blast_radius.hpp"
#include "sim/faults/fault_arrivals.hpp"
#include "sim/faults/fault_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

constexpr Seed kProfileSeed{.study = 42, .replica = 6};
constexpr double kAllowed = 4;  // standard deviations
constexpr double kHourSeconds = 3600, kDaySeconds = 86'400;

/// `hosts` hosts of one GPU and one NIC, all in the job, 10 of them under a ToR switch, and one kind of fault.
World world_with_fault(std::uint32_t hosts, FaultKind kind) {
  World world;
  world.inventory.job_hosts = hosts;
  world.inventory.gpus_per_host = world.hardware.gpus_per_host = world.hardware.nics_per_host = 1;
  world.inventory.hosts_per_tor = 10;
  world.fabric.kind = FabricKind::clos;
  world.faults = {std::move(kind)};
  return world;
}

FaultKind host_fault(double mean_life, RateProfile profile = {}) {
  FaultKind kind;
  kind.name = "fault";
  kind.life = Law::exponential(mean_life);
  kind.profile = std::move(profile);
  return kind;
}

struct OneStrike {
  double at;
  std::uint32_t component;
  friend bool operator==(const OneStrike&, const OneStrike&) = default;
};

std::vector<OneStrike> all_strikes(const World& world, double until, Seed seed = kProfileSeed) {
  FaultArrivals arrivals(world, seed);
  std::vector<OneStrike> strikes;
  while (arrivals.next_time(FaultClock::always) < until) {
    const double at = arrivals.next_time(FaultClock::always);
    strikes.push_back({at, arrivals.take(FaultClock::always).component.index});
  }
  return strikes;
}

std::int64_t strikes_where(const std::vector<OneStrike>& strikes,
                           const std::function<bool(const OneStrike&)>& which) {
  return std::count_if(strikes.begin(), strikes.end(), which);
}

/// A number of strikes of a Poisson process that has `expected` of them.
void expect_poisson(std::int64_t counted, double expected) {
  EXPECT_LT(std::fabs(static_cast<double>(counted) - expected), kAllowed * std::sqrt(expected))
      << counted << " where " << expected << " are expected";
}

// --- rates -----------------------------------------------------------------------------------------------------------

// 1,000 of 5,000 hosts in the mean strike five times as often: 5 x 0.2 / 1.8 = 56% of the strikes are theirs. Good ones, which
// strike a fifth as often, are drawn by another way.
TEST(FaultProfiles, LemonsTakeTheirShare) {
  for (const double factor : {5.0, 0.2}) {
    const FaultKind kind = host_fault(100, {.lemons = {.share = 0.2, .factor = factor}});
    const std::vector<OneStrike> strikes = all_strikes(world_with_fault(5000, kind), 600);
    const ProfiledArrivals same(kind, kProfileSeed, 0, 5000);
    const std::set<std::uint32_t> lemons(same.lemons().begin(), same.lemons().end());
    EXPECT_NEAR(static_cast<double>(lemons.size()), 1000, kAllowed * std::sqrt(5000 * 0.2 * 0.8));
    const auto of_lemons =
        strikes_where(strikes, [&](const OneStrike& s) { return lemons.contains(s.component); });
    expect_poisson(of_lemons, 6 * factor * static_cast<double>(lemons.size()));
    expect_poisson(std::ssize(strikes) - of_lemons, 6.0 * static_cast<double>(5000 - lemons.size()));
  }
}

// Whoever does not know which are lemons sees them in the spread: strikes of one host in 6 mean lives have the variance
// m + Var(rate): 10.8 + 36 x 16 x 0.2 x 0.8 = 103 where a Poisson law has 10.8. Other replicas have other lemons.
TEST(FaultProfiles, LemonsSpreadTheCountsOfComponents) {
  const World world = world_with_fault(5000, host_fault(100, {.lemons = {.share = 0.2, .factor = 5}}));
  double sum = 0, squares = 0;
  std::vector<int> first(5000), second(5000);
  for (const OneStrike& s : all_strikes(world, 600)) ++first[s.component];
  for (const OneStrike& s : all_strikes(world, 600, {.study = 42, .replica = 7})) ++second[s.component];
  double together = 0;
  for (std::size_t c = 0; c < first.size(); ++c) {
    sum += first[c];
    squares += first[c] * first[c];
    together += first[c] * second[c];
  }
  const double mean = sum / 5000;
  EXPECT_NEAR(mean, 10.8, kAllowed * std::sqrt(103.0 / 5000));
  EXPECT_NEAR(squares / 5000 - mean * mean, 103, kAllowed * 103 * std::sqrt(4.0 / 5000));
  EXPECT_NEAR(together / 5000 - mean * mean, 0, kAllowed * 103 / std::sqrt(5000.0) + 1);
}

TEST(FaultProfiles, BatchesStrikeAtTheirOwnRates) {
  const World world =
      world_with_fault(300, host_fault(1, {.batches = {{.first = 0, .last = 99, .factor = 3},
                                                       {.first = 100, .last = 199, .factor = 0.2}}}));
  const std::vector<OneStrike> strikes = all_strikes(world, 100);
  const auto between = [&](std::uint32_t first, std::uint32_t last) {
    return strikes_where(strikes,
                         [=](const OneStrike& s) { return s.component >= first && s.component <= last; });
  };
  expect_poisson(between(0, 99), 30'000);
  expect_poisson(between(100, 199), 2'000);
  expect_poisson(between(200, 299), 10'000);
  expect_poisson(strikes_where(strikes, [](const OneStrike& s) { return s.component == 99; }), 300);
  expect_poisson(strikes_where(strikes, [](const OneStrike& s) { return s.component == 100; }), 20);
}

// Hour by hour over 20 days: the integral of the cosine, as a chi-squared of 24 counts (mean 24, variance 48).
TEST(FaultProfiles, ADailyCycleFollowsTheHours) {
  constexpr double kTurn = 2 * std::numbers::pi;
  const World world = world_with_fault(100, host_fault(20'000, {.daily = {.amplitude = 0.6, .peak = 15h}}));
  std::array<double, 24> hours{};
  const std::vector<OneStrike> strikes = all_strikes(world, 20 * kDaySeconds);
  for (const OneStrike& s : strikes)
    ++hours[static_cast<std::size_t>(std::fmod(s.at, kDaySeconds) / kHourSeconds)];
  const double mean = 20 * kHourSeconds * 100 / 20'000;
  double chi_squared = 0;
  for (int h = 0; h < 24; ++h) {
    const double swing = std::sin(kTurn * (h + 1 - 15) / 24) - std::sin(kTurn * (h - 15) / 24);
    const double expected = mean * (1 + 0.6 * 24 / kTurn * swing);
    const double off = hours[static_cast<std::size_t>(h)] - expected;
    chi_squared += off * off / expected;
  }
  EXPECT_LT(std::fabs(chi_squared - 24), kAllowed * std::sqrt(48.0)) << strikes.size();
  expect_poisson(std::ssize(strikes), 24 * mean);
}

TEST(FaultProfiles, ACurveHoldsFromEachTimeToTheNext) {
  const World world = world_with_fault(
      100, host_fault(100, {.curve = {{kStart + 10s, 8.0}, {kStart + 30s, 0.0}, {kStart + 500s, 0.5}}}));
  const std::vector<OneStrike> strikes = all_strikes(world, 2'500);
  const auto between = [&](double from, double to) {
    return strikes_where(strikes, [=](const OneStrike& s) { return s.at >= from && s.at < to; });
  };
  expect_poisson(between(0, 10), 10);
  expect_poisson(between(10, 30), 160);
  EXPECT_EQ(between(30, 500), 0);
  expect_poisson(between(500, 2'500), 1'000);
}

// All of it at once, in time and between components: the rates multiply. From 18h to midnight is a quarter of a day, the
// cycle's mean there 1 + 2 / pi, the curve at 4.
TEST(FaultProfiles, Multiply) {
  const FaultKind kind = host_fault(kDaySeconds, {.lemons = {.share = 0.5, .factor = 3},
                                                  .batches = {{.first = 0, .last = 499, .factor = 2}},
                                                  .daily = {.amplitude = 1, .peak = 0h},
                                                  .curve = {{kStart + 12h, 4.0}}});
  const std::vector<OneStrike> strikes = all_strikes(world_with_fault(1000, kind), kDaySeconds);
  const ProfiledArrivals same(kind, kProfileSeed, 0, 1000);
  const std::set<std::uint32_t> lemons(same.lemons().begin(), same.lemons().end());
  const double evening = 0.25 * (1 + 2 / std::numbers::pi) * 4;
  for (const bool lemon : {false, true}) {
    for (const bool batch : {false, true}) {
      const auto is_one = [&](std::uint32_t c) { return lemons.contains(c) == lemon && (c < 500) == batch; };
      double components = 0;
      for (std::uint32_t c = 0; c < 1000; ++c) components += is_one(c);
      expect_poisson(
          strikes_where(strikes,
                        [&](const OneStrike& s) { return is_one(s.component) && s.at >= 18 * kHourSeconds; }),
          components * (lemon ? 3 : 1) * (batch ? 2 : 1) * evening);
    }
  }
}

// What says nothing changes nothing, to the last bit; and no profile moves another kind's strikes.
TEST(FaultProfiles, LeaveOthersAlone) {
  const std::vector<OneStrike> plain = all_strikes(world_with_fault(50, host_fault(100)), 1'000);
  const RateProfile nothing{
      .lemons = {.share = 0.5, .factor = 1}, .batches = {{0, 9, 1}}, .curve = {{kStart, 1.0}}};
  EXPECT_EQ(all_strikes(world_with_fault(50, host_fault(100, nothing)), 1'000), plain);

  World world = world_with_fault(50, host_fault(100));
  world.faults.push_back(host_fault(100, {.daily = {.amplitude = 1, .peak = 3h}}));
  world.faults[1].name = "other";
  world.faults[1].prevalence = Probability{0.5};
  FaultArrivals arrivals(world, kProfileSeed);
  arrivals.present_at_start();
  std::vector<OneStrike> first;
  while (arrivals.next_time(FaultClock::always) < 1'000) {
    const double at = arrivals.next_time(FaultClock::always);
    const Strike strike = arrivals.take(FaultClock::always);
    if (strike.kind == FaultKindId{0}) first.push_back({at, strike.component.index});
  }
  EXPECT_EQ(first, plain);
}

// --- from the beginning ----------------------------------------------------------------------------------------------

TEST(Prevalence, IsAShareOfTheComponents) {
  FaultKind kind = host_fault(1e300);
  kind.prevalence = Probability{0.005};
  const World world = world_with_fault(400'000, kind);
  FaultArrivals arrivals(world, kProfileSeed);
  const std::vector<Strike> present = arrivals.present_at_start();
  EXPECT_NEAR(static_cast<double>(present.size()), 2'000, kAllowed * std::sqrt(2'000 * 0.995));
  std::array<int, 10> tenths{};
  for (std::size_t i = 0; i < present.size(); ++i) {
    EXPECT_EQ(present[i].component.kind, ComponentKind::host);
    if (i > 0) {
      EXPECT_LT(present[i - 1].component.index, present[i].component.index);
    }
    ++tenths[present[i].component.index / 40'000];
  }
  for (const int tenth : tenths) EXPECT_NEAR(tenth, 200, kAllowed * std::sqrt(200.0));
  EXPECT_GT(arrivals.next_time(FaultClock::always), 1e200);
}

// Neighbours hit and miss on their own: of pairs (2k, 2k + 1) a quarter hits both at one half.
TEST(Prevalence, IsDrawnForEachComponentOnItsOwn) {
  FaultKind kind = host_fault(1e300);
  kind.prevalence = Probability{0.5};
  std::set<std::uint32_t> hit;
  const World world = world_with_fault(20'000, kind);
  FaultArrivals arrivals(world, kProfileSeed);
  for (const Strike& strike : arrivals.present_at_start()) hit.insert(strike.component.index);
  int both = 0;
  for (std::uint32_t k = 0; k < 10'000; ++k) both += hit.contains(2 * k) && hit.contains(2 * k + 1);
  EXPECT_NEAR(both, 2'500, kAllowed * std::sqrt(10'000 * 0.25 * 0.75));
}

TEST(Prevalence, OfNoneAndAll) {
  FaultKind kind = host_fault(1e300);
  const World none = world_with_fault(100, kind);
  EXPECT_TRUE(FaultArrivals(none, kProfileSeed).present_at_start().empty());
  kind.prevalence = Probability{1};
  const World all = world_with_fault(100, kind);
  const auto present = FaultArrivals(all, kProfileSeed).present_at_start();
  ASSERT_EQ(present.size(), 100u);
  for (std::uint32_t c = 0; c < 100; ++c) EXPECT_EQ(present[c].component.index, c);
}

// Hosts that live for 100 s, new at the start, but for those that are broken already: they live from their repair on.
TEST(Prevalence, WhatIsBrokenDoesNotAgeUntilItIsRenewed) {
  FaultKind kind = host_fault(1);
  kind.life = Law::constant(100);
  kind.stationary_ages = false;
  kind.prevalence = Probability{0.3};
  const World world = world_with_fault(20, kind);
  FaultArrivals arrivals(world, kProfileSeed);
  std::set<std::uint32_t> broken, failed;
  for (const Strike& strike : arrivals.present_at_start()) broken.insert(strike.component.index);
  ASSERT_FALSE(broken.empty());
  arrivals.renew(FaultKindId{0}, *broken.begin(), 30);
  while (arrivals.next_time(FaultClock::always) == 100)
    failed.insert(arrivals.take(FaultClock::always).component.index);
  EXPECT_EQ(failed.size(), 20 - broken.size());
  for (const std::uint32_t host : broken) EXPECT_FALSE(failed.contains(host));
  EXPECT_EQ(arrivals.next_time(FaultClock::always), 130);
  EXPECT_EQ(arrivals.take(FaultClock::always).component.index, *broken.begin());
  EXPECT_EQ(arrivals.next_time(FaultClock::always), std::numeric_limits<double>::infinity());
}

// --- with a start ----------------------------------------------------------------------------------------------------

FaultKind start_fault(double chance) {
  FaultKind kind = host_fault(1);  // its life does not matter
  kind.clock = FaultClock::start;
  kind.chance = Probability{chance};
  return kind;
}

// A start of N hosts goes well with probability (1 - c)^N = 0.99^100 = 36.6%.
TEST(AtStart, EachStartIsAChanceOfItsOwn) {
  const World world = world_with_fault(100, start_fault(0.01));
  FaultArrivals arrivals(world, kProfileSeed);
  constexpr int kStarts = 20'000;
  int well = 0;
  std::int64_t hits = 0;
  for (std::uint64_t n = 0; n < kStarts; ++n) {
    const auto strikes = arrivals.at_start_of_job(n);
    well += strikes.empty();
    hits += std::ssize(strikes);
    if (n % 1000 != 0) continue;
    const auto again = arrivals.at_start_of_job(n);
    ASSERT_EQ(again.size(), strikes.size());
    for (std::size_t i = 0; i < again.size(); ++i) EXPECT_EQ(again[i].component, strikes[i].component);
  }
  const double p = std::pow(0.99, 100);
  EXPECT_NEAR(well, kStarts * p, kAllowed * std::sqrt(kStarts * p * (1 - p)));
  expect_poisson(hits, kStarts);
}

TEST(AtStart, NothingComesOnAClock) {
  const World world = world_with_fault(100, start_fault(1));
  FaultArrivals arrivals(world, kProfileSeed);
  for (const FaultClock clock : {FaultClock::always, FaultClock::training, FaultClock::start})
    EXPECT_EQ(arrivals.next_time(clock), std::numeric_limits<double>::infinity());
  EXPECT_EQ(arrivals.at_start_of_job(3).size(), 100u);
  FaultKind other = host_fault(10);
  other.chance = Probability{1};  // of another clock: no chance
  const World without = world_with_fault(100, other);
  EXPECT_TRUE(FaultArrivals(without, kProfileSeed).at_start_of_job(0).empty());
}

// --- failure domains -------------------------------------------------------------------------------------------------

TEST(FailureDomains, StrikeAsOneAndAreNeverOff) {
  FaultKind kind = host_fault(1);
  kind.component = ComponentKind::tor;
  kind.life = Law::constant(100);
  kind.stationary_ages = false;
  kind.clock = FaultClock::training;
  const World world = world_with_fault(95, kind);
  FaultArrivals arrivals(world, kProfileSeed);
  arrivals.turn_off(FaultClock::training, HostId{0}, 10);
  std::set<std::uint32_t> switches;
  while (arrivals.next_time(FaultClock::training) == 100) {
    const Strike strike = arrivals.take(FaultClock::training);
    EXPECT_EQ(strike.component.kind, ComponentKind::tor);
    switches.insert(strike.component.index);
  }
  EXPECT_EQ(switches.size(), 10u);
  EXPECT_EQ(hosts_of(world, {ComponentKind::tor, 9}).count, 5u);
}

TEST(FaultPlan, HoldsWhatIsThereFromTheBeginning) {
  FaultKind kind = host_fault(1e300);
  kind.prevalence = Probability{1};
  World world = world_with_fault(3, kind);
  world.inventory.spares = 2;  // also broken, and no part of the plan
  world.faults.push_back(start_fault(1));
  world.faults[1].name = "start";
  const FaultPlan plan = draw_plan(world, kProfileSeed, kStart + 1h);
  ASSERT_EQ(plan.size(), 6u);
  for (const PlannedFault& fault : plan) EXPECT_EQ(fault.at, kStart);
  const World planned = with_plan(world, plan);
  EXPECT_TRUE(FaultArrivals(planned, kProfileSeed).present_at_start().empty());
  EXPECT_TRUE(FaultArrivals(planned, kProfileSeed).at_start_of_job(0).empty());
}

}  // namespace
}  // namespace gauntlet
