// The fault models against their closed forms, as each of their files states them.
#include "config/listing.hpp"
#include "core/random/stream.hpp"
#include "tests/config/every_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

constexpr Seed kModelSeed{.study = 20, .replica = 6};
constexpr double kSigmas = 4;

Stream draws(std::string_view what) { return Stream(kModelSeed, stream_name(what)); }

const std::vector<FaultKind>& models() { return world_of_all_models().faults; }

const FaultKind& model_named(std::string_view name) {
  for (const FaultKind& each : models())
    if (each.name == name) return each;
  throw std::runtime_error("no model " + std::string(name));
}

std::string log_of(const FaultKind& model) {
  const auto& line = model.symptoms.log;
  return line ? world_of_all_models().patterns.at(line->value) : std::string();
}

std::string follower_of(const FaultKind& model) {
  return model.followed_by ? models().at(model.followed_by->kind.value).name : std::string();
}

/// Whether k of n draws are what a probability of p gives.
void expect_share(std::int64_t k, double n, double p) {
  EXPECT_LT(std::fabs(static_cast<double>(k) - n * p), kSigmas * std::sqrt(n * p * (1 - p)))
      << k << " of " << n;
}

TEST(FaultModels, SayAllThatAScenarioDoesNot) {
  EXPECT_GE(models().size(), 42U);
  for (const FaultKind& each : models()) {
    SCOPED_TRACE(each.name);
    EXPECT_TRUE(each.source.find("http") != std::string::npos ||
                each.source.find("ssumption: ") != std::string::npos ||
                each.source.find("LA-UR-") != std::string::npos);
    const bool needs_end = each.effect == Effect::stall || each.effect == Effect::planned;
    EXPECT_TRUE(!needs_end || each.heals_after);
    const bool has_factor = each.effect == Effect::slow || each.effect == Effect::degrade;
    EXPECT_EQ(each.factor > 1, has_factor);
    if (!each.followed_by) continue;
    EXPECT_EQ(model_named(follower_of(each)).component, each.component);
    EXPECT_GT(each.followed_by->probability.value, 0);
    EXPECT_LT(each.followed_by->probability.value, 1);
  }
}

TEST(FaultModels, AreListedByAreaWithASummaryAndASource) {
  const std::vector<Listed> listed = list_fault_models();
  ASSERT_EQ(listed.size(), models().size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    EXPECT_EQ(listed[i].name, models()[i].name);
    EXPECT_THAT(listed[i].about, testing::MatchesRegex("(gpu|network|host|software): [^ ].* \\(.+\\)"));
    EXPECT_TRUE(listed[i].about.ends_with("(" + models()[i].source + ")")) << listed[i].about;
  }
}

// --- what ends by itself ---------------------------------------------------------------------------------------------

struct Ending {
  std::string_view name;
  double mean;          // seconds
  double beyond = 0;    // a time ...
  double beyond_p = 0;  // ... that is passed with this probability
};
constexpr std::array<Ending, 17> kEndings = {{
    {"thermal_throttling", 600, 600, 0.3679},
    {"nic_flap", 4.789, 10, 0.0634},
    {"tor_lost", 249.8 * 60, 70 * 60, 0.5},
    {"aggregation_lost", 249.8 * 60, 70 * 60, 0.5},
    {"spine_lost", 249.8 * 60, 70 * 60, 0.5},
    {"congestion", 24 * 60, 24 * 60, 0.3679},
    {"pause_storm", 8.244, 5, 0.5},
    {"cpu_contention", 600, 600, 0.3679},
    {"page_compaction", 0.8244, 3, 0.0366},
    {"rack_power", 578.7 * 60, 276 * 60, 0.5},
    {"storage_outage", 197.8, 600, 0.0538},
    {"loss_spike", 600, 600, 0.3679},
    {"agent_partition", 30, 60, 0.1353},
    {"late_heartbeats", 20, 40, 0.1353},
    {"repeated_heartbeats", 60, 60, 0.3679},
    {"lossy_link", 1440, 1440, 0.3679},
    {"planned_restart", 600, 600.1, 0},
}};

TEST(FaultModels, EndAsTheyState) {
  std::set<std::string_view> listed;
  for (const Ending& each : kEndings) {
    SCOPED_TRACE(each.name);
    listed.insert(each.name);
    const Law& law = *model_named(each.name).heals_after;
    EXPECT_NEAR(law.mean(), each.mean, 1e-3 * each.mean);
    EXPECT_NEAR(law.survival(each.beyond), each.beyond_p, 1e-4);
    Stream stream = draws(each.name);
    std::int64_t beyond = 0;
    constexpr int kDraws = 20'000;
    double sum = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double lasts = law.sample(stream);
      sum += lasts;
      beyond += lasts > each.beyond;
    }
    EXPECT_LE(std::fabs(sum / kDraws - law.mean()), kSigmas * std::sqrt(law.variance() / kDraws) + 1e-9);
    if (each.beyond_p > 0) expect_share(beyond, kDraws, law.survival(each.beyond));
  }
  for (const FaultKind& each : models())
    EXPECT_EQ(each.heals_after.has_value(), listed.contains(each.name)) << each.name;
}

// A component that fails after M in the mean and lasts m in the mean is down for the share m / (M + m) of the time, whatever
// the laws: an alternating renewal process. The ratio estimator's error is that of down - share * (up + down) per cycle.
TEST(FaultModels, AreThereForTheirShareOfTheTime) {
  for (const std::string_view name :
       {"thermal_throttling", "congestion", "tor_lost", "cpu_contention", "loss_spike"}) {
    SCOPED_TRACE(name);
    const Law& down = *model_named(name).heals_after;
    const Law up = Law::exponential(5 * down.mean());
    const double share = down.mean() / (up.mean() + down.mean());
    Stream stream = draws("duty." + std::string(name));
    constexpr int kCycles = 20'000;
    double downs = 0, all = 0, squares = 0;
    for (int i = 0; i < kCycles; ++i) {
      const double lives = up.sample(stream), lasts = down.sample(stream);
      downs += lasts;
      all += lives + lasts;
      const double off = lasts - share * (lives + lasts);
      squares += off * off;
    }
    EXPECT_NEAR(share, 1.0 / 6, 1e-12);
    EXPECT_LT(std::fabs(downs - share * all), kSigmas * std::sqrt(squares));
  }
}

// --- what leads to more ----------------------------------------------------------------------------------------------

// A burst is geometric: 1 / (1 - p) = 2 flaps, more than k with probability p^k. They last 2 m = 9.58 s in the mean together.
TEST(FaultModels, AFlappingNicFlapsInBursts) {
  const FaultKind& flap = model_named("nic_flap");
  ASSERT_EQ(follower_of(flap), "nic_flap");
  Stream stream = draws("burst");
  constexpr int kBursts = 20'000;
  double flaps = 0, down = 0, down_squares = 0;
  std::array<std::int64_t, 4> more_than{};
  for (int i = 0; i < kBursts; ++i) {
    std::size_t size = 0;
    double lasts = 0;
    do {
      ++size;
      lasts += flap.heals_after->sample(stream);
    } while (stream.uniform() < flap.followed_by->probability.value);
    flaps += static_cast<double>(size);
    down += lasts;
    down_squares += lasts * lasts;
    for (std::size_t k = 1; k < 4; ++k) more_than[k] += size > k;
  }
  EXPECT_LT(std::fabs(flaps / kBursts - 2), kSigmas * std::sqrt(2.0 / kBursts));  // variance p / (1 - p)^2
  for (std::size_t k = 1; k < 4; ++k)
    expect_share(more_than[k], kBursts, std::pow(0.5, static_cast<double>(k)));
  EXPECT_LT(std::fabs(down / kBursts - 9.578), kSigmas * std::sqrt(down_squares) / kBursts);
}

TEST(FaultModels, ACorrectedErrorRisesToAFailedRemap) {
  const FaultKind& warning = model_named("gpu_ecc_correctable");
  ASSERT_EQ(follower_of(warning), "gpu_row_remap_failure");
  EXPECT_EQ(warning.effect, Effect::none);
  EXPECT_EQ(model_named(follower_of(warning)).effect, Effect::crash);
  Stream stream = draws("escalation");
  constexpr int kWarnings = 20'000;
  std::int64_t failures = 0, early = 0;
  for (int i = 0; i < kWarnings; ++i) {
    if (stream.uniform() >= warning.followed_by->probability.value) continue;
    ++failures;
    early += warning.followed_by->after.sample(stream) < 16.636 * 3600;
  }
  expect_share(failures, kWarnings, 0.27);
  expect_share(early, static_cast<double>(failures), 0.5);
}

// --- when and how much -----------------------------------------------------------------------------------------------

TEST(FaultModels, ThrottlingFollowsTheDay) {
  const RateProfile& profile = model_named("thermal_throttling").profile;
  const auto at = [&](Duration time) { return profile.of_day(kStart + time); };
  EXPECT_NEAR(at(15h) / at(3h), 9, 1e-12);
  double day = 0, hot = 0;
  for (int minute = 0; minute < 24 * 60; ++minute) {
    const double factor = at(std::chrono::minutes(minute) + 30s);
    day += factor;
    if (minute >= 9 * 60 && minute < 21 * 60) hot += factor;
  }
  EXPECT_NEAR(day / (24 * 60), 1, 1e-12);
  EXPECT_NEAR(hot / day, 0.5 + 0.8 / 3.14159265, 1e-5);
}

TEST(FaultModels, ABadRollOutCrashesOnItsFirstDay) {
  const RateProfile& profile = model_named("bad_rollout").profile;
  constexpr double kDay = 86'400;
  EXPECT_NEAR(profile.time_on_curve(10 * kDay), kDay, 1e-6);      // 10 of ...
  EXPECT_NEAR(profile.time_on_curve(16 * kDay), 7 * kDay, 1e-6);  // ... 16 in a week
}

TEST(FaultModels, SlowByTheFactorsThatTheyState) {
  EXPECT_EQ(model_named("slow_host").factor, 1.10);
  EXPECT_EQ(model_named("slow_host").segment, Segment::forward);
  EXPECT_EQ(model_named("slow_gpu").factor, 1.2);
  EXPECT_EQ(model_named("disk_slow").factor, 1.2);
  EXPECT_EQ(model_named("degraded_link").factor, 2);
  EXPECT_EQ(model_named("ecmp_collision").factor, 2);
  EXPECT_NEAR(1 / model_named("cpu_contention").factor, 1 - 0.216, 1e-12);
  // A switch of k is gone, and k - 1 carry what k did.
  EXPECT_NEAR(8 / model_named("aggregation_lost").factor, 7, 1e-12);
  EXPECT_NEAR(64 / model_named("spine_lost").factor, 63, 1e-12);
  const FaultKind& collection = model_named("garbage_collection");
  EXPECT_EQ(collection.grows_every, 24h);
  EXPECT_NEAR(std::pow(collection.factor, 1 + 7), 1.041, 5e-4);
  EXPECT_NEAR(std::pow(collection.factor, 1 + 30), 1.167, 5e-4);
}

// --- what ends the others ----------------------------------------------------------------------------------------------

struct Stops {
  std::string_view name;
  Effect effect;
  Remedy remedy;
  std::string_view log;
  Severity severity = Severity::error;
};

TEST(FaultModels, OfXidsDoWhatTheirTableSays) {
  for (const Stops& each :
       {Stops{"gpu_ecc_uncorrectable", Effect::crash, Remedy::repair, "xid_48", Severity::fatal},
        Stops{"gpu_ecc_contained", Effect::crash, Remedy::restart, "xid_94"},
        Stops{"gpu_ecc_uncontained", Effect::crash, Remedy::repair, "xid_95", Severity::fatal},
        Stops{"gpu_ecc_correctable", Effect::none, Remedy::restart, "xid_63", Severity::warning},
        Stops{"gpu_row_remap_failure", Effect::crash, Remedy::repair, "xid_64", Severity::fatal},
        Stops{"gpu_lost", Effect::crash, Remedy::repair, "xid_79", Severity::fatal},
        Stops{"nvlink_error", Effect::crash, Remedy::repair, "xid_74"},
        Stops{"gsp_timeout", Effect::hang, Remedy::repair, "xid_119"},
        Stops{"cuda_error", Effect::crash, Remedy::restart, "xid_31"}}) {
    SCOPED_TRACE(each.name);
    const FaultKind& found = model_named(each.name);
    EXPECT_EQ(found.component, ComponentKind::gpu);
    EXPECT_EQ(found.effect, each.effect);
    EXPECT_EQ(found.remedy, each.remedy);
    EXPECT_EQ(log_of(found), each.log);
    EXPECT_EQ(found.symptoms.severity, each.severity);
    EXPECT_FALSE(found.symptoms.heartbeat_lost);
  }
}

TEST(FaultModels, ThatTakeTheHostTakeItsAgent) {
  for (const FaultKind& each : models()) {
    const std::set<std::string_view> hosts = {"host_crash", "kernel_panic", "power_supply", "rack_power"};
    EXPECT_EQ(each.symptoms.heartbeat_lost, hosts.contains(each.name)) << each.name;
  }
  Stream stream = draws("panic");
  std::int64_t lines = 0;
  for (int i = 0; i < 10'000; ++i)
    lines += stream.uniform() < model_named("kernel_panic").symptoms.log_probability.value;
  expect_share(lines, 10'000, 0.5);
}

TEST(FaultModels, OfSoftwareEndWithAStartOrAPerson) {
  for (const Listed& each : list_fault_models()) {
    if (!each.about.starts_with("software: ")) continue;
    EXPECT_EQ(model_named(each.name).remedy,
              each.name == "deterministic_bug" ? Remedy::person : Remedy::restart)
        << each.name;
  }
  EXPECT_TRUE(model_named("deterministic_bug").same_step);
  EXPECT_TRUE(std::isnan(model_named("nan_loss").symptoms.loss));
  EXPECT_EQ(model_named("nan_loss").effect, Effect::corrupt);
  EXPECT_EQ(model_named("init_container_failure").clock, FaultClock::start);
  EXPECT_EQ(model_named("memory_pressure").symptoms.exit_code, 128 + 9);
}

}  // namespace
}  // namespace gauntlet
