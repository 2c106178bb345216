// The closed forms of the oracles at points that were worked out apart from this program, or by another way.
#include "commands/validate/oracles/closed_forms.hpp"

#include "core/math/special.hpp"
#include "models/storage/peer_memory.hpp"
#include "policies/spares/sizing.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

TEST(ClosedForms, SegmentTimes) {
  EXPECT_NEAR(segment_time({60, 1, 180, 10, 5}), 78.80244095134829, 1e-12);
  EXPECT_NEAR(segment_time({30, 0.5, 106, 2, 8}), 38.830488558082365, 1e-12);
  EXPECT_NEAR(segment_time({5, 0.1, 13.8, 1, 3}), 8.224005250612647, 1e-13);
  EXPECT_NEAR(60 / segment_time({60, 1, 180, 10, 5}), 0.7613977343296168, 1e-14);
  // RSC-1's clocks (rsc1_test.cpp): 0.9354 and 0.9345.
  const double m = 1000 * 1440 / (2000 * 6.5);
  EXPECT_NEAR(5 / segment_time_on_training_clock({5, 0, m, 0, 5}), 0.9354, 5e-5);
  EXPECT_NEAR(5 / segment_time({5, 0, m, 0, 5}), 0.9345, 5e-5);
}

TEST(ClosedForms, OneLevelIsTwoLevelsWithoutTheOther) {
  const TwoLevelPoint grave{
      .quick = 0, .safe = 1, .light = 1e-12, .grave = 1.0 / 180, .work = 60, .segments = 1};
  EXPECT_NEAR(two_level_period(grave), segment_time({60, 1, 180, 0, 0}), 1e-6);
  const TwoLevelPoint light{
      .quick = 1, .safe = 1, .light = 1.0 / 180, .grave = 1e-12, .work = 300, .segments = 5};
  EXPECT_NEAR(two_level_period(light), 5 * segment_time({60, 1, 180, 0, 0}), 1e-6);
}

TEST(ClosedForms, TwoLevelsAtTheListedPoint) {
  TwoLevelPoint point{.quick = 0.1, .safe = 5, .light = 1.0 / 200, .grave = 1.0 / 2000, .segments = 22};
  point.work = std::sqrt(2 * (22 * 0.1 + 5) / (point.light / 22 + point.grave));
  EXPECT_NEAR(point.work / two_level_period(point), 0.9006, 5e-4);  // as another simulation has it
  EXPECT_LT(two_level_last_period(point), two_level_period(point) - point.safe);
}

TEST(ClosedForms, Stalls) {
  const double load = 512.0 / 33;
  EXPECT_NEAR(erlang_b(17, load), 0.12769542292659214, 1e-14);
  EXPECT_NEAR(erlang_b(25, load), 0.006984531269753526, 1e-15);
  // With technicians for all, birth and death are Erlang's.
  EXPECT_NEAR(stall_with_crews(512, 16, 17, 1.0 / 33, 1), erlang_b(17, load), 1e-14);
  EXPECT_GT(stall_with_crews(512, 16, 16, 1.0 / 33, 1), erlang_b(17, load));
}

TEST(ClosedForms, MachinesThatFailWhileTheJobWaits) {
  // With a technician for each they are up or down independently of each other.
  const std::vector<double> out = machines_out(13, 13, 0.075, 1);
  EXPECT_NEAR(out[0] + out[1], at_least_k_of_n(12, 13, 1 / 1.075), 1e-14);
  // With one: (n)_k (failure / repair)^k over their sum. Of two machines at 1/2: 1, 1, 1/2.
  EXPECT_NEAR(machines_out(2, 1, 0.5, 1)[2], 0.2, 1e-15);
  // An idle spare that needs no time is a warm one; one that never comes is as good as none, but for its repairs.
  EXPECT_NEAR(stall_with_an_idle_spare(12, 0.075, 1, 1e9), 1 - at_least_k_of_n(12, 13, 1 / 1.075), 1e-8);
  EXPECT_GT(stall_with_an_idle_spare(12, 0.075, 1, 1), stall_with_an_idle_spare(12, 0.075, 1, 2));
  // One host and an idle one, all rates 1. With none out a, with one out and the other idle b, with one out and the other in the job
  // c, with both out d: 2 a = b + c, 3 b = a, 2 d = b + c. So they are as 3, 1, 5, 3, and the job trains in a and c.
  EXPECT_NEAR(stall_with_an_idle_spare(1, 1, 1, 1), 1 - 8.0 / 12, 1e-12);
}

TEST(ClosedForms, HostsThatAreUp) {
  EXPECT_NEAR(at_least_k_of_n(130, 144, 0.9347), 0.95, 1e-3);
  EXPECT_NEAR(at_least_k_of_n(2, 3, 0.9), 0.972, 1e-15);
  EXPECT_EQ(at_least_k_of_n(0, 3, 0.9), 1);
  // Where spares fail like the others, and all of them also while the job waits: another figure than Erlang's 0.1277 and 0.00698.
  const double load = 512.0 / 33, up = 4096 / (4096 + load);
  EXPECT_NEAR(1 - at_least_k_of_n(4096, 4096 + 16, up), 0.39, 5e-3);
  EXPECT_NEAR(1 - at_least_k_of_n(4096, 4096 + 24, up), 0.016, 1e-3);
}

TEST(ClosedForms, PeersMemoryAgreesWithGemini) {
  // Corollary 1: 1 - 16 C(14, 1) / (2 C(16, 3)) = 1 - 224 / 1120.
  EXPECT_NEAR(peer_recovery_probability(16, 2, 3), 0.8, 1e-15);
  EXPECT_EQ(peer_recovery_probability(16, 2, 0), 1);
  EXPECT_NEAR(peer_recovery_probability(16, 2, 1), 1, 1e-15);
  EXPECT_EQ(peer_recovery_probability(16, 1, 1), 0);
}

TEST(ClosedForms, PeersMemoryAgreesWithEverySet) {
  for (const std::uint32_t hosts : {5U, 12U, 13U})
    for (const std::uint32_t copies : {1U, 2U, 3U, 5U})
      for (std::uint32_t lost = 0; lost <= hosts; ++lost) {
        double sets = 0, recovered = 0;
        for (std::uint32_t set = 0; set < 1U << hosts; ++set) {
          if (static_cast<std::uint32_t>(std::popcount(set)) != lost) continue;
          std::vector<std::uint32_t> slots;
          for (std::uint32_t slot = 0; slot < hosts; ++slot)
            if ((set >> slot & 1) != 0) slots.push_back(slot);
          ++sets;
          if (peers_recover(hosts, copies, slots)) ++recovered;
        }
        EXPECT_NEAR(peer_recovery_probability(hosts, copies, lost), recovered / sets, 1e-13)
            << hosts << " hosts, " << copies << " copies, " << lost << " lost";
      }
}

TEST(ClosedForms, CountsOfRenewals) {
  EXPECT_NEAR(weibull_cv2(0.7), 2.1386856318511667, 1e-12);
  EXPECT_NEAR(weibull_cv2(0.65), 2.5432413916308034, 1e-12);
  EXPECT_NEAR(weibull_count_variance(1, 50), 50, 1e-10);  // a Poisson process
  // By the terms of the Poisson law.
  for (const double lives : {0.3, 3.0, 20.0}) {
    double term = std::exp(-2 * lives), mean = 0, square = 0;
    for (int events = 0; events < 400; ++events) {
      const double renewals = events / 2;
      mean += term * renewals;
      square += term * renewals * renewals;
      term *= 2 * lives / (events + 1);
    }
    const CountMoments moments = erlang2_counts(lives);
    EXPECT_NEAR(moments.mean, mean, 1e-12 * lives);
    EXPECT_NEAR(moments.variance, square - mean * mean, 1e-10 * lives);
  }
}

}  // namespace
}  // namespace gauntlet
