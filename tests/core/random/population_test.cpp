#include "core/random/population.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kHour = 3600;
constexpr StreamName kPopulation = stream_name("population");
constexpr StreamName kLives = stream_name("population.lives");

Seed seed_of(int replica) { return {.study = 11, .replica = static_cast<std::uint32_t>(replica)}; }

struct Average {
  double sum = 0;
  double squares = 0;
  int n = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    ++n;
  }
  double mean() const { return sum / n; }
  double standard_error() const { return std::sqrt((squares / n - mean() * mean()) / (n - 1)); }
};

/// Two independent averages of the same thing differ by less than 5 standard errors (one false alarm in 2
/// million).
void expect_same(const Average& a, const Average& b) {
  const double error = std::hypot(a.standard_error(), b.standard_error());
  EXPECT_LE(std::fabs(a.mean() - b.mean()), 5 * error)
      << a.mean() << " against " << b.mean() << " +- " << error;
}

TEST(SparsePermutation, IsAPermutationUnderAnySwaps) {
  constexpr std::uint64_t kSize = 500;
  SparsePermutation sparse;
  std::vector<std::uint64_t> dense(kSize);
  std::iota(dense.begin(), dense.end(), 0);
  Stream stream(seed_of(0), stream_name("swaps"));
  for (int i = 0; i < 5'000; ++i) {
    const std::uint64_t a = stream.below(kSize);
    const std::uint64_t b = stream.below(kSize);
    sparse.swap(a, b);
    std::swap(dense[a], dense[b]);
    if (i % 100 != 0) continue;
    for (std::uint64_t position = 0; position < kSize; ++position) {
      ASSERT_EQ(sparse.at(position), dense[position]);
      ASSERT_EQ(sparse.position_of(dense[position]), position);
    }
  }
}

TEST(Population, EveryComponentFailsOnceInOrder) {
  for (const Ages ages : {Ages::fresh, Ages::stationary}) {
    Population population(Law::weibull(10, 0.7), ages, 1'000, Stream(seed_of(1), kPopulation));
    std::set<std::uint64_t> failed;
    double before = 0;
    while (population.next_time() < kInf) {
      EXPECT_GE(population.next_time(), before);
      before = population.next_time();
      const std::uint64_t component = population.take();
      EXPECT_LT(component, 1'000u);
      EXPECT_TRUE(failed.insert(component).second);
      EXPECT_FALSE(population.contains(component));
    }
    EXPECT_EQ(failed.size(), 1'000u);
    EXPECT_EQ(population.remaining(), 0u);
  }
}

TEST(Population, AnEmptyOneNeverFails) {
  EXPECT_EQ(Population(Law::exponential(1), Ages::fresh, 0, Stream(seed_of(1), kPopulation)).next_time(),
            kInf);
  EXPECT_EQ(PoissonPopulation(1, 0, Stream(seed_of(1), kPopulation)).next_time(), kInf);
  // A law of infinite mean has no stationary failures.
  EXPECT_EQ(Population(Law::pareto(1, 0.5), Ages::stationary, 9, Stream(seed_of(1), kPopulation)).next_time(),
            kInf);
}

TEST(Population, ConstantLivesEndTogether) {
  Population population(Law::constant(5), Ages::fresh, 3, Stream(seed_of(1), kPopulation));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(population.next_time(), 5);
    population.take();
  }
  EXPECT_EQ(population.next_time(), kInf);
}

/// Failures before `horizon` of components that are renewed at once: first lives from the population, later
/// ones from a stream of the component's own.
int failures_with_renewal(const Law& law, Ages ages, std::uint64_t count, double horizon, int replica) {
  int failures = 0;
  Population population(law, ages, count, Stream(seed_of(replica), kPopulation));
  while (population.next_time() < horizon) {
    double at = population.next_time();
    Stream lives(seed_of(replica), kLives, population.take());
    for (; at < horizon; at += law.sample(lives)) ++failures;
  }
  return failures;
}

// 2,048 components of mean life 6,335 h over 200 days. In the stationary state their failures come at the
// rate 2,048 / mean whatever the law: 2,048 * 4,800 / 6,335 = 1,551.7. New ones fail earlier where the shape
// is below 1 (infant mortality) and later where it is above (wear): the renewal function at 0.7577 mean lives
// gives 2,296 and 1,043. One replica has an sd of about sqrt(1,552 * CV^2), CV^2 = 2.14 and 0.46, at most 58
// or 3.7%, so that 400 replicas give the mean to 0.19%, and 1% is five of that.
TEST(Population, FailuresOfAFleetWithRenewal) {
  struct Row {
    double shape;
    Ages ages;
    double expected;
  };
  constexpr Row kRows[] = {{0.7, Ages::stationary, 1552},
                           {1.5, Ages::stationary, 1552},
                           {0.7, Ages::fresh, 2296},
                           {1.5, Ages::fresh, 1043}};
  for (const Row& row : kRows) {
    const Law law = Law::weibull_with_mean(6335 * kHour, row.shape);
    Average failures;
    for (int replica = 0; replica < 400; ++replica) {
      failures.add(failures_with_renewal(law, row.ages, 2048, 4800 * kHour, replica));
    }
    EXPECT_NEAR(failures.mean(), row.expected, 0.01 * row.expected)
        << "shape " << row.shape << ", standard error " << failures.standard_error();
  }
}

/// Lives drawn one by one, the slow and obvious way.
std::vector<double> first_lives(const Law& law, Ages ages, int count, int replica) {
  std::vector<double> lives;
  for (int i = 0; i < count; ++i) {
    Stream stream(seed_of(replica), stream_name("direct"), static_cast<std::uint64_t>(i));
    lives.push_back(ages == Ages::fresh ? law.sample(stream) : law.stationary_residual(0, stream));
  }
  return lives;
}

// What happens at each step of a small scenario with removals, from a population and from one clock per
// component.
struct Story {
  Average failed_by_early, failed_by_late, next_after, life_of_removed;
};

constexpr int kCount = 30;
constexpr double kEarly = 0.35;
constexpr double kMiddle = 0.6;
constexpr double kLate = 1.1;

/// Components 0 to 7 leave at kEarly, 8 to 14 at kMiddle, so far as they have not failed by then.
double leaves_at(int component) { return component < 8 ? kEarly : component < 15 ? kMiddle : kInf; }

Story told_by_population(const Law& law, Ages ages, int replicas) {
  Story story;
  for (int replica = 0; replica < replicas; ++replica) {
    Population population(law, ages, kCount, Stream(seed_of(replica), kPopulation));
    int failed = 0;
    const auto run_to = [&](double until) {
      for (; population.next_time() < until; population.take()) ++failed;
    };
    const auto remove = [&](int component, double now) {
      const auto id = static_cast<std::uint64_t>(component);
      if (!population.contains(id)) return;
      population.remove(id, now);
      Stream stream(seed_of(replica), kLives, id);
      story.life_of_removed.add(now + population.residual_after(now, stream));
    };
    run_to(kEarly);
    story.failed_by_early.add(failed);
    for (int component = 0; component < 8; ++component) remove(component, kEarly);
    run_to(kMiddle);
    for (int component = 8; component < 15; ++component) remove(component, kMiddle);
    story.next_after.add(std::min(population.next_time(), 5.0));
    run_to(kLate);
    story.failed_by_late.add(failed);
  }
  return story;
}

Story told_by_clocks(const Law& law, Ages ages, int replicas) {
  Story story;
  for (int replica = 0; replica < replicas; ++replica) {
    const std::vector<double> lives = first_lives(law, ages, kCount, replica);
    int early = 0;
    int late = 0;
    double next = kInf;
    for (int component = 0; component < kCount; ++component) {
      const double life = lives[static_cast<std::size_t>(component)];
      if (life < kEarly) ++early;
      if (life >= leaves_at(component)) {
        story.life_of_removed.add(life);
        continue;
      }
      if (life < kLate) ++late;
      if (life >= kMiddle) next = std::min(next, life);
    }
    story.failed_by_early.add(early);
    story.failed_by_late.add(late);
    story.next_after.add(std::min(next, 5.0));
  }
  return story;
}

TEST(Population, RemovalKeepsTheLaw) {
  constexpr int kReplicas = 6'000;
  for (const Law& law : {Law::weibull_with_mean(1, 0.7), Law::weibull_with_mean(1, 2.5), Law::exponential(1),
                         Law::gamma(1, 0.6), Law::uniform(0.2, 1.5)}) {
    for (const Ages ages : {Ages::fresh, Ages::stationary}) {
      SCOPED_TRACE(std::string(law.name()) + (ages == Ages::fresh ? ", fresh" : ", stationary"));
      const Story population = told_by_population(law, ages, kReplicas);
      const Story clocks = told_by_clocks(law, ages, kReplicas);
      expect_same(population.failed_by_early, clocks.failed_by_early);
      expect_same(population.failed_by_late, clocks.failed_by_late);
      expect_same(population.next_after, clocks.next_after);
      expect_same(population.life_of_removed, clocks.life_of_removed);
    }
  }
}

TEST(Population, FirstFailureOfNewWeibullLivesIsWeibull) {
  // The first of n has scale eta n^(-1/k): with n = 512, eta = 1e5, k = 0.7 its mean is 17.06033275390217 and
  // its standard deviation sqrt(2.1387) of that; 5 standard errors of 20,000 replicas.
  Average first;
  for (int replica = 0; replica < 20'000; ++replica) {
    first.add(Population(Law::weibull(1e5, 0.7), Ages::fresh, 512, Stream(seed_of(replica), kPopulation))
                  .next_time());
  }
  EXPECT_NEAR(first.mean(), 17.06033275390217, 5 * 17.06 * std::sqrt(2.1387 / 20'000));
}

TEST(Population, WhichIsUniformAndTellsNothingOfWhen) {
  // The first two of six, in order: 30 equally likely pairs; and in early and late halves alike. Chi-square
  // with 59 degrees of freedom: mean 59, sd 10.9; 5 sd.
  constexpr int kReplicas = 60'000;
  std::map<std::tuple<std::uint64_t, std::uint64_t, bool>, int> count;
  for (int replica = 0; replica < kReplicas; ++replica) {
    Population population(Law::weibull(1, 0.7), Ages::fresh, 6, Stream(seed_of(replica), kPopulation));
    // The median of the first failure: 6 H = log 2.
    const bool is_early = population.next_time() < std::pow(std::log(2.0) / 6, 1 / 0.7);
    const std::uint64_t first = population.take();
    const std::uint64_t second = population.take();
    ++count[{first, second, is_early}];
  }
  EXPECT_EQ(count.size(), 60u);
  double chi_square = 0;
  for (const auto& [key, n] : count) chi_square += (n - 1'000.0) * (n - 1'000.0) / 1'000;
  EXPECT_LT(chi_square, 114);
}

TEST(Population, RemovingThePendingOneOrAnotherIsTheSame) {
  // The time of the next failure after a removal does not depend on which component left.
  constexpr int kReplicas = 20'000;
  Average failing;
  Average other;
  for (int replica = 0; replica < kReplicas; ++replica) {
    const Stream stream(seed_of(replica), kPopulation);
    Population population(Law::weibull(1, 1.5), Ages::fresh, 4, stream);
    if (population.next_time() < 0.2) continue;
    Population copy = population;
    const std::uint64_t next = copy.take();
    Population without_next = population;
    without_next.remove(next, 0.2);
    failing.add(without_next.next_time());
    Population without_other = population;
    without_other.remove((next + 1) % 4, 0.2);
    other.add(without_other.next_time());
  }
  EXPECT_GT(failing.n, 1'000);
  expect_same(failing, other);
}

TEST(Population, DrawsFollowTheFailuresNotTheSize) {
  // A billion components cost no more than ten: nothing is allocated or drawn per component.
  Population population(Law::weibull_with_mean(1e9, 0.7), Ages::stationary, 1'000'000'000,
                        Stream(seed_of(3), kPopulation));
  for (int i = 0; i < 1'000; ++i) population.take();
  // The first 1,000 of 1e9 stationary lives come at rate 1: their time is 1,000 +- 32; 5 sd.
  EXPECT_NEAR(population.next_time(), 1'000, 160);
}

TEST(Population, TheSameSeedGivesTheSameFailures) {
  Population one(Law::gamma(1, 0.6), Ages::stationary, 50, Stream(seed_of(5), kPopulation));
  Population two(Law::gamma(1, 0.6), Ages::stationary, 50, Stream(seed_of(5), kPopulation));
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(one.next_time(), two.next_time());
    EXPECT_EQ(one.take(), two.take());
  }
}

TEST(PoissonPopulation, HasTheRateAndForgets) {
  // 100 components of mean life 50 over 1,000: a Poisson number of mean 2,000; its variance equals its mean.
  // Of 4,000 replicas the mean has a standard error of 0.71, the variance one of 2,000 sqrt(2 / 4,000) = 45;
  // 5 of each.
  Average failures;
  std::array<int, 100> by_component{};
  for (int replica = 0; replica < 4'000; ++replica) {
    PoissonPopulation population(50, 100, Stream(seed_of(replica), kPopulation));
    int n = 0;
    for (; population.next_time() < 1'000; ++n) ++by_component[population.take()];
    failures.add(n);
  }
  EXPECT_NEAR(failures.mean(), 2'000, 3.6);
  EXPECT_NEAR(failures.squares / failures.n - failures.mean() * failures.mean(), 2'000, 225);
  const double each = failures.sum / 100;
  double chi_square = 0;
  for (const int n : by_component) chi_square += (n - each) * (n - each) / each;
  EXPECT_LT(chi_square, 170);  // 99 degrees of freedom: mean 99, sd 14.1; 5 sd
}

}  // namespace
}  // namespace gauntlet
