// Every oracle of commands/validate/oracles, which name their clocks and conventions, with three seeds and few replicas;
// `gauntlet validate policies` runs the same with many.
#include "commands/validate/oracles/measure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace gauntlet {
namespace {

#ifdef GAUNTLET_SANITIZED
constexpr std::uint64_t kOracleSeeds[] = {1};  // the same code for every seed, ten times as slow
#else
constexpr std::uint64_t kOracleSeeds[] = {1, 2, 3};
#endif

void expect_all_hold(const std::vector<Oracle>& oracles) {
  for (const Oracle& oracle : oracles)
    for (const std::uint64_t seed : kOracleSeeds)
      for (const PolicyCheck& check : check(oracle, {.seed = seed, .replicas = oracle.few, .threads = 2})) {
        const double z = check.off().value_or(NAN);
        std::printf("%s, seed %llu: %s %.6g, expected %.6g, standard error %.2g, off %+.2g\n",
                    check.subject.c_str(), static_cast<unsigned long long>(seed), check.figure.c_str(),
                    check.measured.value_or(NAN), check.expected, check.error.value_or(0), z);
        EXPECT_TRUE(check.holds()) << check.subject << ", " << check.figure << ", seed " << seed;
        if (check.bound.judge == PolicyJudge::z) {
          EXPECT_LT(check.error.value_or(1), 0.1 * std::abs(check.expected)) << "too coarse to tell";
        }
      }
}

TEST(PolicyOracles, IntervalsAndSegments) { expect_all_hold(interval_oracles()); }
TEST(PolicyOracles, TwoLevels) { expect_all_hold(two_level_oracles()); }
TEST(PolicyOracles, Spares) { expect_all_hold(spares_oracles()); }
TEST(PolicyOracles, BirthAndDeath) { expect_all_hold(birth_death_oracles()); }
TEST(PolicyOracles, PeerMemory) { expect_all_hold(peer_memory_oracles()); }
TEST(PolicyOracles, Renewals) { expect_all_hold(renewal_oracles()); }

TEST(PolicyOracles, AreToldApartByNameAndSayWhatTheyHoldFor) {
  std::vector<std::string> names;
  for (const Oracle& oracle : policy_oracles()) {
    EXPECT_FALSE(oracle.conventions.empty()) << oracle.name;
    EXPECT_LE(oracle.few, oracle.many) << oracle.name;
    for (const OracleFigure& figure : oracle.figures) EXPECT_FALSE(figure.source.empty()) << oracle.name;
    for (const std::string& other : names) EXPECT_NE(oracle.name, other);
    names.push_back(oracle.name);
  }
}

// An oracle of coins, to see what a check makes of a wrong expectation.
Oracle coins(double expected) {
  return {.name = "coins",
          .conventions = "fair",
          .figures = {{.what = "heads", .expected = expected, .source = "symmetry"}},
          .few = 1000,
          .many = 1000,
          .sampler = [] {
            return [](Seed seed, std::span<Fraction> out) {
              Stream stream(seed, stream_name("coin"));
              out[0] = {.numerator = static_cast<double>(stream.bits() & 1)};
            };
          }};
}

TEST(PolicyOracles, AWrongExpectationFails) {
  const MeasureOptions options{.seed = 1, .replicas = 1000, .threads = 3};
  EXPECT_TRUE(check(coins(0.5), options).front().holds());
  EXPECT_FALSE(check(coins(0.6), options).front().holds());
}

TEST(PolicyOracles, ResultsDoNotDependOnTheThreads) {
  const Statistics one = measure(coins(0.5), {.seed = 1, .replicas = 1000, .threads = 1}).front();
  EXPECT_EQ(one, measure(coins(0.5), {.seed = 1, .replicas = 1000, .threads = 7}).front());
  EXPECT_NE(one.mean, measure(coins(0.5), {.seed = 2, .replicas = 1000, .threads = 1}).front().mean);
}

TEST(PolicyOracles, AReplicaThatThrowsIsHeard) {
  Oracle oracle = coins(0.5);
  oracle.sampler = [] {
    return [](Seed seed, std::span<Fraction>) {
      if (seed.replica == 77) throw std::runtime_error("77");
    };
  };
  EXPECT_THROW(measure(oracle, {.seed = 1, .replicas = 1000, .threads = 3}), std::runtime_error);
}

TEST(PolicyOracles, StoppedOnesGiveNothing) {
  const std::atomic<bool> stop = true;
  EXPECT_TRUE(check(coins(0.5), {.seed = 1, .replicas = 1000, .threads = 2, .stop = &stop}).empty());
}

}  // namespace
}  // namespace gauntlet
