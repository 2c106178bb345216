// Properties that every law must have, checked over a list of them, against formulas and integrals written
// here again with the C library: the oracle shares no code with what it judges.
#include "core/random/law.hpp"

#include "core/infinity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

constexpr Seed kSeed{.study = 20241101, .replica = 3};
constexpr StreamName kLawName = stream_name("law_test");

double time_at_stationary_survival(const Law& law, double s) {
  return law.time_at_stationary_cumulative_hazard(-std::log(s));
}

struct Case {
  std::string label;
  Law law;
  std::function<double(double)> survival;  // independent of the code under test
  double mean;
  double variance;
};

/// Simpson's rule over an even number of pieces.
template <class Function>
double integral(Function f, double from, double to, int pieces = 2'000) {
  double sum = f(from) + f(to);
  const double step = (to - from) / pieces;
  for (int i = 1; i < pieces; ++i) sum += (i % 2 == 0 ? 2 : 4) * f(from + i * step);
  return sum * step / 3;
}

/// P(T > t) of a gamma law by integrating its density; x = y^4 takes the singularity at zero out for shape >
/// 1/4.
double gamma_survival(double mean, double shape, double t) {
  const auto density = [shape](double y) {
    const double x = y * y * y * y;
    return y == 0 ? 0 : 4 * std::pow(y, 4 * shape - 1) * std::exp(-x) / std::tgamma(shape);
  };
  return 1 - integral(density, 0, std::pow(t * shape / mean, 0.25));
}

Case weibull(double mean, double shape) {
  const double scale = mean / std::tgamma(1 + 1 / shape);
  const double second = scale * scale * std::tgamma(1 + 2 / shape);
  return {"weibull " + std::to_string(shape), Law::weibull_with_mean(mean, shape),
          [=](double t) { return std::exp(-std::pow(t / scale, shape)); }, mean, second - mean * mean};
}

Case lognormal(double median, double sigma) {
  const double s2 = sigma * sigma;
  return {"lognormal " + std::to_string(sigma), Law::lognormal(median, sigma),
          [=](double t) { return 0.5 * std::erfc(std::log(t / median) / (sigma * std::sqrt(2.0))); },
          median * std::exp(s2 / 2), median * median * std::exp(s2) * (std::exp(s2) - 1)};
}

Case gamma(double mean, double shape) {
  return {"gamma " + std::to_string(shape), Law::gamma(mean, shape),
          [=](double t) { return gamma_survival(mean, shape, t); }, mean, mean * mean / shape};
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"exponential", Law::exponential(3), [](double t) { return std::exp(-t / 3); }, 3, 9},
      weibull(5000, 0.7),
      weibull(2, 1.5),
      weibull(1, 8),
      lognormal(10, 0.5),
      lognormal(0.1, 2),
      gamma(7, 0.5),
      gamma(100, 1),
      gamma(3, 20),
      // Mean m alpha / (alpha - 1), variance m^2 alpha / ((alpha - 1)^2 (alpha - 2)).
      {"pareto 2.5", Law::pareto(2, 2.5), [](double t) { return t < 2 ? 1 : std::pow(2 / t, 2.5); }, 10.0 / 3,
       4 * 2.5 / (1.5 * 1.5 * 0.5)},
      // Mean 0.9 * 1 + 0.1 * 50 = 5.9; second moment 2 (0.9 * 1 + 0.1 * 2500) = 501.8.
      {"hyperexponential", Law::hyperexponential(std::array{9.0, 1.0}, std::array{1.0, 50.0}),
       [](double t) { return 0.9 * std::exp(-t) + 0.1 * std::exp(-t / 50); }, 5.9, 501.8 - 5.9 * 5.9},
      {"uniform", Law::uniform(1, 4), [](double t) { return std::clamp((4 - t) / 3, 0.0, 1.0); }, 2.5,
       9.0 / 12},
      {"uniform from zero", Law::uniform(0, 4), [](double t) { return std::clamp((4 - t) / 4, 0.0, 1.0); }, 2,
       16.0 / 12},
      {"constant", Law::constant(6), [](double t) { return t < 6 ? 1.0 : 0.0; }, 6, 0},
      // Mean 14 / 4; squares 1 + 4 + 4 + 81 = 90, 90 / 4 - 12.25 = 10.25.
      {"empirical", Law::empirical({2, 9, 1, 2}),
       [](double t) { return ((t < 1) + 2 * (t < 2) + (t < 9)) / 4.0; }, 3.5, 10.25},
  };
  return all;
}

bool is_discrete(const Case& c) { return c.label == "constant" || c.label == "empirical"; }

/// Probabilities to try: both tails and the middle.
const std::vector<double> kShares{1e-12, 1e-6, 0.001, 0.03,  0.2,      0.4,     0.5,
                                  0.6,   0.8,  0.97,  0.999, 1 - 1e-6, 1 - 1e-9};

TEST(Law, SurvivalIsThatOfTheFormula) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.label);
    EXPECT_EQ(c.law.survival(0), 1);
    EXPECT_EQ(c.law.survival(-1), 1);
    for (const double t : {0.01, 0.3, 0.999, 1.001, 1.7, 2.5, 5.999, 6.0, 8.0, 30.0, 4000.0}) {
      const double scaled = is_discrete(c) || c.label == "uniform" ? t : t * c.mean / 5;
      EXPECT_NEAR(c.law.survival(scaled), c.survival(scaled), 1e-9) << scaled;
    }
  }
}

TEST(Law, MomentsAreThoseOfTheFormula) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.label);
    EXPECT_NEAR(c.law.mean() / c.mean, 1, 1e-13);
    EXPECT_NEAR(c.law.variance(), c.variance, 1e-11 * c.variance);
  }
  EXPECT_EQ(Law::pareto(1, 1).mean(), kInfinity);
  EXPECT_EQ(Law::pareto(1, 1.5).variance(), kInfinity);
  EXPECT_LT(Law::pareto(1, 1.5).mean(), kInfinity);
}

TEST(Law, InversesInvert) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.label);
    for (const double s : kShares) {
      const double t = c.law.time_at_survival(s);
      if (is_discrete(c)) {
        EXPECT_LE(c.law.survival(t), s);
        EXPECT_GT(c.law.survival(t * (1 - 1e-12)), s);
      } else {
        // An error of 1e-12 in t moves log S by that times t and the hazard rate; t itself is known to 1e-16,
        // which is what tells small S apart where the support ends.
        EXPECT_NEAR(c.law.survival(t), s, 1e-10 * s + 1e-15) << s;
      }
      EXPECT_NEAR(c.law.time_at_cumulative_hazard(-std::log(s)) / t, 1, 1e-9) << s;
    }
    for (const double h : {1e-150, 1e-30, 1e-14, 1e-5, 0.69, 0.7, 3.0, 200.0, 700.0}) {
      if (is_discrete(c)) continue;
      const double t = c.law.time_at_cumulative_hazard(h);
      // Where the support begins or ends, t next to it cannot tell small or large hazards apart.
      const bool has_edge = c.label.starts_with("uniform") || c.label.starts_with("pareto");
      if (has_edge && (h < 1e-4 || h > 10)) continue;
      EXPECT_NEAR(c.law.cumulative_hazard(t) / h, 1, 1e-9) << h;
    }
  }
}

TEST(Law, EndsOfTheSupport) {
  EXPECT_EQ(Law::exponential(3).time_at_survival(1), 0);
  EXPECT_EQ(Law::exponential(3).time_at_survival(0), kInfinity);
  EXPECT_EQ(Law::weibull(3, 2).time_at_survival(0), kInfinity);
  EXPECT_EQ(Law::gamma(3, 2).time_at_survival(1), 0);
  EXPECT_EQ(Law::gamma(3, 2).time_at_survival(0), kInfinity);
  EXPECT_EQ(Law::pareto(3, 2).time_at_survival(1), 3);
  EXPECT_EQ(Law::uniform(1, 4).time_at_survival(1), 1);
  EXPECT_EQ(Law::uniform(1, 4).time_at_survival(0), 4);
  EXPECT_EQ(Law::empirical({5, 2, 9}).time_at_survival(1), 2);
  EXPECT_EQ(Law::empirical({5, 2, 9}).time_at_survival(0), 9);
}

TEST(Law, StationarySurvivalIsTheIntegral) {
  for (const Case& c : cases()) {
    if (is_discrete(c) || c.label == "weibull 8.000000")
      continue;  // exact values below; kinks spoil Simpson's rule
    SCOPED_TRACE(c.label);
    for (const double share : {0.05, 0.3, 0.9, 2.0}) {
      const double t = share * c.mean;
      const auto in_root = [&](double y) { return 4 * y * y * y * c.survival(y * y * y * y); };
      const double area = integral(in_root, 0, std::pow(t, 0.25), 400);
      EXPECT_NEAR(c.law.stationary_survival(t), 1 - area / c.mean, 2e-5) << t;
    }
  }
  // Constant: uniform over [0, value].
  EXPECT_DOUBLE_EQ(Law::constant(6).stationary_survival(1.5), 0.75);
  EXPECT_DOUBLE_EQ(time_at_stationary_survival(Law::constant(6), 0.75), 1.5);
  // Empirical {1, 2, 2, 9}, sum 14: beyond 1.5 lie 0.5 + 0.5 + 7.5 = 8.5 of it, beyond 4 lie 5.
  EXPECT_DOUBLE_EQ(Law::empirical({2, 9, 1, 2}).stationary_survival(1.5), 8.5 / 14);
  EXPECT_DOUBLE_EQ(Law::empirical({2, 9, 1, 2}).stationary_survival(4), 5.0 / 14);
  EXPECT_DOUBLE_EQ(time_at_stationary_survival(Law::empirical({2, 9, 1, 2}), 8.5 / 14), 1.5);
  EXPECT_DOUBLE_EQ(time_at_stationary_survival(Law::empirical({2, 9, 1, 2}), 5.0 / 14), 4);
  // Uniform [1, 4]: beyond t the area is (4 - t)^2 / 6, of 2.5 in all.
  EXPECT_DOUBLE_EQ(Law::uniform(1, 4).stationary_survival(3), 1.0 / 15);
}

TEST(Law, StationaryInversesInvert) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.label);
    for (const double s : kShares) {
      const double t = time_at_stationary_survival(c.law, s);
      EXPECT_NEAR(c.law.stationary_survival(t), s, 1e-9 * s + 1e-15) << s;
      EXPECT_NEAR(c.law.stationary_cumulative_hazard(t), -std::log(s), 1e-9 + 1e-15 / s) << s;
      // Wherever the search starts it ends at the same place.
      const double h = -std::log(s);
      const double from_guess = c.law.time_at_stationary_cumulative_hazard(h, 0.3 * c.mean);
      EXPECT_NEAR(from_guess / c.law.time_at_stationary_cumulative_hazard(h), 1, 1e-10) << s;
    }
    // To first order S_e = 1 - t / mean.
    EXPECT_NEAR(c.law.time_at_stationary_cumulative_hazard(1e-9) / (1e-9 * c.mean), 1, 1e-3);
  }
}

TEST(Law, ASampleIsOneDrawByInversion) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.label);
    Stream stream(kSeed, kLawName);
    Stream same = stream;
    for (std::uint64_t i = 0; i < 100; ++i) {
      const double u = same.uniform();
      EXPECT_EQ(c.law.sample(stream), c.law.time_at_survival(u));
      EXPECT_EQ(stream.draws(), i + 1);
    }
  }
}

TEST(Law, ResidualsAreOneDrawGivenSurvival) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.label);
    for (const double age_share : {0.0, 0.01, 0.5, 0.9}) {
      const double age = age_share * c.mean;
      Stream stream(kSeed, kLawName);
      Stream same = stream;
      for (std::uint64_t i = 0; i < 50; ++i) {
        const double u = same.uniform();
        const double left = c.law.residual(age, stream);
        ASSERT_GE(left, 0);
        ASSERT_EQ(stream.draws(), i + 1);
        if (is_discrete(c)) {
          EXPECT_LE(c.law.survival(age + left) / c.law.survival(age), u);
        } else {
          EXPECT_NEAR(c.law.survival(age + left) / c.law.survival(age) / u, 1, 1e-9);
        }
      }
      Stream again(kSeed, kLawName);
      const double u = uniform_at(kSeed, kLawName, 0, 0);
      const double left = c.law.stationary_residual(age, again);
      EXPECT_EQ(again.draws(), 1u);
      EXPECT_NEAR(c.law.stationary_survival(age + left) / c.law.stationary_survival(age) / u, 1, 1e-9);
    }
  }
}

TEST(Law, ResidualsFarOut) {
  Stream stream(kSeed, kLawName);
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.label);
    for (int i = 0; i < 20; ++i) {
      for (const double left :
           {c.law.residual(1e5 * c.mean, stream), c.law.stationary_residual(1e5 * c.mean, stream)}) {
        EXPECT_GE(left, 0);
        EXPECT_LT(left, kInfinity);
      }
    }
  }
  EXPECT_EQ(Law::constant(6).residual(7, stream), 0);
  EXPECT_EQ(Law::uniform(1, 4).residual(4, stream), 0);
  EXPECT_EQ(Law::empirical({1, 2}).residual(2, stream), 0);
  EXPECT_EQ(Law::constant(6).residual(2, stream), 4);
}

/// The t with survival(t) = s, by halving on a logarithmic scale.
double time_by_halving(const std::function<double(double)>& survival, double s) {
  double low = -60;
  double high = 60;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (survival(std::exp2(middle)) > s ? low : high) = middle;
  }
  return std::exp2(low);
}

TEST(Law, SamplesFollowTheLaw) {
  // 50 bins of equal probability by the independent formula: chi-square with 49 degrees of freedom has mean
  // 49 and sd 9.9; 5 sd are allowed either way.
  constexpr int kBins = 50;
  constexpr int kSamples = 100'000;
  for (const Case& c : cases()) {
    if (is_discrete(c)) continue;
    SCOPED_TRACE(c.label);
    std::vector<double> edges;
    for (int i = 1; i < kBins; ++i)
      edges.push_back(time_by_halving(c.survival, 1 - static_cast<double>(i) / kBins));
    Stream stream(kSeed, kLawName);
    std::array<int, kBins> count{};
    for (int i = 0; i < kSamples; ++i) {
      const auto above = std::upper_bound(edges.begin(), edges.end(), c.law.sample(stream));
      ++count[static_cast<std::size_t>(above - edges.begin())];
    }
    double chi_square = 0;
    constexpr double kExpected = double{kSamples} / kBins;
    for (const int n : count) chi_square += (n - kExpected) * (n - kExpected) / kExpected;
    EXPECT_LT(chi_square, 99);
    EXPECT_GT(chi_square, 10);
  }
}

TEST(Law, SampleMomentsAreThoseOfTheLaw) {
  constexpr int kSamples = 200'000;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.label);
    Stream stream(kSeed, kLawName);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < kSamples; ++i) {
      const double t = c.law.sample(stream) - c.mean;
      sum += t;
      squares += t * t;
    }
    EXPECT_LE(std::fabs(sum / kSamples), 5 * std::sqrt(c.variance / kSamples));
    // The fourth moment of heavy tails is huge or infinite, so that their variance settles too late to be
    // tested.
    if (c.label == "pareto 2.5" || c.label == "lognormal 2.000000") continue;
    EXPECT_NEAR(squares / kSamples, c.variance, 0.05 * c.variance);
  }
}

TEST(Law, DiscreteSamplesAreEquallyLikely) {
  const Law law = Law::empirical({2, 9, 1, 2});
  Stream stream(kSeed, kLawName);
  std::array<int, 10> count{};
  for (int i = 0; i < 100'000; ++i) ++count[static_cast<std::size_t>(law.sample(stream))];
  // sd of 100,000 trials at 1/4: 137; at 1/2: 158. 5 sd.
  EXPECT_NEAR(count[1], 25'000, 685);
  EXPECT_NEAR(count[2], 50'000, 790);
  EXPECT_NEAR(count[9], 25'000, 685);
}

TEST(Law, ScalingKeepsTheShape) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.label);
    const Law twice = c.law.scaled(2);
    EXPECT_EQ(twice.name(), c.law.name());
    EXPECT_NEAR(twice.mean() / c.law.mean(), 2, 1e-13);
    for (const double s : {0.01, 0.3, 0.9}) {
      EXPECT_NEAR(twice.time_at_survival(s) / c.law.time_at_survival(s), 2, 1e-11);
    }
    EXPECT_NE(twice, c.law);
    EXPECT_EQ(twice.scaled(0.5), c.law);
  }
}

TEST(Law, MakersWithAMeanHaveIt) {
  EXPECT_NEAR(Law::weibull_with_mean(300, 0.7).mean(), 300, 1e-10);
  EXPECT_NEAR(Law::lognormal_with_mean(300, 1.5).mean(), 300, 1e-10);
  EXPECT_NEAR(Law::pareto_with_mean(300, 1.5).mean(), 300, 1e-10);
}

TEST(Law, InfiniteMeanHasNoStationaryAge) {
  const Law law = Law::pareto(1, 0.9);
  EXPECT_EQ(law.stationary_survival(1e9), 1);
  EXPECT_EQ(time_at_stationary_survival(law, 0.5), kInfinity);
}

// Known answers, bit for bit, of 1,000 samples, stationary samples and residuals of every law above: what
// another compiler or another machine must reproduce.
TEST(Law, GivesTheSameBytesEverywhere) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](double x) { hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3; };
  const std::array<Law, 9> laws{
      Law::exponential(3),         Law::weibull(5000, 0.7),
      Law::lognormal(10, 0.5),     Law::gamma(7, 0.5),
      Law::pareto(2, 2.5),         Law::hyperexponential(std::array{9.0, 1.0}, std::array{1.0, 50.0}),
      Law::uniform(1, 4),          Law::constant(6),
      Law::empirical({2, 9, 1, 2})};
  for (const Law& law : laws) {
    Stream stream(kSeed, kLawName);
    for (int i = 0; i < 1'000; ++i) {
      mix(law.sample(stream));
      mix(law.stationary_residual(0, stream));
      mix(law.residual(0.5, stream));
    }
  }
  EXPECT_EQ(hash, 5620089012734888294u);
}

TEST(Law, NamesAreListed) {
  std::vector<std::string_view> names(law_names().begin(), law_names().end());
  EXPECT_EQ(names, (std::vector<std::string_view>{"exponential", "weibull", "lognormal", "gamma", "pareto",
                                                  "hyperexponential", "uniform", "constant", "empirical"}));
  for (const Case& c : cases()) EXPECT_TRUE(c.label.starts_with(c.law.name())) << c.label;
}

}  // namespace
}  // namespace gauntlet
