// Special functions for the distributions, the closed forms and the confidence intervals.
//
// Built on core/math/elementary and std::sqrt, so they share its promise: the same bytes everywhere.
// Arguments outside a stated domain are a bug of the caller and assert.
#pragma once

#include <cstdint>

namespace gauntlet {

/// Gamma(x) for x > 0, to about 1e-14 relative; infinity above 171.62.
double gamma_function(double x);

/// log Gamma(x) for x > 0, to about 1e-14 (absolute where the logarithm is below one, else relative).
double log_gamma(double x);

/// The derivative of log Gamma at x > 0, to about 1e-14 (absolute where it is below one, else relative).
double digamma(double x);

/// The derivative of digamma at x > 0, to about 1e-14 relative.
double trigamma(double x);

/// Regularised lower incomplete gamma P(a, x) = 1/Gamma(a) * integral from 0 to x of t^(a-1) exp(-t) dt, for
/// a > 0, x >= 0. Keeps its relative accuracy (about 1e-13) as x goes to 0.
double incomplete_gamma_p(double a, double x);

/// Regularised upper incomplete gamma Q = 1 - P. Keeps its relative accuracy as x goes to infinity.
double incomplete_gamma_q(double a, double x);

/// Regularised incomplete beta I_x(a, b) for a > 0, b > 0, 0 <= x <= 1.
double incomplete_beta(double a, double b, double x);

/// Complementary error function, about 1e-15 relative.
double math_erfc(double x);

/// Survival function of the standard normal law, P(Z > z), accurate in both tails.
double normal_survival(double z);

/// The z with P(Z <= z) = p, for 0 <= p <= 1 (infinite at the ends).
double normal_quantile(double p);

/// The t with P(T <= t) = p for Student's T with `degrees` >= 1 degrees of freedom (not necessarily whole),
/// to 1e-9 relative, for 0 <= p <= 1. Half width of a 95% interval of a mean: student_t_quantile(0.975, n -
/// 1) * sd / sqrt(n).
double student_t_quantile(double p, double degrees);

/// Principal branch of the Lambert W function: the w >= -1 with w * exp(w) = x, for -1/e <= x <= 0.
double lambert_w0(double x);

/// Erlang's loss formula: the share of arrivals that find all `servers` busy when `offered_load` (arrival
/// rate times mean holding time) is offered; insensitive to the law of the holding time. Erlang 1917.
double erlang_b(std::uint32_t servers, double offered_load);

}  // namespace gauntlet
