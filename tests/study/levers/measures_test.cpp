// Gains of levers with controls: which values are compared, and how often an interval holds the gain.
#include "study/levers/measures.hpp"

#include "core/random/stream.hpp"
#include "tests/study/normal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

std::vector<Fraction> fractions(const std::vector<double>& values) {
  std::vector<Fraction> out;
  for (const double value : values) out.push_back({value, 1});
  return out;
}

const std::vector<Fraction> kFirst = fractions({1, 2, 4}), kSecond = fractions({2, 2, 5});

TEST(Measures, AreComparedWithTheControlsOfTheSideThatHasMore) {
  const Controlled first{.values = fractions({2, 3, 3}), .controls = 1},
      second{.values = fractions({3, 4, 3}), .controls = 2};
  const ComparedPair of = compared(kFirst, first, kSecond, second);
  EXPECT_EQ(of.first.data(), first.values.data());
  EXPECT_EQ(of.second.data(), second.values.data());
  EXPECT_EQ(of.controls, 2U);
}

TEST(Measures, ArePlainWhereOneSideHasNothingLeft) {
  const Controlled none, some{.values = fractions({2, 3, 3}), .controls = 1};
  for (const ComparedPair& of :
       {compared(kFirst, none, kSecond, some), compared(kFirst, some, kSecond, none)}) {
    EXPECT_EQ(of.first.data(), kFirst.data());
    EXPECT_EQ(of.second.data(), kSecond.data());
    EXPECT_EQ(of.controls, 0U);
  }
}

TEST(Measures, ArePlainWhereTheirResidualsAreEqual) {
  const Controlled first{.values = fractions({2, 3, 3}), .controls = 1},
      second{.values = fractions({4, 5, 5}), .controls = 1};
  EXPECT_EQ(compared(kFirst, first, kSecond, second).first.data(), kFirst.data());
}

struct Held {
  double share = 0, narrower = 0;  // of the studies; the width as a share of that of plain means
};

/// Studies of two points that share their chances: a value is a base, `each` controls of mean zero with other coefficients at the
/// two points, and noise of its own. The gain is 1 in the mean.
Held held(std::size_t replicas, std::size_t each) {
  constexpr int kStudies = 4000;
  int holds = 0;
  double width = 0, plain_width = 0;
  for (std::uint32_t study = 0; study < kStudies; ++study) {
    Stream chance({.study = study, .replica = 0}, stream_name("measures"));
    std::vector<double> counts;
    std::vector<double> first, second;
    for (std::size_t i = 0; i < replicas; ++i) {
      first.push_back(100 + 0.3 * normal(chance));
      second.push_back(101 + 0.3 * normal(chance));
      for (std::size_t k = 0; k < each; ++k) {
        counts.push_back(5 * normal(chance));
        first.back() += 0.2 * counts.back();
        second.back() += 0.4 * counts.back();
      }
    }
    const Controls controls(counts, each);
    const auto measure = [&](const std::vector<double>& values) {
      return Measure{.plain = fractions(values), .controlled = controlled(fractions(values), controls)};
    };
    const Gain gain = gain_of(measure(first), measure(second), 1, {}),
               plain = gain_of({.plain = fractions(first), .controlled = {}},
                               {.plain = fractions(second), .controlled = {}}, 1, {});
    holds += gain.ci95->low <= 1 && 1 <= gain.ci95->high;
    width += gain.ci95->high - gain.ci95->low;
    plain_width += plain.ci95->high - plain.ci95->low;
  }
  return {static_cast<double>(holds) / kStudies, width / plain_width};
}

TEST(Measures, GainsWithControlsAreWithinTheirIntervals) {
  for (const auto& [replicas, controls] : {std::pair{10U, 1U}, {15U, 1U}, {20U, 2U}, {40U, 3U}, {60U, 4U}}) {
    const Held of = held(replicas, controls);
    constexpr double kError = 0.0034;  // of a share of 95% in 4,000 studies
    EXPECT_GE(of.share, 0.95 - 4 * kError) << replicas;
    EXPECT_LE(of.share, 0.98) << replicas << ": wider than they say";
    EXPECT_LT(of.narrower, 0.6) << replicas;
  }
}

}  // namespace
}  // namespace gauntlet
