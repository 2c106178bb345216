// How often two means that are equal are told apart, against exact tails and against counts.
//
// A gain that is 0 in the mean but rare: each replica gains lambda and loses the events of a compound Poisson process of rate
// lambda, of size 1 or exponential of mean 1, or the other way round. Student's t is wrong by factors here.
#include "study/levers/larger_mean.hpp"

#include "core/math/special.hpp"
#include "core/random/stream.hpp"
#include "study/paired.hpp"
#include "tests/study/levers/by_chance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::array kLevels = {1e-2, 1e-3, 1e-4};

struct Pairs {
  std::vector<Fraction> first, second;

  explicit Pairs(std::size_t n) : first(n, {10, 1}), second(n, {10, 1}) {}
  CorrectedT corrected() const { return corrected_t(first, second); }
};

class Draws {
 public:
  explicit Draws(std::uint64_t number) : stream_({.study = 1}, stream_name("test.larger_mean"), number) {}

  double exponential() { return -std::log(stream_.uniform()); }
  double normal() {
    constexpr double kTurn = 6.283185307179586;
    return std::sqrt(2 * exponential()) * std::cos(kTurn * stream_.uniform());
  }
  /// Differences of mean zero: `sign` is -1 for rare losses, and 1 for rare gains.
  void compound_poisson(Pairs& into, double rate, bool same_size, double sign) {
    for (Fraction& each : into.second) each.numerator = 10 - sign * rate;
    for (double at = exponential() / rate; at < static_cast<double>(into.second.size());
         at += exponential() / rate)
      into.second[static_cast<std::size_t>(at)].numerator += sign * (same_size ? 1 : exponential());
  }

 private:
  Stream stream_;
};

std::vector<double> quantiles(std::size_t n) {
  std::vector<double> of;
  for (const double level : kLevels) of.push_back(student_t_quantile(1 - level, static_cast<double>(n - 1)));
  return of;
}

constexpr double kValues = 1.2e6;  // of each case

/// Wrong answers at each level, of draws of one case.
template <class IsWrong>
std::array<std::uint64_t, kLevels.size()> wrong_of(std::uint64_t draws, std::size_t n, double rate,
                                                   bool same_size, double sign, IsWrong&& is_wrong) {
  std::array<std::uint64_t, kLevels.size()> wrong{};
  const std::vector<double> beyond = quantiles(n);
  Draws chance(static_cast<std::uint64_t>(n) + static_cast<std::uint64_t>(1000 * rate));
  Pairs pairs(n);
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    chance.compound_poisson(pairs, rate, same_size, sign);
    for (std::size_t level = 0; level < kLevels.size(); ++level)
      wrong[level] += is_wrong(pairs, beyond[level]);
  }
  return wrong;
}

void expect_no_more_wrong_than_the_level(std::size_t n, double rate, bool same_size, double sign) {
  const auto draws = static_cast<std::uint64_t>(kValues / static_cast<double>(n));
  CorrectedT of;
  double last = 0;
  const auto wrong = wrong_of(draws, n, rate, same_size, sign, [&](const Pairs& pairs, double quantile) {
    if (last == 0 || quantile < last) of = pairs.corrected();
    last = quantile;
    return of.exceeds(quantile);
  });
  for (std::size_t level = 0; level < kLevels.size(); ++level)
    EXPECT_LE(wrong[level], most_by_chance(kLevels[level] * static_cast<double>(draws)))
        << n << " replicas with " << rate << (sign < 0 ? " losses" : " gains") << " each of "
        << (same_size ? "one size" : "exponential sizes") << ", level " << kLevels[level] << ", " << draws
        << " draws";
}

TEST(LargerMean, OfRareLossesIsWrongNoMoreOftenThanTheLevel) {
  for (const bool same_size : {true, false})
    for (const double rate : {0.02, 0.1, 0.5, 1.0, 4.0})
      for (const std::size_t n : {20U, 50U, 200U, 1600U})
        expect_no_more_wrong_than_the_level(n, rate, same_size, -1);
}

TEST(LargerMean, OfRareGainsIsWrongNoMoreOftenThanTheLevel) {
  for (const bool same_size : {true, false})
    for (const double rate : {0.02, 0.5, 4.0})
      for (const std::size_t n : {20U, 200U}) expect_no_more_wrong_than_the_level(n, rate, same_size, 1);
}

TEST(LargerMean, TheWholeTestIsWrongNoMoreOftenThanTheLevel) {
  // Also where few pairs saw few and small events, which say least of those that are to be expected.
  for (const bool same_size : {true, false})
    for (const double rate : {0.01, 0.02, 0.1, 0.3, 1.0})
      for (const std::size_t n : {8U, 10U, 20U, 32U, 100U, 200U}) {
        const auto draws = static_cast<std::uint64_t>(kValues / 8 / static_cast<double>(n));
        std::size_t level = 0;
        const auto wrong = wrong_of(draws, n, rate, same_size, -1, [&](const Pairs& pairs, double) {
          return is_larger(pairs.first, pairs.second, kLevels[level++ % kLevels.size()]);
        });
        for (std::size_t i = 0; i < kLevels.size(); ++i)
          EXPECT_LE(wrong[i], most_by_chance(kLevels[i] * static_cast<double>(draws)))
              << n << " pairs with " << rate << " losses each of "
              << (same_size ? "one size" : "exponential sizes") << ", level " << kLevels[i] << ", " << draws
              << " draws";
      }
}

TEST(LargerMean, OfStudentsTWouldBeWrongByFactors) {
  // So the counts above do find such a statistic. 20 events each in the mean of 200 replicas; 40 of 40.
  for (const auto& [n, rate] : {std::pair{200U, 0.1}, std::pair{40U, 1.0}}) {
    const std::uint64_t draws = 20'000;
    const auto wrong = wrong_of(draws, n, rate, false, -1, [](const Pairs& pairs, double quantile) {
      const PairedDifference of = paired_difference(pairs.first, pairs.second);
      return *of.se > 0 && *of.difference > quantile * *of.se;
    });
    EXPECT_GT(static_cast<double>(wrong[1]), 5 * 1e-3 * static_cast<double>(draws)) << n;
    EXPECT_GT(static_cast<double>(wrong[2]), 20 * 1e-4 * static_cast<double>(draws)) << n;
  }
}

/// n pairs that differ by `usual`, but for `events` of them, which differ by `usual` + `event`.
CorrectedT of_events(std::size_t n, std::size_t events, double usual, double event) {
  Pairs pairs(n);
  for (std::size_t i = 0; i < n; ++i) pairs.second[i].numerator += usual + (i < events ? event : 0);
  return pairs.corrected();
}

TEST(LargerMean, OfEventsThatAPairHasOrHasNotKeepsToTheBinomialTail) {
  // With events of chance p and size 1, the mean is zero where all pairs gain p. Fewer events than so many are told from it:
  // their binomial tail is exact.
  for (const std::size_t n : {100U, 400U, 1600U})
    for (const double p : {0.01, 0.03, 0.1, 0.3, 0.7, 0.97}) {
      const double of = static_cast<double>(n);
      std::map<double, double> fewer, more;  // by level, the largest tail of what is told apart
      for (std::size_t events = 0; events < n; ++events) {
        const double k = static_cast<double>(events);
        const double at_most = incomplete_beta(of - k, k + 1, 1 - p);
        const double at_least = events == 0 ? 1 : incomplete_beta(k, of - k + 1, p);
        const CorrectedT loss = of_events(n, events, p, -1), gain = of_events(n, events, -p, 1);
        for (const double level : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
          const double quantile = student_t_quantile(1 - level, of - 1);
          if (loss.exceeds(quantile)) fewer[level] = std::max(fewer[level], at_most);
          if (gain.exceeds(quantile)) more[level] = std::max(more[level], at_least);
        }
      }
      for (const auto& [level, tail] : fewer) EXPECT_LE(tail, 1.1 * level) << n << " " << p;
      for (const auto& [level, tail] : more) EXPECT_LE(tail, 1.1 * level) << n << " " << p;
    }
}

TEST(LargerMean, OfNormalValuesTellsNearlyAsMuchAsStudentsT) {
  struct Case {
    std::size_t n;
    double level, share;
  };
  for (const Case& of : {Case{100, 1e-3, 0.96}, Case{100, 1e-5, 0.93}, Case{1600, 1e-5, 0.99}}) {
    const double n = static_cast<double>(of.n), quantile = student_t_quantile(1 - of.level, n - 1);
    const double mean = (quantile + 1.5) / std::sqrt(n);
    Draws chance(7);
    std::uint64_t by_t = 0, found = 0;
    for (int draw = 0; draw < 1000; ++draw) {
      Pairs pairs(of.n);
      for (Fraction& each : pairs.second) each.numerator += mean + chance.normal();
      const PairedDifference difference = paired_difference(pairs.first, pairs.second);
      by_t += *difference.difference > quantile * *difference.se;
      found += pairs.corrected().exceeds(quantile);
    }
    EXPECT_GT(by_t, 900U);
    EXPECT_LE(found, by_t);
    EXPECT_GE(static_cast<double>(found), of.share * static_cast<double>(by_t)) << of.n << " " << of.level;
  }
}

TEST(LargerMean, WithoutScatterOrWithOneEventSaysNothing) {
  EXPECT_FALSE(of_events(1000, 0, 1, 0).exceeds(0));     // the same in each pair
  EXPECT_FALSE(of_events(1000, 1, 1, -0.5).exceeds(2));  // t is 2000
  const Pairs same(100);
  EXPECT_FALSE(is_larger(same.first, same.second, 0.4));
  EXPECT_FALSE(is_larger({}, {}, 0.4));
}

TEST(LargerMean, OfRareGainsIsStudentsT) {
  // The correction guards against a mean that is too high; it adds nothing where the tail is the lighter one.
  Pairs pairs(400);
  for (std::size_t i = 0; i < 400; ++i) pairs.second[i].numerator += i < 40 ? 3 : -0.1;
  const PairedDifference of = paired_difference(pairs.first, pairs.second);
  EXPECT_NEAR(pairs.corrected().value, *of.difference / *of.se, 1e-9);
}

TEST(LargerMean, OfRareLossesThatOtherChancesHideIsWrongNoMoreOftenThanTheLevel) {
  // Ten losses of exponential sizes in the mean of 100 replicas, beside normal values of 0.3: the skewness does not show them.
  Draws chance(11);
  Pairs pairs(100);
  constexpr std::uint64_t kDraws = 20'000;
  const double quantile = student_t_quantile(1 - 1e-3, 99);
  std::uint64_t corrected = 0, larger = 0;
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    chance.compound_poisson(pairs, 0.1, false, -1);
    for (Fraction& each : pairs.second) each.numerator += 0.3 * chance.normal();
    corrected += pairs.corrected().exceeds(quantile);
    larger += is_larger(pairs.first, pairs.second, 1e-3);
  }
  EXPECT_GT(corrected, 3 * most_by_chance(1e-3 * kDraws));  // without room for events that stayed away
  EXPECT_LE(larger, most_by_chance(1e-3 * kDraws));
}

TEST(LargerMean, OfASteadyGainIsCertainBesideAFewThatAreFarLarger) {
  // 798 of 800 runs gain 1.77 +- 0.1, and two gain 10.5 and 12.9: a screen of events must not hide the steady gain.
  Draws chance(5);
  Pairs pairs(800);
  for (Fraction& each : pairs.second) each.numerator += 1.77 + 0.1 * chance.normal();
  pairs.second[10] = {20.5, 1};
  pairs.second[500] = {22.9, 1};
  EXPECT_TRUE(is_larger(pairs.first, pairs.second, 1e-6));
}

TEST(LargerMean, ByMoreThanADifferenceIsThatOfValuesThatAreMovedByIt) {
  Draws chance(9);
  Pairs pairs(100);
  for (Fraction& each : pairs.second) each.numerator += 2 + chance.normal();
  int larger = 0;
  for (int step = 0; step <= 40; ++step) {
    const double more = step / 10.0;
    Pairs moved = pairs;
    for (Fraction& each : moved.first) each.numerator += more;
    const bool by_more = is_larger(pairs.first, pairs.second, 1e-3, {.more = more});
    EXPECT_EQ(by_more, is_larger(moved.first, moved.second, 1e-3)) << more;
    larger += by_more ? 1 : 0;
  }
  EXPECT_GT(larger, 10);
  EXPECT_LT(larger, 20);  // below the mean by what the level takes
}

TEST(LargerMean, OfRatiosIsThatOfTheirTotals) {
  // 100 runs of 1 to 3 hours: rates of 2 and of 2.2 per hour, scattered by their own length.
  Draws chance(3);
  std::vector<Fraction> first, second;
  for (int i = 0; i < 100; ++i) {
    const double hours = 2 + std::clamp(chance.normal() / 2, -1.0, 1.0);
    first.push_back({2 * hours + 0.1 * chance.normal(), hours});
    second.push_back({2.2 * hours + 0.1 * chance.normal(), hours});
  }
  EXPECT_TRUE(is_larger(first, second, 1e-6));
  EXPECT_FALSE(is_larger(second, first, 0.1));
}

}  // namespace
}  // namespace gauntlet
