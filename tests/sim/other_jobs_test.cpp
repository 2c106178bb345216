// When other jobs leave this one no place: by hand, and against queueing theory.
#include "sim/hosts/other_jobs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

struct Away {
  Time from, until;
  friend bool operator==(const Away&, const Away&) = default;
};

OtherJob other(std::string name, std::uint32_t hosts, std::int64_t priority, Law arrives, Law runs) {
  return {.name = std::move(name),
          .hosts = hosts,
          .priority = priority,
          .arrives = std::move(arrives),
          .runs = std::move(runs)};
}

/// Until then, of a job of priority 0 with `own` hosts.
std::vector<Away> away(const SharedCluster& cluster, std::uint32_t own, Time until, std::uint64_t seed = 1) {
  OtherJobs others(cluster, own, Seed{.study = seed});
  std::vector<Away> all;
  while (others.next_time() < until) {
    const Time from = others.next_time();
    const Time has = others.go_on(until - kStart);
    if (has > from) all.push_back({from, has});
  }
  return all;
}

Away seconds(int from, int until) { return {kStart + from * 1s, kStart + until * 1s}; }

// --- by hand ---------------------------------------------------------------------------------------------------------

TEST(OtherJobs, NobodyIsNeverInTheWay) {
  EXPECT_TRUE(
      away({.hosts = 10, .priority = 0, .preempt_after = {}, .jobs = {}}, 10, kStart + 1000h).empty());
  EXPECT_EQ(OtherJobs({}, 10, Seed{}).next_time(), kNever);
}

TEST(OtherJobs, TakeThisJobsHostsOnlyWhereTheRestIsNotEnough) {
  SharedCluster cluster{.hosts = 10, .priority = 0, .preempt_after = {}, .jobs = {}};
  cluster.jobs = {other("a", 5, 1, Law::constant(100), Law::constant(30))};
  EXPECT_TRUE(away(cluster, 5, kStart + 1000s).empty());
  EXPECT_EQ(away(cluster, 6, kStart + 250s), (std::vector{seconds(100, 130), seconds(200, 230)}));
  cluster.jobs[0].priority = 0;  // it waits, since this job was there first
  EXPECT_TRUE(away(cluster, 6, kStart + 1000s).empty());
  cluster.jobs[0].priority = -1;
  EXPECT_TRUE(away(cluster, 6, kStart + 1000s).empty());
}

TEST(OtherJobs, BehindThisJobBeginNothingWhileItWaits) {
  for (const std::int64_t priority : {0, -1}) {
    SharedCluster cluster{.hosts = 10, .priority = 0, .preempt_after = {}, .jobs = {}};
    cluster.jobs = {other("urgent", 5, 1, Law::constant(100), Law::constant(30)),
                    other("behind", 5, priority, Law::constant(110), Law::constant(1000))};
    EXPECT_EQ(away(cluster, 6, kStart + 199s), (std::vector{seconds(100, 130)})) << priority;
    cluster.preempt_after = 60s;  // nor does one that would stay
    EXPECT_EQ(away(cluster, 6, kStart + 199s), (std::vector{seconds(100, 130)})) << priority;
  }
}

// The urgent one needs three of ten, where this job has six and one behind it, which has just begun, the other four.
TEST(OtherJobs, ThatHaveJustBegunLetOthersTakeThisJobsHosts) {
  SharedCluster cluster{.hosts = 10, .priority = 0, .preempt_after = {}, .jobs = {}};
  cluster.jobs = {other("urgent", 3, 1, Law::constant(100), Law::constant(30)),
                  other("behind", 4, -1, Law::constant(90), Law::constant(1000))};
  EXPECT_TRUE(away(cluster, 6, kStart + 179s).empty());
  cluster.preempt_after = 60s;
  EXPECT_EQ(away(cluster, 6, kStart + 179s), (std::vector{seconds(100, 130)}));
}

TEST(OtherJobs, RunOnAllTheirHostsOrWait) {
  SharedCluster cluster{.hosts = 10, .priority = 0, .preempt_after = {}, .jobs = {}};
  // Of 8 and of 5 hosts: they do not run together. At 120 s the one of 5 waits for that of 8, which ends at 140 s, and runs
  // until 190 s; the second of 8 comes at 200 s.
  cluster.jobs = {other("eight", 8, 1, Law::constant(100), Law::constant(40)),
                  other("five", 5, 1, Law::constant(120), Law::constant(50))};
  EXPECT_EQ(away(cluster, 6, kStart + 199s), (std::vector{seconds(100, 190)}));
  EXPECT_EQ(away(cluster, 5, kStart + 199s), (std::vector{seconds(100, 140)}));
  // One of higher priority preempts that of 8, which goes on with the 30 s that it has left.
  cluster.jobs[1].priority = 2;
  cluster.jobs[1].arrives = Law::constant(110);
  EXPECT_EQ(away(cluster, 5, kStart + 189s), (std::vector{seconds(100, 110), seconds(160, 190)}));
}

TEST(OtherJobs, PreemptNobodyWhoHasRunForLessThanIsAgreed) {
  SharedCluster cluster{.hosts = 10, .priority = 0, .preempt_after = 60s, .jobs = {}};
  cluster.jobs = {other("a", 5, 1, Law::constant(50), Law::constant(30))};
  // The first comes at 50 s, and takes the hosts at 60 s, until 90 s. This job keeps them until 150 s then; by then two wait, from
  // 100 s and 150 s, which run side by side until 180 s. The next ones come at 200 s.
  EXPECT_EQ(away(cluster, 6, kStart + 199s), (std::vector{seconds(60, 90), seconds(150, 180)}));
  // One that has just begun is not preempted either: "b" waits from 160 s until 210 s and ends at 220 s, and "a" has 5 s left.
  cluster.jobs = {other("a", 8, 1, Law::constant(150), Law::constant(65)),
                  other("b", 8, 2, Law::constant(160), Law::constant(10))};
  EXPECT_EQ(away(cluster, 6, kStart + 299s), (std::vector{seconds(150, 225)}));
}

TEST(OtherJobs, KeepAJobAwayNoLongerThanIsAsked) {
  SharedCluster cluster{.hosts = 10, .priority = 0, .preempt_after = {}, .jobs = {}};
  cluster.jobs = {other("endless", 10, 1, Law::constant(100), Law::constant(1e9)),
                  other("tick", 1, 1, Law::constant(7), Law::constant(1))};
  OtherJobs others(cluster, 10, Seed{});
  Time now = kStart;
  while (now < kStart + 100s) now = others.go_on(1h);
  EXPECT_GE(now, kStart + 100s + 1h);
  EXPECT_LT(now, kStart + 100s + 1h + 8s);
}

// --- queueing theory -------------------------------------------------------------------------------------------------

// Each of the others takes the whole cluster: an M/G/1 queue. This job is away while it is busy: a share rho of the time,
// lambda (1 - rho) times a second, E[S] / (1 - rho) at a time, with E[S^2] / (1 - rho)^3 for its square
// (Kleinrock, Queueing Systems 1, sec. 5.8).
TEST(OtherJobs, ThatTakeAllOfItAreAQueueOfOneServer) {
  constexpr double kGap = 3600, kRuns = 1800, kRho = kRuns / kGap;
  for (const bool fixed : {true, false}) {
    const Law runs = fixed ? Law::constant(kRuns) : Law::exponential(kRuns);
    const double square = (fixed ? 1 : 2) * kRuns * kRuns;
    SharedCluster cluster{.hosts = 8,
                          .priority = 0,
                          .preempt_after = {},
                          .jobs = {other("all", 8, 1, Law::exponential(kGap), runs)}};
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const Time until = kStart + 40'000h;
      const std::vector<Away> all = away(cluster, 1, until, seed);
      const double busy = kRuns / (1 - kRho),
                   spread = std::sqrt(square / std::pow(1 - kRho, 3) - busy * busy);
      const double count = 144e6 / kGap * (1 - kRho);
      double sum = 0;
      for (const Away& each : all) sum += to_seconds(each.until - each.from);
      const double n = static_cast<double>(all.size());
      EXPECT_LT(std::abs(sum / n - busy) / (spread / std::sqrt(n)), 4) << "seed " << seed;
      // A cycle is an idle time and a busy one: renewals.
      const double cycle = kGap + busy, of_cycle = std::hypot(kGap, spread);
      EXPECT_LT(std::abs(n - count) / (of_cycle / cycle * std::sqrt(count)), 4) << "seed " << seed;
    }
  }
}

// Others that take half of it each: an M/M/2 queue, in which all servers are busy with Erlang's C, and both are idle with
// (1 - rho) / (1 + rho). This job needs one half, or both.
TEST(OtherJobs, ThatTakeHalfOfItAreAQueueOfTwoServers) {
  constexpr double kGap = 3600, kRuns = 3600, kRho = kRuns / kGap / 2;
  const SharedCluster cluster{.hosts = 8,
                              .priority = 0,
                              .jobs = {other("half", 4, 1, Law::exponential(kGap), Law::exponential(kRuns))}};
  const double erlang_c = 2 * kRho * kRho / (1 + kRho), not_idle = 1 - (1 - kRho) / (1 + kRho);
  for (const auto& [own, expected] : {std::pair{4U, erlang_c}, std::pair{8U, not_idle}}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      // The error of the share from blocks of 400 h, which are as good as independent.
      constexpr int kBlocks = 100;
      double sum = 0, squares = 0;
      std::vector<double> blocks(kBlocks);
      for (const Away& each : away(cluster, own, kStart + kBlocks * 400h, seed)) {
        const auto block = static_cast<std::size_t>((each.from - kStart) / 400h);
        blocks[block] += to_seconds(each.until - each.from) / (400 * 3600.0);
      }
      for (const double each : blocks) {
        sum += each;
        squares += each * each;
      }
      const double mean = sum / kBlocks, error = std::sqrt((squares / kBlocks - mean * mean) / (kBlocks - 1));
      EXPECT_LT(std::abs(mean - expected) / error, 4) << own << " hosts, seed " << seed << ": " << mean;
    }
  }
}

}  // namespace
}  // namespace gauntlet
