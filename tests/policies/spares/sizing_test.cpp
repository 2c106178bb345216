#include "policies/spares/sizing.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

// ByteRobust's warm standby at p99. P(Binomial(128, 0.0012) <= 1) = 0.98941 and <= 2: 0.99947;
// P(Binomial(512, 0.0012) <= 2) = 0.97552 and <= 3: 0.99638.
TEST(SparesForQuantile, AreThePublishedOnes) {
  EXPECT_EQ(spares_for_quantile(128, 0.0012, 0.99), 2U);
  EXPECT_EQ(spares_for_quantile(512, 0.0012, 0.99), 3U);
  EXPECT_EQ(spares_for_quantile(128, 0.0012, 0.9894), 1U);
  EXPECT_EQ(spares_for_quantile(512, 0.0012, 0.9755), 2U);
}

TEST(SparesForQuantile, HoldAtTheEndsOfTheirRange) {
  EXPECT_EQ(spares_for_quantile(0, 0.5, 0.99), 0U);
  EXPECT_EQ(spares_for_quantile(1000, 0, 0.999999), 0U);
  EXPECT_EQ(spares_for_quantile(3, 0.5, 0.874), 2U);  // all three fail in 1 of 8
  EXPECT_EQ(spares_for_quantile(3, 0.5, 0.876), 3U);
  // Mean 5e6, standard deviation 1581.1; the normal quantile at p99 is 2.3263.
  EXPECT_NEAR(spares_for_quantile(10'000'000, 0.5, 0.99), 5e6 + 2.3263 * 1581.1, 2);
}

TEST(AtLeastKOfN, IsTheUpperTailOfTheBinomial) {
  EXPECT_NEAR(at_least_k_of_n(2, 3, 0.9), 0.972, 1e-14);  // 3 x 0.81 x 0.1 + 0.729
  // 130 of a superpod's 144 cubes with 0.95 need cubes that are up with 0.9347.
  EXPECT_NEAR(at_least_k_of_n(130, 144, 0.9347), 0.95, 2e-4);
  EXPECT_EQ(at_least_k_of_n(0, 5, 0.1), 1);
  EXPECT_EQ(at_least_k_of_n(6, 5, 0.9), 0);
}

}  // namespace
}  // namespace gauntlet
