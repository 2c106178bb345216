// Expected values were computed to 40 digits with mpmath 1.3 (gammainc, betainc, lambertw) unless a comment
// says otherwise; the C library's long double functions serve as oracles over dense grids.
#include "core/math/special.hpp"

#include "core/math/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gauntlet {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// |got / expected - 1|, zero where both are zero.
double relative_error(double got, double expected) {
  return got == expected ? 0 : std::fabs(got - expected) / std::fabs(expected);
}

TEST(GammaFunction, IsTheFactorial) {
  double factorial = 1;
  for (int n = 1; n <= 170; ++n) {
    EXPECT_LT(relative_error(gamma_function(n), factorial), 3e-15) << n;
    factorial *= n;
  }
  EXPECT_LT(relative_error(gamma_function(0.5), std::sqrt(3.14159265358979323846)),
            3e-15);  // Gamma(1/2)^2 = pi
  EXPECT_EQ(gamma_function(172), kInf);
}

TEST(GammaFunction, AgreesWithLongDouble) {
  for (double x = 1e-3; x < 171.5; x *= 1.0007) {
    EXPECT_LT(
        relative_error(gamma_function(x), static_cast<double>(std::tgamma(static_cast<long double>(x)))),
        1e-14)
        << x;
  }
  for (double x = 1e-3; x < 1e7; x *= 1.0007) {
    const auto expected = static_cast<double>(std::lgamma(static_cast<long double>(x)));
    EXPECT_LT(std::fabs(log_gamma(x) - expected), 1e-14 * std::max(1.0, std::fabs(expected))) << x;
  }
}

TEST(GammaFunction, GivesTheSpreadOfWeibullLives) {
  // CV^2 = Gamma(1 + 2/k) / Gamma(1 + 1/k)^2 - 1
  const auto squared_variation = [](double k) {
    const double first = gamma_function(1 + 1 / k);
    return gamma_function(1 + 2 / k) / (first * first) - 1;
  };
  EXPECT_LT(relative_error(squared_variation(0.7), 2.1386856318511667), 1e-13);
  EXPECT_LT(relative_error(squared_variation(0.65), 2.5432413916308034), 1e-13);
  // The first of 512 fresh lives: eta n^(-1/k) Gamma(1 + 1/k) with k = 0.7, eta = 1e5.
  EXPECT_LT(relative_error(1e5 * math_pow(512, -1 / 0.7) * gamma_function(1 + 1 / 0.7), 17.06033275390217),
            1e-13);
}

TEST(Digamma, HasItsClosedForms) {
  constexpr double kEuler = 0.57721566490153286061, kPi = 3.14159265358979323846;
  EXPECT_NEAR(digamma(1), -kEuler, 1e-15);                      // Abramowitz & Stegun 6.3.2
  EXPECT_NEAR(digamma(0.5), -kEuler - 2 * math_log(2), 2e-15);  // 6.3.3
  EXPECT_NEAR(digamma(10), 7129.0 / 2520 - kEuler, 1e-14);      // 6.3.2: the harmonic number of 9
  EXPECT_LT(relative_error(digamma(1e-6), -1e6 - kEuler + 1e-6 * kPi * kPi / 6), 1e-15);  // 6.3.14
  EXPECT_NEAR(digamma(1.4616321449683623413), 0, 1e-15);           // where Gamma is least
  EXPECT_LT(relative_error(trigamma(1), kPi * kPi / 6), 2e-15);    // 6.4.2
  EXPECT_LT(relative_error(trigamma(0.5), kPi * kPi / 2), 2e-15);  // 6.4.4
  EXPECT_LT(relative_error(trigamma(2), kPi * kPi / 6 - 1), 5e-15);
}

TEST(Digamma, IsTheSlopeOfLogGamma) {
  for (double x = 0.01; x < 1e5; x *= 1.7) {
    const double h = 1e-4 * x;
    const double slope = (log_gamma(x + h) - log_gamma(x - h)) / (2 * h);
    EXPECT_NEAR(digamma(x), slope, 1e-7 * std::max(1.0, std::fabs(slope))) << x;
    const double bend = (digamma(x + h) - digamma(x - h)) / (2 * h);
    EXPECT_LT(relative_error(trigamma(x), bend), 1e-6) << x;
  }
}

TEST(IncompleteGamma, KnownValues) {
  struct Row {
    double a, x, p, q;
  };
  constexpr Row kRows[] = {
      {0.1, 0.0001, 0.41846137523796297, 0.58153862476203703},
      {0.1, 0.1, 0.827551759585850537, 0.172448240414149463},
      {0.1, 0.4, 0.927573833553704429, 0.0724261664462955713},
      {0.5, 0.0005, 0.0252271206300396117, 0.974772879369960388},
      {0.5, 2.0, 0.954499736103641586, 0.0455002638963584144},
      {1.0, 0.001, 0.000999500166625008353, 0.999000499833374992},
      {1.0, 4.0, 0.98168436111126582, 0.0183156388887341803},
      {1.4285714285714286, 0.0014285714285714286, 0.0000680512567996605794, 0.999931948743200339},
      {1.4285714285714286, 1.4285714285714286, 0.611010395080012788, 0.388989604919987212},
      {1.4285714285714286, 5.714285714285714, 0.991601074964751361, 0.00839892503524863938},
      {2.5, 0.0025, 9.38638468294806078e-8, 0.999999906136153171},
      {2.5, 4.25, 0.869252210725574748, 0.130747789274425252},
      {2.5, 10.0, 0.998750269436968625, 0.00124973056303137541},
      {10.0, 3.0, 0.00110248813011547974, 0.99889751186988452},
      {10.0, 40.0, 0.999999996074067774, 3.92593222628618819e-9},
      {40.0, 0.04, 1.42497322655822118e-104, 1.0},
      {40.0, 68.0, 0.999904706807998782, 0.0000952931920012177451},
      {40.0, 160.0, 1.0, 1.92389225191442962e-30},
      {150.0, 45.0, 6.8374659245350264e-35, 1.0},
      {150.0, 150.0, 0.510858229749359685, 0.489141770250640315},
      {150.0, 600.0, 1.0, 8.1414836560590812e-108},
  };
  for (const Row& row : kRows) {
    EXPECT_LT(relative_error(incomplete_gamma_p(row.a, row.x), row.p), 2e-13) << row.a << ", " << row.x;
    EXPECT_LT(relative_error(incomplete_gamma_q(row.a, row.x), row.q), 2e-13) << row.a << ", " << row.x;
  }
  EXPECT_EQ(incomplete_gamma_p(2, 0), 0);
  EXPECT_EQ(incomplete_gamma_q(2, kInf), 0);
}

TEST(IncompleteBeta, KnownValues) {
  // I_x(1, b) = 1 - (1 - x)^b; I_x(a, b) = 1 - I_{1-x}(b, a); I_x(2, 3) = x^2 (6 - 8x + 3x^2).
  for (const double x : {0.01, 0.3, 0.5, 0.77, 0.99}) {
    EXPECT_LT(relative_error(incomplete_beta(1, 4.5, x), 1 - math_pow(1 - x, 4.5)), 1e-13);
    EXPECT_LT(relative_error(incomplete_beta(2, 3, x), x * x * (6 - 8 * x + 3 * x * x)), 1e-13);
    EXPECT_NEAR(incomplete_beta(0.7, 12, x) + incomplete_beta(12, 0.7, 1 - x), 1, 1e-13);
  }
}

TEST(Normal, ErfcAgreesWithLongDouble) {
  for (double x = -6; x < 26; x += 0.00137) {
    EXPECT_LT(relative_error(math_erfc(x), static_cast<double>(std::erfc(static_cast<long double>(x)))),
              1e-15)
        << x;
  }
}

TEST(Normal, QuantileInvertsTheDistribution) {
  for (double z = -37; z <= 0; z += 0.0131) {
    EXPECT_LT(std::fabs(normal_quantile(normal_survival(-z)) - z), 1e-14 * std::max(1.0, -z)) << z;
  }
  EXPECT_LT(relative_error(normal_quantile(0.975), 1.959963984540054), 1e-15);
  EXPECT_EQ(normal_quantile(0.25), -normal_quantile(0.75));
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_EQ(normal_quantile(0), -kInf);
  EXPECT_EQ(normal_quantile(1), kInf);
}

TEST(StudentT, KnownValues) {
  struct Row {
    double p, degrees, t;
  };
  constexpr Row kRows[] = {
      {0.6, 1, 0.3249196962329062},     {0.9, 1, 3.077683537175254},       {0.975, 1, 12.70620473617469},
      {0.9999, 1, 3183.098757118501},   {0.6, 1.5, 0.3007453925697954},    {0.975, 1.5, 6.016663104427928},
      {0.9999, 1.5, 242.2640988465241}, {0.6, 2, 0.2886751345948128},      {0.975, 2, 4.302652729749462},
      {0.9999, 2, 70.70007107496817},   {0.6, 5, 0.2671808657041451},      {0.975, 5, 2.570581835636315},
      {0.9999, 10, 5.693820101457593},  {0.975, 30, 2.042272456301238},    {0.975, 99, 1.984216951586417},
      {0.6, 500, 0.2534819498516655},   {0.9999, 500, 3.746778899057784},  {0.6, 999, 0.2534145833303673},
      {0.975, 999, 1.96234146113345},   {0.9999, 999, 3.732865499608313},  {0.6, 1001, 0.2534144484834983},
      {0.975, 1001, 1.96233670528088},  {0.9999, 1001, 3.732837737396866}, {0.9999, 5000, 3.721776168336806},
      {0.975, 1e6, 1.959966356814107},  {0.9999, 1e6, 3.719030274762571},
  };
  for (const Row& row : kRows) {
    EXPECT_LT(relative_error(student_t_quantile(row.p, row.degrees), row.t), 1e-11)
        << row.p << ", " << row.degrees;
    EXPECT_LT(relative_error(student_t_quantile(1 - row.p, row.degrees), -row.t), 1e-11)
        << row.p << ", " << row.degrees;
  }
  EXPECT_EQ(student_t_quantile(0.5, 3), 0);
  EXPECT_EQ(student_t_quantile(1, 3), kInf);
  EXPECT_EQ(student_t_quantile(0, 3), -kInf);
}

TEST(LambertW0, KnownValues) {
  EXPECT_LT(relative_error(lambert_w0(-0.3678), -0.979360714957830517), 1e-14);
  EXPECT_LT(relative_error(lambert_w0(-0.3676), -0.961520620620351559), 1e-14);
  EXPECT_LT(relative_error(lambert_w0(-0.36), -0.806084315970817624), 1e-14);
  EXPECT_LT(relative_error(lambert_w0(-0.3), -0.489402227180214934), 1e-14);
  EXPECT_LT(relative_error(lambert_w0(-0.1), -0.111832559158962972), 1e-14);
  EXPECT_LT(relative_error(lambert_w0(-1e-5), -0.0000100001000015000275), 1e-14);
  EXPECT_EQ(lambert_w0(0), 0);
  EXPECT_NEAR(lambert_w0(-0x1.78b56362cef38p-2), -1, 1e-8);  // the double next to -1/e
}

TEST(LambertW0, GivesTheExactOptimalCheckpointInterval) {
  // tau = M (1 + W0(-exp(-1 - C/M))): the optimum under exponential failures, in minutes.
  const auto interval = [](double cost, double mtbf) {
    return mtbf * (1 + lambert_w0(-math_exp(-1 - cost / mtbf)));
  };
  EXPECT_LT(relative_error(interval(1, 185), 18.57457437271567), 1e-12);
  EXPECT_LT(relative_error(interval(5, 110), 29.920092642086352), 1e-12);
  EXPECT_LT(relative_error(interval(5, 13.8), 8.678291712651992), 1e-12);
}

TEST(ErlangB, KnownValues) {
  // The chance that S spares do not suffice is ErlangB(S + 1, a), a = N MTTR / MTTF.
  constexpr double kLoad = 512.0 / 33;  // 15.5151515...
  EXPECT_LT(relative_error(erlang_b(17, kLoad), 0.12769542292659214), 1e-12);
  EXPECT_LT(relative_error(erlang_b(25, kLoad), 0.006984531269753526), 1e-12);
  EXPECT_EQ(erlang_b(0, 3), 1);
  EXPECT_EQ(erlang_b(5, 0), 0);
  EXPECT_DOUBLE_EQ(erlang_b(1, 3), 0.75);  // a / (1 + a)
}

}  // namespace
}  // namespace gauntlet
