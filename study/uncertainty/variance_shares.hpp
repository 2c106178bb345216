// Which part of the variance of a figure each unknown causes.
//
// Of the nested experiment of two_level.hpp: run i of draw j is y_ji = f(x_j) + r_ji, with x_j the values of the unknowns in
// that draw, independent of each other, and r_ji what chance adds in a run (variance R). The draws' means, without what they
// have by chance in common with the runs as given, are regressed on the unknowns:
//
//   e_j = c_0 + sum_k c_k x_jk + d_j.
//
// The first-order share of unknown k is c_k^2 Var(x_k) over the variance of one run,
//
//   V = sum_k c_k^2 Var(x_k) + U + R
//
// (standardised regression coefficients: Saltelli et al., Global Sensitivity Analysis: The Primer, 2008, sec. 1.2.5). Var(x_k) is
// that of the distribution. U is what the draws do beyond straight lines: curvature, and unknowns that act together. It is
// the variance of d_j less what the runs leave to chance in it. Shares so add up to 1.
//
// An estimated c_k^2 is too large by the square of its standard error, which is taken out; the standard error allows for a
// variance that differs from draw to draw (HC3: MacKinnon and White, Journal of Econometrics 29(3), 1985,
// https://doi.org/10.1016/0304-4076(85)90158-7). An interval of a share combines that of c_k (Student's) with the error
// of the rest of V, as intervals of two independent estimates are combined for their ratio (Zou and Donner, Statistics in
// Medicine 27(10), 2008, https://doi.org/10.1002/sim.3095), in logarithms. Where c_k may be zero, so may the share.
#pragma once

#include "study/summary/metrics.hpp"
#include "study/uncertainty/result.hpp"

#include <optional>
#include <span>
#include <vector>

namespace gauntlet {

/// An unknown over the draws.
struct DrawnUnknown {
  std::vector<double> values;  // of each draw
  double variance = 0;         // of its distribution
};

/// `given` and `drawn` as `two_level_mean` takes them. Nothing where there are too few draws for so many unknowns, or where
/// no run differs from another.
std::optional<VarianceShares> variance_shares(std::span<const Fraction> given,
                                              std::span<const std::vector<Fraction>> drawn,
                                              std::span<const DrawnUnknown> unknowns);

}  // namespace gauntlet
