// The normal law's functions of special.hpp: tables of rational approximations.
#include "core/contract.hpp"
#include "core/infinity.hpp"
#include "core/math/elementary.hpp"
#include "core/math/polynomial.hpp"
#include "core/math/special.hpp"

#include <cmath>

namespace gauntlet {
namespace {

/// exp(-x^2) without the loss that squaring a large x would bring: 16ths of x are squared exactly.
double exp_minus_square(double x) {
  const double coarse = std::floor(x * 16) / 16;
  return math_exp(-coarse * coarse) * math_exp(-(x - coarse) * (x + coarse));
}

/// erfc(x) for x >= 0.46875. W. J. Cody, "Rational Chebyshev approximations for the error function", Math.
/// Comp. 23, 1969, with the coefficients of his program CALERF (https://www.netlib.org/specfun/erf).
double upper_erfc(double x) {
  if (x > 27) return 0;  // below the smallest double
  if (x <= 4) {
    const double up =
        evaluate(x, {1.23033935479799725272e3, 2.05107837782607146532e3, 1.71204761263407058314e3,
                     8.81952221241769090411e2, 2.98635138197400131132e2, 6.61191906371416294775e1,
                     8.88314979438837594118e0, 5.64188496988670089180e-1, 2.15311535474403846343e-8});
    const double down =
        evaluate(x, {1.23033935480374942043e3, 3.43936767414372163696e3, 4.36261909014324715820e3,
                     3.29079923573345962678e3, 1.62138957456669018874e3, 5.37181101862009857509e2,
                     1.17693950891312499305e2, 1.57449261107098347253e1, 1.0});
    return exp_minus_square(x) * (up / down);
  }
  const double y = 1 / (x * x);
  const double up =
      evaluate(y, {6.58749161529837803157e-4, 1.60837851487422766278e-2, 1.25781726111229246204e-1,
                   3.60344899949804439429e-1, 3.05326634961232344035e-1, 1.63153871373020978498e-2});
  const double down =
      evaluate(y, {2.33520497626869185443e-3, 6.05183413124413191178e-2, 5.27905102951428412248e-1,
                   1.87295284992346047209e0, 2.56852019228982242072e0, 1.0});
  constexpr double kInverseSqrtPi = 0.56418958354775628695;
  return exp_minus_square(x) * ((kInverseSqrtPi - y * up / down) / x);
}

/// erf(x) for |x| < 0.46875; same source.
double central_erf(double x) {
  const double y = x * x;
  const double up = evaluate(y, {3.20937758913846947256e3, 3.77485237685302021067e2, 1.13864154151050155700e2,
                                 3.16112374387056560e0, 1.85777706184603153e-1});
  const double down = evaluate(y, {2.84423683343917062162e3, 1.28261652607737228024e3,
                                   2.44024637934444173056e2, 2.36012909523441209e1, 1.0});
  return x * (up / down);
}

}  // namespace

double math_erfc(double x) {
  if (std::fabs(x) < 0.46875) return 1 - central_erf(x);
  return x > 0 ? upper_erfc(x) : 2 - upper_erfc(-x);
}

double normal_survival(double z) {
  constexpr double kSqrtHalf = 0.70710678118654752440;
  return 0.5 * math_erfc(z * kSqrtHalf);
}

// M. J. Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics 37,
// 1988, routine PPND16: about 1e-16 relative.
double normal_quantile(double p) {
  expect(p >= 0 && p <= 1, "the argument is in its domain: p >= 0 && p <= 1");
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    const double up = evaluate(r, {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                   1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                   3.3430575583588128105e4, 2.5090809287301226727e3});
    const double down =
        evaluate(r, {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
                     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
                     5.2264952788528545610e3});
    return q * up / down;
  }
  const double tail = q < 0 ? p : 1 - p;
  if (tail == 0) return q < 0 ? -kInfinity : kInfinity;
  const double r = std::sqrt(-math_log(tail));
  double z = 0;
  if (r <= 5) {
    const double x = r - 1.6;
    const double up =
        evaluate(x, {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
                     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
                     2.27238449892691845833e-2, 7.74545014278341407640e-4});
    const double down =
        evaluate(x, {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
                     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
                     1.05075007164441684324e-9});
    z = up / down;
  } else {
    const double x = r - 5;
    const double up =
        evaluate(x, {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
                     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                     2.71155556874348757815e-5, 2.01033439929228813265e-7});
    const double down =
        evaluate(x, {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
                     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
                     2.04426310338993978564e-15});
    z = up / down;
  }
  return q < 0 ? -z : z;
}

}  // namespace gauntlet
