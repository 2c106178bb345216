#include "core/math/elementary.hpp"

#include "core/infinity.hpp"
#include "core/math/double_double.hpp"
#include "core/math/elementary_tables.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

// Both functions follow the table-driven scheme of Tang ("Table-driven implementation of the exponential
// function in IEEE floating-point arithmetic", ACM TOMS 15, 1989; the logarithm: TOMS 16, 1990). Error bounds
// in the comments are in units in the last place (ulp) of the result.

namespace gauntlet {
namespace {

using detail::DoubleDouble;
using detail::fast_two_sum;
using detail::two_product;
using detail::two_sum;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kInfinityBits = 0x7ff0000000000000;
constexpr std::uint64_t kSmallestNormalBits = 0x0010000000000000;

/// x = 2^exponent * c * (1 + r) where log(c) is in the table: log(x) = base + r - r^2/2 + ... + base_low.
struct ReducedLog {
  double base;      // exponent * log(2) + log(c), exact but for base_low
  double base_low;  // below 2^-31
  double r_high;    // r is the sum of the two exactly; |r| <= 2^-7, and r_high is zero or not the smaller one
  double r_low;
};

/// Of a positive, finite, normal x given by its bits.
ReducedLog reduce_log(std::uint64_t bits) {
  const std::uint64_t offset = bits - detail::kLogOffset;
  const std::size_t i = (offset >> (52 - detail::kTableBits)) % detail::kTableSize;
  const auto exponent = static_cast<std::int64_t>(offset) >> 52;
  const std::uint64_t significand = bits - (static_cast<std::uint64_t>(exponent) << 52);
  const double z = std::bit_cast<double>(significand);
  const double z_high = std::bit_cast<double>(significand & 0xffffffff00000000);  // the upper 21 bits
  const detail::LogEntry& entry = detail::kLogTable[i];
  const auto k = static_cast<double>(exponent);
  return {.base = k * detail::kLog2Cut.high + entry.minus_log_high,
          .base_low = k * detail::kLog2Cut.low + entry.minus_log_low,
          .r_high = z_high * entry.inverse - 1,
          .r_low = (z - z_high) * entry.inverse};
}

/// The rest of log(1 + r) after r, to 2^-66 relative to r: r^2 * (-1/2 + r/3 - ... - r^7/9 ...), Taylor.
double log_tail(double r) {
  const double r2 = r * r;
  const double odd = 1.0 / 3 + r2 * (1.0 / 5 + r2 * (1.0 / 7 + r2 * (1.0 / 9)));
  const double even = -1.0 / 2 + r2 * (-1.0 / 4 + r2 * (-1.0 / 6 + r2 * (-1.0 / 8)));
  return r2 * (even + r * odd);
}

/// log(x) + correction for a normal positive x and a |correction| below 2^-50 * max(|log(x)|, ...): 0.52 ulp.
double log_normal(std::uint64_t bits, double correction) {
  const ReducedLog reduced = reduce_log(bits);
  const DoubleDouble r = fast_two_sum(reduced.r_high, reduced.r_low);
  const DoubleDouble sum = fast_two_sum(reduced.base, r.high);  // base is zero or |base| > |r|
  return sum.high + (((sum.low + r.low) + (reduced.base_low + correction)) + log_tail(r.high));
}

/// log(x) to 2^-67 relative, for the exponent of pow.
DoubleDouble log_extended(std::uint64_t bits) {
  const ReducedLog reduced = reduce_log(bits);
  const DoubleDouble r = fast_two_sum(reduced.r_high, reduced.r_low);
  const DoubleDouble square = two_product(r.high, r.high);
  const DoubleDouble first = two_sum(reduced.base, r.high);
  const DoubleDouble second = two_sum(first.high, -0.5 * square.high);
  const double x = r.high;
  const double x2 = square.high;
  const double odd = 1.0 / 3 + x2 * (1.0 / 5 + x2 * (1.0 / 7 + x2 * (1.0 / 9)));
  const double even = -1.0 / 4 + x2 * (-1.0 / 6 + x2 * (-1.0 / 8 + x2 * (-1.0 / 10)));
  const double cubic = x * x2 * (odd + x * even);
  const double small = (r.low - 0.5 * square.low) - r.high * r.low;
  return fast_two_sum(second.high, (first.low + second.low) + (small + (reduced.base_low + cubic)));
}

/// x + x_low = (k / 128) * log(2) + r, |r| <= 2^-8.5; k = 128 * exponent + index.
struct ReducedExp {
  std::int64_t exponent;
  detail::ExpEntry entry;
  double r;
  double r_high;  // x - k/128 * (upper part of log 2), exact; r is r_high + r_low, rounded
  double r_low;
};

/// For |x| <= 746, |x_low| <= 2^-40.
ReducedExp reduce_exp(double x, double x_low) {
  // log(2) / 128 cut to 35 bits, so that k below 2^18 times it is exact, and the rest of it.
  constexpr double kStepHigh = 0x1.62e42fef8p-1 / 128;
  constexpr double kStepLow = 0x1.1cf79abc9e3b4p-36 / 128;
  constexpr double kStepsPerUnit = 0x1.71547652b82fep+7;  // 128 / log(2)
  constexpr double kRound = 0x1.8p52;  // adding and taking it away rounds to a whole number
  const double k = (x * kStepsPerUnit + kRound) - kRound;
  const auto whole = static_cast<std::int64_t>(k);
  const double r_high = x - k * kStepHigh;
  const double r_low = x_low - k * kStepLow;
  return {.exponent = whole >> detail::kTableBits,
          .entry = detail::kExpTable[static_cast<std::size_t>(whole) % detail::kTableSize],
          .r = r_high + r_low,
          .r_high = r_high,
          .r_low = r_low};
}

/// exp(r) - 1 - r for |r| <= 2^-8.5, to 2^-63 relative to r: r^2/2 + ... + r^6/720, Taylor.
double exp_tail(double r) {
  const double r2 = r * r;
  return r2 * (0.5 + r * (1.0 / 6)) + r2 * r2 * (1.0 / 24 + r * (1.0 / 120) + r2 * (1.0 / 720));
}

/// 2^exponent for a normal result.
double power_of_two(std::int64_t exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// exp(x + x_low) for any x but NaN: 0.52 ulp, 0.77 where the result is subnormal.
double exp_extended(double x, double x_low) {
  if (x > 710) return kInfinity;
  if (x < -746) return 0;
  const ReducedExp reduced = reduce_exp(x, x_low);
  const double factor = reduced.entry.tail + reduced.r + exp_tail(reduced.r);
  if (reduced.exponent > -1000 && reduced.exponent < 1000) [[likely]] {
    const double scale = reduced.entry.power * power_of_two(reduced.exponent);
    return scale + scale * factor;
  }
  // Near the ends of the range: round once at full precision, then scale in two steps of which only one can
  // round.
  const double significand = reduced.entry.power + reduced.entry.power * factor;
  const std::int64_t most = reduced.exponent < 0 ? -600 : 600;
  return significand * power_of_two(reduced.exponent - most) * power_of_two(most);
}

bool is_whole(double y) { return std::fabs(y) >= 0x1p52 || std::floor(y) == y; }

bool is_odd(double y) { return std::fabs(y) < 0x1p53 && is_whole(y) && std::floor(0.5 * y) * 2 != y; }

/// pow where x is zero, infinite or NaN, or y is infinite or NaN; x is not 1, y not 0.
double pow_special(double x, double y) {
  if (x != x || y != y) return x + y;
  if (std::fabs(y) == kInfinity) {
    if (x == -1) return 1;
    return (std::fabs(x) > 1) == (y > 0) ? kInfinity : 0.0;
  }
  const bool huge = (std::fabs(x) == kInfinity) == (y > 0);
  const double magnitude = huge ? kInfinity : 0.0;
  return std::signbit(x) && is_odd(y) ? -magnitude : magnitude;
}

}  // namespace

double math_log(double x) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  if (bits - kSmallestNormalBits >= kInfinityBits - kSmallestNormalBits) [[unlikely]] {
    if (x == 0) return -kInfinity;
    if (!(x > 0)) return kNan;
    if (x == kInfinity) return x;
    // Subnormal: the exponent that scaling took away is taken from the bits again; they may wrap, which is
    // harmless.
    bits = std::bit_cast<std::uint64_t>(x * 0x1p52) - (std::uint64_t{52} << 52);
  }
  return log_normal(bits, 0);
}

double math_log1p(double x) {
  if (std::fabs(x) < 0x1p-27) return x - 0.5 * x * x;  // the next term, x^3/3, is below 2^-55 x
  if (!(x > -1)) return x == -1 ? -kInfinity : kNan;
  if (x == kInfinity) return x;
  const DoubleDouble sum = two_sum(1, x);
  return log_normal(std::bit_cast<std::uint64_t>(sum.high), sum.low / sum.high);
}

double math_exp(double x) {
  if (x != x) return x;
  return exp_extended(x, 0);
}

double math_expm1(double x) {
  if (x != x || std::fabs(x) < 0x1p-54) return x;
  if (x > 700) return math_exp(x);
  if (x < -40) return -1;  // exp(-40) < 2^-57
  const ReducedExp reduced = reduce_exp(x, 0);
  const double scale = reduced.entry.power * power_of_two(reduced.exponent);
  // (scale - 1) + r is kept to twice the precision, because it cancels where x is small.
  const DoubleDouble above = two_sum(scale, -1);
  const DoubleDouble sum = two_sum(above.high, reduced.r_high);
  const double tail = reduced.entry.tail * (1 + reduced.r);
  const double rest = scale * (tail + exp_tail(reduced.r)) + (scale - 1) * reduced.r;
  return sum.high + ((sum.low + above.low) + (reduced.r_low + rest));
}

double math_pow(double x, double y) {
  if (x == 1 || y == 0) return 1;
  if (!(std::fabs(x) < kInfinity) || x == 0 || !(std::fabs(y) < kInfinity)) return pow_special(x, y);
  double sign = 1;
  if (x < 0) {
    if (!is_whole(y)) return kNan;
    if (is_odd(y)) sign = -1;
    x = -x;
    if (x == 1) return sign;
  }
  if (std::fabs(y) < 0x1p-65) return sign;                                               // |y log(x)| < 2^-55
  if (std::fabs(y) > 0x1p65) return (x > 1) == (y > 0) ? sign * kInfinity : sign * 0.0;  // |y log(x)| > 2^11
  std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  if (bits < kSmallestNormalBits) bits = std::bit_cast<std::uint64_t>(x * 0x1p52) - (std::uint64_t{52} << 52);
  const DoubleDouble log = log_extended(bits);
  const DoubleDouble product = two_product(y, log.high);
  return sign * exp_extended(product.high, product.low + y * log.low);
}

}  // namespace gauntlet
