// Numbers of about 106 bits as an unevaluated sum of two doubles, for tables and for the inner digits of pow.
//
// The error-free transformations are those of Dekker ("A floating-point technique for extending the available
// precision", Numer. Math. 18, 1971) and Knuth (TAOCP 2, sec. 4.2.2). They need no fused multiply-add, and
// are exact where nothing overflows or underflows.
#pragma once

namespace gauntlet::detail {

/// The value high + low with |low| at most half a unit in the last place of high.
struct DoubleDouble {
  double high = 0;
  double low = 0;
};

/// a + b exactly, for |a| >= |b| or a = 0.
constexpr DoubleDouble fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b exactly.
constexpr DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// The upper 26 bits of x as high, the rest as low.
constexpr DoubleDouble split(double x) {
  const double shifted = 134217729.0 * x;  // 2^27 + 1
  const double high = shifted - (shifted - x);
  return {high, x - high};
}

/// a * b exactly.
constexpr DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  const DoubleDouble x = split(a);
  const DoubleDouble y = split(b);
  return {product, ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

constexpr DoubleDouble add(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = two_sum(a.high, b.high);
  return fast_two_sum(high.high, high.low + a.low + b.low);
}

constexpr DoubleDouble multiply(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = two_product(a.high, b.high);
  return fast_two_sum(high.high, high.low + (a.high * b.low + a.low * b.high));
}

constexpr DoubleDouble divide(DoubleDouble a, double b) {
  const double first = a.high / b;
  const DoubleDouble back = two_product(first, b);
  return fast_two_sum(first, ((a.high - back.high) - back.low + a.low) / b);
}

}  // namespace gauntlet::detail
