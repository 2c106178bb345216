// Logarithm, exponential and power whose bytes depend on nothing but their arguments.
//
// The C library's versions differ between its releases and pick another path where the processor has fused
// multiply-add, so a seeded simulation that uses them repeats only on the machine it was first run on. These
// use additions, multiplications, divisions and bit patterns of IEEE double alone, and give the same bytes
// with any compiler that keeps to IEEE arithmetic in round-to-nearest (`-ffp-contract=off`, no
// `-ffast-math`).
//
// Every function is within one unit in the last place of the exact result, subnormal results included.
// Special values follow Annex F of the C standard (zero, infinity, NaN, arguments outside the domain give
// NaN); `errno` and the floating-point exception flags are not part of the contract.
#pragma once

namespace gauntlet {

/// Natural logarithm. log(+-0) = -infinity; of a negative argument NaN.
double math_log(double x);

/// log(1 + x), accurate for tiny x too.
double math_log1p(double x);

/// e to the power x.
double math_exp(double x);

/// exp(x) - 1, accurate for tiny x too.
double math_expm1(double x);

/// x to the power y. A negative x has a power only where y is an integer; pow(x, 0) = pow(1, y) = 1 always.
double math_pow(double x, double y);

}  // namespace gauntlet
