#include "real/clocks/agent_clock.hpp"

#include "tests/driver/disturbances.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;

TEST(AgentClock, KnowsNothingBeforeAnExchange) {
  const AgentClock clock;
  EXPECT_FALSE(clock.offset(5));
  EXPECT_FALSE(clock.to_driver(5));
  EXPECT_FALSE(clock.known());
}

// Cristian 1989: a round trip of 2D bounds the other clock to +- D about the middle, whatever the two delays are.
TEST(AgentClock, OneExchangeBoundsTheOffsetByHalfTheRoundTrip) {
  AgentClock clock;
  EXPECT_TRUE(clock.add({.asked_ns = 1000, .read_ns = 70'500, .answered_ns = 1800}));
  EXPECT_EQ(clock.offset(70'500), (ClockOffset{68'700, 69'500}));
  EXPECT_EQ(clock.to_driver(70'500)->at_ns, 1400);
  EXPECT_EQ(clock.to_driver(70'500)->error, 400ns);
}

TEST(AgentClock, TheBoundsWidenByTheDriftOfClocks) {
  AgentClock clock;
  clock.add({.asked_ns = 0, .read_ns = kSecond, .answered_ns = 0});
  constexpr std::int64_t kDrift = kSecond / 2000 + 1;  // 500 ppm of one second, rounded up
  for (const std::int64_t at : {std::int64_t{0}, 2 * kSecond})
    EXPECT_EQ(clock.offset(at), (ClockOffset{kSecond - kDrift, kSecond + kDrift})) << at;
}

// Marzullo: the truth lies in every interval. A slow answer and a slow question cut each other's interval short.
TEST(AgentClock, SeveralExchangesBoundItByTheirIntersection) {
  AgentClock clock;
  const std::int64_t drift = 1;  // of 10 ns, rounded up
  clock.add({.asked_ns = 0, .read_ns = 100'000, .answered_ns = 1000});
  clock.add({.asked_ns = 0, .read_ns = 100'990, .answered_ns = 1000});
  clock.add({.asked_ns = 1000, .read_ns = 101'000, .answered_ns = 3000});
  EXPECT_EQ(clock.offset(101'000), (ClockOffset{99'990 - drift, 100'000}));
}

// A driver that was stopped for a minute hears all answers at once, after a minute.
TEST(AgentClock, ManySlowExchangesDoNotDriveOutAQuickOne) {
  constexpr std::int64_t kSecond = 1'000'000'000, kMinute = 60 * kSecond;
  AgentClock clock;
  clock.add({.asked_ns = 0, .read_ns = 5, .answered_ns = 10});
  for (std::int64_t i = 1; i <= 20; ++i)
    clock.add({.asked_ns = i * kSecond, .read_ns = i * kSecond + 5, .answered_ns = kMinute});
  const auto time = clock.to_driver(20 * kSecond);
  ASSERT_TRUE(time);
  EXPECT_LE(time->error, Duration(5 + 20 * kSecond / AgentClock::kDriftsOneIn + 1));
}

TEST(AgentClock, AnImpossibleExchangeIsIgnored) {
  AgentClock clock;
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(clock.add({.asked_ns = 10, .read_ns = 5, .answered_ns = 9}));
  EXPECT_TRUE(clock.add({.asked_ns = -1, .read_ns = 5, .answered_ns = 9}));
  EXPECT_TRUE(clock.add({.asked_ns = 1, .read_ns = kFar, .answered_ns = 9}));
  EXPECT_FALSE(clock.offset(5));
  EXPECT_TRUE(clock.add({.asked_ns = 1, .read_ns = 5, .answered_ns = 9}));
  for (const std::int64_t absurd : {kFar, -kFar})  // a rank may print any number
    EXPECT_GE(clock.to_driver(absurd)->error, 0ns);
}

TEST(AgentClock, AJumpIsNoticedEitherWay) {
  for (const std::int64_t jump : {-10 * kSecond, 10 * kSecond}) {
    AgentClock clock;
    constexpr std::int64_t kOffset = 100 * kSecond;
    for (std::int64_t at = 0; at < 10 * kSecond; at += kSecond)
      EXPECT_TRUE(clock.add(
          {.asked_ns = at, .read_ns = at + kOffset + kMillisecond, .answered_ns = at + 2 * kMillisecond}));
    const std::int64_t at = 20 * kSecond;
    EXPECT_FALSE(clock.add({.asked_ns = at,
                            .read_ns = at + kOffset + jump + kMillisecond,
                            .answered_ns = at + 2 * kMillisecond}));
    EXPECT_EQ(clock.to_driver(at + kOffset + jump)->at_ns, at);
    EXPECT_EQ(clock.known()->since_ns, clock.known()->read_ns);
  }
}

/// A pair of clocks: the agent's gains and loses on the driver's, within the limit, and changes its mind.
class Clocks {
 public:
  explicit Clocks(Dice& dice) : dice_(dice), offset_(dice.between(-1000s, 1000s)) {}
  std::int64_t driver_ns() const { return now_; }
  std::int64_t agent_ns() const { return now_ + offset_.count(); }
  std::int64_t offset_ns() const { return offset_.count(); }
  void pass(Duration time) {
    while (time > 0ns) {
      const Duration stretch = std::min(time, dice_.between(1ms, 3s));
      const std::int64_t most = stretch.count() / 2002;  // of the agent's own time too
      const bool extreme = dice_.chance(0.5);            // for seconds on end
      if (dice_.chance(0.2)) gains_ = !gains_;
      const std::int64_t gained = extreme ? most : dice_.between(0ns, Duration(most)).count();
      offset_ += Duration(gains_ ? gained : -gained);
      now_ += stretch.count();
      time -= stretch;
    }
  }

 private:
  Dice& dice_;
  std::int64_t now_ = 5000 * kSecond;
  Duration offset_;
  bool gains_ = true;
};

/// The intersection of all exchanges, by the definition.
ClockOffset reference(std::span<const ClockExchange> exchanges, std::int64_t at) {
  ClockOffset all = {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  for (const ClockExchange& each : exchanges) {
    const std::int64_t passed = std::abs(at - each.read_ns);
    const std::int64_t drift = passed == 0 ? 0 : passed / 2000 + 1;
    all.low_ns = std::max(all.low_ns, each.read_ns - each.answered_ns - drift);
    all.high_ns = std::min(all.high_ns, each.read_ns - each.asked_ns + drift);
  }
  return all;
}

// The oracle is the simulated truth: no order of delays, however one-sided, and no drift within the limit leads the bounds
// away from it. Times between exchanges are mapped as well, also earlier ones.
TEST(AgentClock, TheBoundsNeverExcludeTheTruth) {
  double narrowest = 1;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(seed, "agent clock");
    Clocks clocks(dice);
    AgentClock known;
    std::vector<ClockExchange> exchanges;
    const Duration slow = dice.skewed(100us, 5s);
    const double one_sided = dice.chance(0.5) ? 0.9 : 0.1;
    for (int i = 0; i < 60; ++i) {
      const bool slow_question = dice.chance(one_sided);
      ClockExchange exchange{.asked_ns = clocks.driver_ns()};
      clocks.pass(dice.between(0ns, slow_question ? slow : Duration(100us)));
      exchange.read_ns = clocks.agent_ns();
      const std::int64_t truth = clocks.offset_ns();
      clocks.pass(dice.between(0ns, slow_question ? Duration(100us) : slow));
      exchange.answered_ns = clocks.driver_ns();
      ASSERT_TRUE(known.add(exchange)) << "seed " << seed << ": nothing jumped";
      exchanges.push_back(exchange);
      const ClockOffset then = known.offset(exchange.read_ns).value();
      ASSERT_LE(then.low_ns, truth) << "seed " << seed;
      ASSERT_GE(then.high_ns, truth) << "seed " << seed;
      ASSERT_LE(then.high_ns - then.low_ns, exchange.answered_ns - exchange.asked_ns)
          << "no more than one alone";
      // Nothing that was ever learnt is lost, but for the nanosecond that each rounding of drift may take.
      const ClockOffset all = reference(exchanges, exchange.read_ns);
      EXPECT_LE(all.low_ns - 1, then.low_ns) << "seed " << seed;
      EXPECT_LE(then.low_ns, all.low_ns) << "seed " << seed;
      EXPECT_LE(then.high_ns, all.high_ns + 1) << "seed " << seed;
      EXPECT_GE(then.high_ns, all.high_ns) << "seed " << seed;

      clocks.pass(dice.between(0ns, Duration(3s)));
      const DriverTime mapped = known.to_driver(clocks.agent_ns()).value();
      ASSERT_LE(std::abs(mapped.at_ns - clocks.driver_ns()), mapped.error.count()) << "seed " << seed;
      narrowest = std::min(narrowest, to_seconds(mapped.error));
    }
  }
  EXPECT_LT(narrowest, 1e-3) << "a bound that says nothing holds as well";
}

// The bound is as tight as the exchange allows: a question, or an answer, that takes no time puts the truth at its edge.
TEST(AgentClock, TheBoundsAreReached) {
  constexpr std::int64_t kOffset = 5 * kSecond;
  AgentClock at_once;
  at_once.add({.asked_ns = 10, .read_ns = 10 + kOffset, .answered_ns = 500});
  EXPECT_EQ(at_once.offset(10 + kOffset)->high_ns, kOffset);
  AgentClock answered_at_once;
  answered_at_once.add({.asked_ns = 10, .read_ns = 500 + kOffset, .answered_ns = 500});
  EXPECT_EQ(answered_at_once.offset(500 + kOffset)->low_ns, kOffset);
}

}  // namespace
}  // namespace gauntlet
