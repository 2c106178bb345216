// The oracle is the C library's 80-bit long double, whose 64-bit significand leaves 11 bits to judge a double
// by. It is used here alone: nothing of it reaches a result.
#include "core/math/elementary.hpp"

#include "core/infinity.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace gauntlet {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
constexpr double kLargest = std::numeric_limits<double>::max();

/// Numbers to try, repeatable: a 64-bit linear congruential generator (Knuth, MMIX), upper bits.
class Arguments {
 public:
  std::uint64_t bits() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    const std::uint64_t high = state_ >> 32;
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return high << 32 | state_ >> 32;
  }
  double in(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
  }
  /// Any positive finite double, uniform over bit patterns: as many subnormals as of any other exponent.
  double positive() { return std::bit_cast<double>(bits() % 0x7ff0000000000000); }

 private:
  std::uint64_t state_ = 7;
};

/// |got - exact| in units in the last place of the double nearest to `exact`.
double error_in_ulp(double got, long double exact) {
  const auto nearest = static_cast<double>(exact);
  if (got == nearest) {
    if (std::isinf(got) || got == 0) return 0;
  } else if (std::isinf(got) || std::isinf(nearest) || std::isnan(got)) {
    return kInfinity;
  }
  const int exponent = std::max(std::ilogb(nearest == 0 ? kSmallest : nearest), -1022);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) /
                             std::ldexp(1.0L, exponent - 52));
}

struct Worst {
  double error = 0;
  double x = 0;
  double y = 0;
  void look(double got, long double exact, double at_x, double at_y = 0) {
    const double now = error_in_ulp(got, exact);
    if (now > error) *this = {now, at_x, at_y};
  }
};

#define EXPECT_WITHIN_ULP(worst, most) \
  EXPECT_LE((worst).error, most) << std::hexfloat << "at " << (worst).x << ", " << (worst).y

/// The doubles around every place where the implementation changes its path: each table entry, powers of two.
std::vector<double> edges() {
  std::vector<double> found;
  for (int i = 0; i <= 256; ++i) {
    for (const double scale : {0x1p-1022, 0x1p-3, 0.5, 1.0, 2.0, 0x1p40, 0x1p1022}) {
      const double edge = (0.6875 + i / 256.0) * scale;
      found.insert(found.end(), {std::nextafter(edge, 0), edge, std::nextafter(edge, kInfinity)});
    }
  }
  for (int exponent = -1074; exponent <= 1023; ++exponent) {
    const double edge = std::ldexp(1.0, exponent);
    found.insert(found.end(), {std::nextafter(edge, 0), edge, std::nextafter(edge, kInfinity)});
  }
  std::erase_if(found, [](double x) { return x == 0 || std::isinf(x); });
  return found;
}

TEST(MathLog, IsWithinOneUlp) {
  Arguments arguments;
  Worst worst;
  const auto look = [&](double x) { worst.look(math_log(x), std::log(static_cast<long double>(x)), x); };
  for (const double x : edges()) look(x);
  for (int i = 0; i < 300'000; ++i) {
    look(arguments.positive());
    look(arguments.in(0, 1));
    look(arguments.in(0.9, 1.1));
    look(1 + arguments.in(-1, 1) * std::ldexp(1.0, -static_cast<int>(arguments.bits() % 53)));
    look(std::bit_cast<double>(arguments.bits() % 0x0020000000000000 + 1));  // subnormal, and just above
  }
  EXPECT_WITHIN_ULP(worst, 0.55);
}

TEST(MathLog1p, IsWithinOneUlp) {
  Arguments arguments;
  Worst worst;
  const auto look = [&](double x) { worst.look(math_log1p(x), std::log1p(static_cast<long double>(x)), x); };
  for (const double x : edges()) {
    look(x);
    if (x < 1) look(-x);
  }
  for (int i = 0; i < 300'000; ++i) {
    look(arguments.positive());
    look(arguments.in(-1, 1));
    look(arguments.in(-1, 1) * std::ldexp(1.0, -static_cast<int>(arguments.bits() % 70)));
  }
  EXPECT_WITHIN_ULP(worst, 0.8);
}

TEST(MathExp, IsWithinOneUlp) {
  Arguments arguments;
  Worst normal;
  Worst any;
  const auto look = [&](double x) {
    Worst& worst = x > -708 ? normal : any;
    worst.look(math_exp(x), std::exp(static_cast<long double>(x)), x);
  };
  for (const double x : edges()) {
    if (x < 800) look(x);
    if (x < 800) look(-x);
  }
  for (int k = -1080 * 128; k <= 1030 * 128;
       k += 7) {  // where the table's index changes: k + 1/2 steps of log(2)/128
    const double edge = (k + 0.5) / 128 * 0.6931471805599453;
    for (const double x : {std::nextafter(edge, -kInfinity), edge, std::nextafter(edge, kInfinity)}) look(x);
  }
  for (int i = 0; i < 300'000; ++i) {
    look(arguments.in(-746, 710));
    look(arguments.in(-746, -708));
    look(arguments.in(709, 709.9));
    look(arguments.in(-1, 1));
    look(arguments.in(-1, 1) * std::ldexp(1.0, -static_cast<int>(arguments.bits() % 60)));
  }
  EXPECT_WITHIN_ULP(normal, 0.55);
  EXPECT_WITHIN_ULP(any, 0.8);
}

TEST(MathExpm1, IsWithinOneUlp) {
  Arguments arguments;
  Worst worst;
  const auto look = [&](double x) { worst.look(math_expm1(x), std::expm1(static_cast<long double>(x)), x); };
  for (const double x : edges()) {
    if (x < 710) look(x);
    if (x < 800) look(-x);
  }
  for (int k = -200; k <= 200; ++k) {
    const double edge = (k + 0.5) / 128 * 0.6931471805599453;
    for (const double x : {std::nextafter(edge, -kInfinity), edge, std::nextafter(edge, kInfinity)}) look(x);
  }
  for (int i = 0; i < 300'000; ++i) {
    look(arguments.in(-60, 710));
    look(arguments.in(-1, 1));
    look(arguments.in(-1, 1) * std::ldexp(1.0, -static_cast<int>(arguments.bits() % 60)));
  }
  EXPECT_WITHIN_ULP(worst, 0.6);
}

TEST(MathPow, IsWithinOneUlp) {
  Arguments arguments;
  Worst worst;
  const auto look = [&](double x, double y) {
    worst.look(math_pow(x, y), std::pow(static_cast<long double>(x), static_cast<long double>(y)), x, y);
  };
  const std::vector<double> bases = edges();
  for (const double x : bases) {
    for (const double y : {0.5, -1.0, 1 / 0.7, 0.7, 2.0, 3.0, -7.25, 1e-3, 100.0}) look(x, y);
    const double log = std::log(x);
    if (log != 0) look(x, arguments.in(-740, 709) / log);
  }
  for (int i = 0; i < 200'000; ++i) {
    look(arguments.positive(), arguments.in(-2, 2));
    look(arguments.in(0, 40), arguments.in(0.1, 10));
    const double x = arguments.positive();  // any base, results over the whole range
    look(x, arguments.in(-744, 709) / std::log(x));
    const double near_one =
        1 + arguments.in(-1, 1) * std::ldexp(1.0, -static_cast<int>(arguments.bits() % 45));
    if (near_one != 1 && near_one > 0) look(near_one, arguments.in(-700, 700) / std::log(near_one));
    look(-arguments.in(0, 10), static_cast<double>(static_cast<int>(arguments.bits() % 200) - 100));
  }
  EXPECT_WITHIN_ULP(worst, 0.8);
}

TEST(MathPow, IsExactWhereTheResultIs) {
  for (int n = 0; n <= 33; ++n) {
    long double power = 1;
    for (int i = 0; i < n; ++i) power *= 3;
    EXPECT_EQ(math_pow(3, n), static_cast<double>(power)) << n;
  }
  for (int n = -1074; n <= 1023; ++n) EXPECT_EQ(math_pow(2, n), std::ldexp(1.0, n)) << n;
  EXPECT_EQ(math_pow(12.25, 0.5), 3.5);
}

/// The same value, the same sign of zero, or both NaN.
bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

const std::vector<double>& special_values() {
  static const std::vector<double> values{
      0.0,      -0.0,      1,       -1,          kInfinity,   -kInfinity, kNan,    kSmallest, -kSmallest,
      kLargest, -kLargest, 2,       -2,          0.5,         -0.5,       3,       -3,        0x1p52 + 1,
      0x1p53,   0x1p70,    -0x1p70, 1 + 0x1p-52, 1 - 0x1p-53, 0x1p-80,    -0x1p-80};
  return values;
}

TEST(Elementary, SpecialValuesAreThoseOfTheStandard) {
  const auto one_argument = [](double x, double got, double exact) {
    EXPECT_TRUE(same(got, exact) || error_in_ulp(got, exact) <= 1.3) << x << ": " << got << " not " << exact;
    EXPECT_EQ(std::signbit(got), std::isnan(exact) ? std::signbit(got) : std::signbit(exact)) << x;
  };
  for (const double x : special_values()) {
    one_argument(x, math_log(x), std::log(x));
    one_argument(x, math_log1p(x), std::log1p(x));
    one_argument(x, math_exp(x), std::exp(x));
    one_argument(x, math_expm1(x), std::expm1(x));
    for (const double y : special_values()) one_argument(x, math_pow(x, y), std::pow(x, y));
  }
}

// Known answers, bit for bit: what another compiler or another machine must reproduce. The hash runs over
// results of all five functions at 20,000 arguments each.
TEST(Elementary, GivesTheSameBytesEverywhere) {
  Arguments arguments;
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](double x) { hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3; };
  for (int i = 0; i < 20'000; ++i) {
    mix(math_log(arguments.positive()));
    mix(math_log1p(arguments.in(-1, 3)));
    mix(math_exp(arguments.in(-745, 709)));
    mix(math_expm1(arguments.in(-3, 3)));
    const double base = arguments.in(0, 100);
    mix(math_pow(base, arguments.in(-20, 20)));
  }
  EXPECT_EQ(hash, 11448771390651985296u);
}

}  // namespace
}  // namespace gauntlet
