// The compensated counts of faults against what the theory of counting processes says of them, which no code here computes:
// strikes less their compensator have the mean zero and, for single strikes, the variance of the expected number of strikes
// (Andersen, Borgan, Gill, Keiding, Statistical Models Based on Counting Processes, 1993, sec. II.4), whatever is done to the
// components on the way and whenever the run ends, as long as that follows from the past.
#include "core/random/stream.hpp"
#include "models/world/blast_radius.hpp"
#include "sim/faults/fault_arrivals.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kPlays = 4000;
constexpr double kMeanLife = 1e5;       // seconds, a little over a day
constexpr double kAllowedErrors = 4.5;  // standard errors: 1 in 150,000 for each of some fifty checks

struct CountedCase {
  std::string name;
  Law life;
  bool stationary = true;
  ComponentKind component = ComponentKind::gpu;
  RateProfile profile{};
};

World world_of(const CountedCase& of) {
  World world;
  world.inventory.job_hosts = 4;
  world.inventory.spares = 2;
  world.inventory.gpus_per_host = world.hardware.gpus_per_host = 2;
  world.hardware.nics_per_host = 1;
  world.inventory.hosts_per_tor = 2;
  world.fabric.kind = FabricKind::clos;
  FaultKind kind;
  kind.name = "fault";
  kind.component = of.component;
  kind.life = of.life;
  kind.stationary_ages = of.stationary;
  kind.profile = of.profile;
  world.faults = {kind};
  return world;
}

/// Sums over runs of one number each.
class Sums {
 public:
  void add(double value) {
    sum_ += value;
    squares_ += value * value;
    fourths_ += value * value * value * value;
    ++count_;
  }
  double mean() const { return sum_ / count_; }
  double square() const { return squares_ / count_; }
  double error() const { return std::sqrt(square() / count_); }
  double error_of_square() const { return std::sqrt((fourths_ / count_ - square() * square()) / count_); }

 private:
  double sum_ = 0, squares_ = 0, fourths_ = 0, count_ = 0;
};

/// A run of five mean lives in which people do what comes to their minds, by what they saw: hosts go off and on, components are
/// renewed late or never, lemons are cured. `strikes_until_end`: the run ends with this strike, if it comes.
struct Played {
  double compensated = 0;
  std::uint32_t strikes = 0;  // on the components that the job begins on
};
Played play(const World& world, std::uint32_t run, std::uint32_t strikes_until_end) {
  const Seed seed{.study = 11, .replica = run};
  const FaultClock clock = FaultClock::always;
  const std::uint32_t of_job = component_count_of_job(world, world.faults[0].component);
  const double end = 5 * kMeanLife;
  FaultArrivals arrivals(world, seed);
  Stream whims(seed, stream_name("whims"));
  std::set<std::uint32_t> failed;
  std::set<std::uint32_t> off;
  Played out;
  double whim = 0, now = 0;
  while (true) {
    if (whim <= now) whim = now + kMeanLife / 5 * whims.uniform();
    const double strike = arrivals.next_time(clock);
    now = std::min(strike, whim);
    if (now >= end) break;
    if (strike <= whim) {
      const Strike struck = arrivals.take(clock);
      failed.insert(struck.component.index);
      if (struck.component.index < of_job && ++out.strikes == strikes_until_end) {
        out.compensated = arrivals.compensated(FaultKindId{0}, now);
        return out;
      }
      continue;
    }
    // Whoever saw many strikes lets hosts rest.
    const HostId host{static_cast<std::uint32_t>(whims.below(world.inventory.hosts()))};
    const double what = whims.uniform();
    if (what < 0.3 + 0.05 * out.strikes && off.insert(host.value).second)
      arrivals.turn_off(clock, host, now);
    else if (off.erase(host.value) > 0)
      arrivals.turn_on(clock, host, now);
    if (!failed.empty() && what > 0.4) {
      arrivals.renew(FaultKindId{0}, *failed.begin(), now);
      failed.erase(failed.begin());
    }
    if (what > 0.8) arrivals.cure(host, now, 0);
  }
  out.compensated = arrivals.compensated(FaultKindId{0}, end);
  return out;
}

std::vector<CountedCase> counted_cases() {
  RateProfile lemons{.lemons = {.share = 0.3, .factor = 5, .cured = true}};
  RateProfile better{.lemons = {.share = 0.5, .factor = 0.2}};
  RateProfile batches{
      .batches = {{.first = 1, .last = 3, .factor = 4}, {.first = 6, .last = 9, .factor = 0.25}}};
  RateProfile days{.daily = {.amplitude = 0.8, .peak = 7h}};
  RateProfile curve{.curve = {{kStart + 14h, 3}, {kStart + 56h, 0}, {kStart + 90h, 0.5}}};
  RateProfile all = lemons;
  all.batches = batches.batches;
  all.daily = days.daily;
  all.curve = curve.curve;
  const double lives[] = {kMeanLife / 5, 1.4 * kMeanLife}, weights[] = {1, 2};
  return {
      {"exponential", Law::exponential(kMeanLife)},
      {"exponential of switches", Law::exponential(kMeanLife), true, ComponentKind::tor},
      {"lemons", Law::exponential(kMeanLife), true, ComponentKind::gpu, lemons},
      {"better ones", Law::exponential(kMeanLife), true, ComponentKind::gpu, better},
      {"batches", Law::exponential(kMeanLife), true, ComponentKind::gpu, batches},
      {"days", Law::exponential(kMeanLife), true, ComponentKind::gpu, days},
      {"curve", Law::exponential(kMeanLife), true, ComponentKind::host, curve},
      {"everything", Law::exponential(kMeanLife), true, ComponentKind::gpu, all},
      {"early failures", Law::weibull_with_mean(kMeanLife, 0.6)},
      {"early failures, new", Law::weibull_with_mean(kMeanLife, 0.6), false},
      {"wear", Law::weibull_with_mean(kMeanLife, 2.5)},
      {"wear, new", Law::weibull_with_mean(kMeanLife, 2.5), false},
      {"lognormal", Law::lognormal_with_mean(kMeanLife, 1.2)},
      {"gamma, new", Law::gamma(kMeanLife, 3), false},
      {"pareto", Law::pareto_with_mean(kMeanLife, 1.5)},
      {"hyperexponential", Law::hyperexponential(weights, lives)},
      {"uniform", Law::uniform(kMeanLife / 2, 1.5 * kMeanLife)},
      {"uniform, new hosts", Law::uniform(kMeanLife / 2, 1.5 * kMeanLife), false, ComponentKind::host},
  };
}

void check_counts(std::uint32_t strikes_until_end) {
  for (const CountedCase& of : counted_cases()) {
    const World world = world_of(of);
    Sums compensated, excess;
    for (std::uint32_t run = 0; run < kPlays; ++run) {
      const Played played = play(world, run, strikes_until_end);
      compensated.add(played.compensated);
      excess.add(played.compensated * played.compensated - played.strikes);
    }
    EXPECT_LT(std::abs(compensated.mean()), kAllowedErrors * compensated.error())
        << of.name << ": " << compensated.mean();
    EXPECT_GT(compensated.square(), 0.5) << of.name << ": there are strikes";
    // The square less the strikes is a martingale too.
    EXPECT_LT(std::abs(excess.mean()), kAllowedErrors * excess.error()) << of.name << ": " << excess.mean();
  }
}

TEST(CompensatedCounts, HaveTheMeanZeroAndTheVarianceOfTheStrikes) { check_counts(0); }

TEST(CompensatedCounts, HaveThemWhereAStrikeEndsTheRun) { check_counts(3); }

TEST(CompensatedCounts, OfStartsAreCountedByStart) {
  World world = world_of({"start", Law::exponential(kMeanLife), true, ComponentKind::gpu});
  world.faults[0].clock = FaultClock::start;
  world.faults[0].chance = Probability{0.2};
  Sums compensated;
  for (std::uint32_t run = 0; run < kPlays; ++run) {
    FaultArrivals arrivals(world, {.study = 3, .replica = run});
    // Starts go on until one went well.
    for (std::uint64_t start = 0; start < 50; ++start)
      if (arrivals.at_start_of_job(start).empty()) break;
    compensated.add(arrivals.compensated(FaultKindId{0}, 0));
  }
  EXPECT_LT(std::abs(compensated.mean()), kAllowedErrors * compensated.error()) << compensated.mean();
}

TEST(CompensatedCounts, AreZeroWhereNobodyKnowsTheHazard) {
  World traced = world_of({"trace", Law::exponential(kMeanLife)});
  traced.faults[0].trace = {{kStart + 3s, 0}};
  World given = world_of({"constant", Law::constant(kMeanLife), false});
  for (const World& world : {traced, given}) {
    FaultArrivals arrivals(world, {.study = 3, .replica = 1});
    arrivals.take(FaultClock::always);
    EXPECT_FALSE(hazard_is_known(world.faults[0]));
    EXPECT_EQ(arrivals.compensated(FaultKindId{0}, kMeanLife), 0);
  }
}

TEST(CompensatedCounts, TheProfileAddsUpToItsIntegral) {
  RateProfile profile{.daily = {.amplitude = 0.7, .peak = 5h},
                      .curve = {{kStart + 10h, 3}, {kStart + 30h, 0}, {kStart + 40h, 0.5}}};
  // By the midpoint rule.
  double sum = 0;
  constexpr double kStep = 10, kHours = 3600;
  for (double at = 0; at < 72 * kHours; at += kStep) {
    const double hours = (at + kStep / 2) / kHours;
    const double curve = hours < 10 ? 1 : hours < 30 ? 3 : hours < 40 ? 0 : 0.5;
    sum += kStep * curve * (1 + 0.7 * std::cos(2 * 3.14159265358979323846 * (hours - 5) / 24));
    if (static_cast<std::uint64_t>(at + kStep) % 36'000 == 0) {
      EXPECT_NEAR(profile.accumulated(at + kStep), sum, 1e-3) << hours;
    }
  }
  EXPECT_EQ(profile.accumulated(0), 0);
}

}  // namespace
}  // namespace gauntlet
