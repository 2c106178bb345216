#include "core/math/special.hpp"

#include "core/contract.hpp"
#include "core/infinity.hpp"
#include "core/math/elementary.hpp"
#include "core/math/polynomial.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace gauntlet {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kSqrt2Pi = 2.50662827463100050242;
constexpr double kHalfLog2Pi = 0.91893853320467274178;

/// log Gamma(y) - ((y - 1/2) log y - y + log(2 pi) / 2) for y >= 16: Stirling's series, Abramowitz & Stegun
/// 6.1.41. The first term left out is below 2e-18.
double stirling_tail(double y) {
  const double inverse = 1 / y;
  return inverse * evaluate(inverse * inverse,
                            {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360});
}

/// x^a exp(-x) / Gamma(a + 1), for x > 0.
double gamma_front(double a, double x) {
  if (a < 30) {
    const double root =
        math_pow(x, 0.5 * a) * math_exp(-0.5 * x);  // x^a alone may overflow, exp(-x) underflow
    return root * root / gamma_function(a + 1);
  }
  const double excess = (x - a) / a;
  return math_exp(-a * (excess - math_log1p(excess)) - stirling_tail(a)) /
         std::sqrt(2 * std::numbers::pi * a);
}

/// P(a, x) / gamma_front by its power series, Abramowitz & Stegun 6.5.29; converges fast for x below a + 1.
double lower_series(double a, double x) {
  double term = 1;
  double sum = 1;
  for (double n = a + 1; term > sum * (0.25 * kEpsilon); n += 1) {
    term *= x / n;
    sum += term;
  }
  return sum;
}

/// Evaluates the rest of b0 + a1/(b1 + a2/(b2 + ...)) by Lentz's method as modified by Thompson and Barnett
/// ("Coulomb and Bessel functions of complex arguments and order", J. Comput. Phys. 64, 1986). `part(n, a,
/// b)` gives a_n and b_n.
template <class Part>
double continued_fraction(double b0, Part part) {
  const auto away_from_zero = [](double v) { return std::fabs(v) < 1e-300 ? 1e-300 : v; };
  double value = away_from_zero(b0);
  double numerator = value;
  double denominator = 0;
  for (int n = 1; n < 100'000; ++n) {
    double a = 0;
    double b = 0;
    part(n, a, b);
    denominator = 1 / away_from_zero(b + a * denominator);
    numerator = away_from_zero(b + a / numerator);
    const double change = numerator * denominator;
    value *= change;
    if (std::fabs(change - 1) <= kEpsilon) break;
  }
  return value;
}

/// Q(a, x) / (gamma_front * a) by its continued fraction, Abramowitz & Stegun 6.5.31 in its even form.
double upper_fraction(double a, double x) {
  return 1 / continued_fraction(x + 1 - a, [a, x](int n, double& numerator, double& denominator) {
           numerator = -n * (n - a);
           denominator = x + (2 * n + 1) - a;
         });
}

bool lower_is_easier(double a, double x) { return x < a + 1 || x < 3; }

/// I_x(a, b) by its continued fraction, Abramowitz & Stegun 26.5.8, for x below (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  const double log_front =
      log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * math_log(x) + b * math_log1p(-x);
  const double fraction = continued_fraction(1, [=](int n, double& numerator, double& denominator) {
    const double m = n / 2;
    numerator = n % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                           : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    denominator = 1;
  });
  return math_exp(log_front) / (a * fraction);
}

}  // namespace

double gamma_function(double x) {
  expect(x > 0, "the argument is in its domain: x > 0");
  if (x > 171.7) return kInfinity;
  int steps = 0;
  double product = 1;
  for (; x + steps < 16; ++steps) product *= x + steps;
  const double y = x + steps;
  const double lost = x - (y - steps);                    // what rounding took from y
  const double log_derivative = math_log(y) - 0.5 / y;    // of Gamma at y, to 4e-4: enough for a correction
  const double half_power = math_pow(y, 0.5 * y - 0.25);  // in two halves: the whole may overflow
  const double correction = 1 + (lost * log_derivative + math_expm1(stirling_tail(y)));
  return kSqrt2Pi * half_power * math_exp(-y) * correction / product * half_power;
}

double log_gamma(double x) {
  expect(x > 0, "the argument is in its domain: x > 0");
  if (x < 100) return math_log(gamma_function(x));
  if (x == kInfinity) return x;
  return (x - 0.5) * math_log(x) - x + kHalfLog2Pi + stirling_tail(x);
}

double digamma(double x) {
  expect(x > 0, "the argument is in its domain: x > 0");
  double steps = 0;  // recurrence, Abramowitz & Stegun 6.3.5, until the series of 6.3.18 is exact
  double y = x;
  for (; y < 16; y += 1) steps += 1 / y;
  const double square = 1 / (y * y);
  const double tail = square * evaluate(square, {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132});
  return math_log(y) - 0.5 / y - tail - steps;
}

double trigamma(double x) {
  expect(x > 0, "the argument is in its domain: x > 0");
  double steps = 0;  // Abramowitz & Stegun 6.4.6 and 6.4.12
  double y = x;
  for (; y < 16; y += 1) steps += 1 / (y * y);
  const double inverse = 1 / y;
  const double square = inverse * inverse;
  const double tail =
      inverse * square * evaluate(square, {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730});
  return inverse + 0.5 * square + tail + steps;
}

double incomplete_gamma_p(double a, double x) {
  expect(a > 0 && x >= 0, "the argument is in its domain: a > 0 && x >= 0");
  if (x == 0) return 0;
  if (x == kInfinity) return 1;
  const double front = gamma_front(a, x);
  return lower_is_easier(a, x) ? front * lower_series(a, x) : 1 - front * a * upper_fraction(a, x);
}

double incomplete_gamma_q(double a, double x) {
  expect(a > 0 && x >= 0, "the argument is in its domain: a > 0 && x >= 0");
  if (x == 0) return 1;
  if (x == kInfinity) return 0;
  const double front = gamma_front(a, x);
  return lower_is_easier(a, x) ? 1 - front * lower_series(a, x) : front * a * upper_fraction(a, x);
}

double incomplete_beta(double a, double b, double x) {
  expect(a > 0 && b > 0 && x >= 0 && x <= 1,
         "the argument is in its domain: a > 0 && b > 0 && x >= 0 && x <= 1");
  if (x == 0 || x == 1) return x;
  return x < (a + 1) / (a + b + 2) ? beta_fraction(a, b, x) : 1 - beta_fraction(b, a, 1 - x);
}

double student_t_quantile(double p, double degrees) {
  expect(p >= 0 && p <= 1 && degrees >= 1, "the argument is in its domain: p >= 0 && p <= 1 && degrees >= 1");
  if (p < 0.5) return -student_t_quantile(1 - p, degrees);
  if (p == 0.5) return 0;
  if (p == 1) return kInfinity;
  const double z = normal_quantile(p);
  if (degrees > 1000) {
    // Abramowitz & Stegun 26.7.5.
    const double n = degrees;
    const double z2 = z * z;
    const double g1 = z * evaluate(z2, {1, 1}) / 4;
    const double g2 = z * evaluate(z2, {3, 16, 5}) / 96;
    const double g3 = z * evaluate(z2, {-15, 17, 19, 3}) / 384;
    const double g4 = z * evaluate(z2, {-945, -1920, 1482, 776, 79}) / 92160;
    return z + (g1 + (g2 + (g3 + g4 / n) / n) / n) / n;
  }
  // Newton's method on the logarithms of tail and t, where tails are straight lines or bend down, so that it
  // converges from z, which is below the root. The tail beyond t, or the middle up to t, whichever is the
  // smaller.
  const bool use_middle = p < 0.75;
  const double wanted = math_log(use_middle ? p - 0.5 : 1 - p);
  const double density_at_zero = math_exp(log_gamma(0.5 * (degrees + 1)) - log_gamma(0.5 * degrees)) /
                                 std::sqrt(std::numbers::pi * degrees);
  double t = z;
  for (int step = 0; step < 200; ++step) {
    const double square = t * t;
    const double share = use_middle ? 0.5 * incomplete_beta(0.5, 0.5 * degrees, square / (degrees + square))
                                    : 0.5 * incomplete_beta(0.5 * degrees, 0.5, degrees / (degrees + square));
    const double density = density_at_zero * math_exp(-0.5 * (degrees + 1) * math_log1p(square / degrees));
    const double slope = (use_middle ? t : -t) * density / share;
    const double change = (math_log(share) - wanted) / slope;
    t *= math_exp(-change);
    if (std::fabs(change) < 1e-13) break;
  }
  return t;
}

double lambert_w0(double x) {
  constexpr double kInverseE = 0x1.78b56362cef38p-2;
  constexpr double kInverseELow = -0x1.ca8a4270fadf5p-57;
  constexpr double kE = 2.71828182845904523536;
  expect(x >= -kInverseE && x <= 0, "the argument is in its domain: x >= -kInverseE && x <= 0");
  const double square = 2 * kE * ((x + kInverseE) + kInverseELow);
  if (square <= 0) return -1;
  // Corless, Gonnet, Hare, Jeffrey, Knuth, "On the Lambert W function", Adv. Comput. Math. 5, 1996: eq. 4.22
  // near the branch point, Halley's method (eq. 5.9) elsewhere.
  const double p = std::sqrt(square);
  double w = evaluate(p, {-1, 1, -1.0 / 3, 11.0 / 72, -43.0 / 540, 769.0 / 17280, -221.0 / 8505,
                          680863.0 / 43545600, -1963.0 / 204120});
  if (p < 0.02) return w;
  for (int step = 0; step < 8; ++step) {
    const double e = math_exp(w);
    const double f = w * e - x;
    const double change = f / (e * (w + 1) - 0.5 * (w + 2) * f / (w + 1));
    w -= change;
    if (std::fabs(change) <= 1e-9 * std::fabs(w))
      break;  // Halley's method is cubic: the next would be below 1e-27
  }
  return w;
}

double erlang_b(std::uint32_t servers, double offered_load) {
  expect(offered_load >= 0, "the argument is in its domain: offered_load >= 0");
  double blocking = 1;
  for (std::uint32_t k = 1; k <= servers; ++k)
    blocking = offered_load * blocking / (k + offered_load * blocking);
  return blocking;
}

}  // namespace gauntlet
