// The log-t distribution against published tables of Student's t, and its limit, the lognormal.
#include "core/math/log_t.hpp"

#include "core/math/special.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gauntlet {
namespace {

TEST(LogT, QuantilesAreThoseOfPublishedTables) {
  // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: t at 90%, 95%, 97.5%, 99%, 99.5% and 99.9%.
  constexpr double kShares[] = {0.90, 0.95, 0.975, 0.99, 0.995, 0.999};
  struct Row {
    double degrees;
    double t[6];
  };
  constexpr Row kRows[] = {
      {1, {3.078, 6.314, 12.706, 31.821, 63.657, 318.313}}, {2, {1.886, 2.920, 4.303, 6.965, 9.925, 22.327}},
      {3, {1.638, 2.353, 3.182, 4.541, 5.841, 10.215}},     {5, {1.476, 2.015, 2.571, 3.365, 4.032, 5.893}},
      {10, {1.372, 1.812, 2.228, 2.764, 3.169, 4.143}},     {30, {1.310, 1.697, 2.042, 2.457, 2.750, 3.385}},
      {100, {1.290, 1.660, 1.984, 2.364, 2.626, 3.174}},
  };
  for (const Row& row : kRows) {
    // Ends so that the scale is 0.1 and the median 2.
    const double reach = 0.1 * student_t_quantile(0.95, row.degrees);
    const LogT of{.low = 2 * std::exp(-reach), .high = 2 * std::exp(reach), .degrees = row.degrees};
    for (int i = 0; i < 6; ++i) {
      const double t = std::log(of.at(kShares[i]) / 2) / 0.1;
      EXPECT_NEAR(t, row.t[i], 0.001 + 2e-5 * row.t[i]) << row.degrees << " at " << kShares[i];
      EXPECT_NEAR(std::log(of.at(1 - kShares[i]) / 2) / 0.1, -t, 1e-9 * (1 + t)) << "symmetric";
    }
    EXPECT_NEAR(of.at(0.5), 2, 1e-12);
    EXPECT_NEAR(of.at(0.05), of.low, 1e-9);
    EXPECT_NEAR(of.at(0.95), of.high, 1e-9);
  }
}

TEST(LogT, WithMoreAndMoreDegreesIsTheLognormal) {
  const double middle = std::log(0.9 * 1.6) / 2,
               deviation = std::log(1.6 / 0.9) / (2 * normal_quantile(0.95));
  const LogT of{.low = 0.9, .high = 1.6, .degrees = 1e6};
  for (const double p : {0.001, 0.01, 0.05, 0.3, 0.5, 0.9, 0.99, 0.999})
    EXPECT_NEAR(of.at(p), std::exp(middle + deviation * normal_quantile(p)), 2e-6) << p;
  // Fewer degrees with the same ends: nearer in the middle, further beyond.
  const LogT few{.low = 0.9, .high = 1.6, .degrees = 3};
  EXPECT_LT(few.at(0.75), of.at(0.75));
  EXPECT_GT(few.at(0.99), of.at(0.99));
  EXPECT_LT(few.at(0.01), of.at(0.01));
}

TEST(LogT, EndsAtItsFarQuantiles) {
  const LogT of{.low = 0.5, .high = 2, .degrees = 2};
  EXPECT_EQ(of.at(1), of.at(0.999));
  EXPECT_EQ(of.at(0), of.at(0.001));
  EXPECT_LT(of.at(0.998), of.at(0.999));
  // The scale is ln 2 / 2.920; t at 99.9% is 22.327 (the table above).
  EXPECT_NEAR(std::log(of.at(1)), 22.327 * std::log(2.0) / 2.91999, 1e-3);
}

}  // namespace
}  // namespace gauntlet
