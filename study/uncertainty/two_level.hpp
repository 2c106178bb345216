// A mean over parameters that are not known and over runs, estimated from a nested experiment: K draws of the parameters,
// n runs of each draw under faults that no other draw meets, and the same n runs with the parameters as given beside them.
//
// Run i of draw j is y_ji = mu + a_j + r_ji, with a_j what the draw does (variance A over the parameters) and r_ji what chance
// adds (variance R within a draw): a random-effects model with two levels (Searle, Casella and McCulloch, Variance
// Components, 1992, sec. 3.6; for uncertain input parameters of a simulation Zouaoui and Wilson, IIE Transactions 35(9),
// 2003, https://doi.org/10.1080/07408170304365). The mean over all runs has the variance (A + R/n) / K, which the scatter
// of the draws' means estimates whole. The value at the true parameters, which are one more draw, lies around it with the
// variance
//
//   V = A + (A + R/n) / K.
//
// A is the scatter of the draws' means less what the runs add to it (Sun, Apley and Staum, Operations Research 59(4), 2011,
// https://doi.org/10.1287/opre.1110.0932). What both the draw's runs and those as given have in common by chance is taken
// out first: with b_ji the runs as given and beta their pooled regression coefficient, e_j = mean(y_j) - beta mean(b_j)
// scatters by A + D/n, D being the variance of y_ji - beta b_ji within a draw. All draws are independent, so the estimate
//
//   A^ = S_e^2 - D/n,   with the standard error s = sqrt(2 S_e^4 / (K - 1) + 2 (D/n)^2 / (K (n - 1))),
//
// becomes exact as K n grows. Where it is no larger than s, its negative half is impossible, and zero in its place would
// give an interval that is too narrow. So A is the mean of a normal distribution of mean A^ and deviation s, cut off below
// zero: the posterior mean with a flat prior (Box and Tiao, Bayesian Inference in Statistical Analysis, 1973, ch. 5, for
// why an estimated component below zero is to be treated so).
#pragma once

#include "study/finish/result.hpp"
#include "study/summary/metrics.hpp"
#include "study/summary/summary.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace gauntlet {

struct TwoLevelMean {
  double mean = 0;                // over parameters and runs
  double parameter_variance = 0;  // A
  double run_variance = 0;        // R
  double variance = 0;            // V
  std::size_t draws = 0;          // that have a mean
  /// 95% of where the mean at the true parameters is.
  Interval ci95() const;
};

/// What the draws say before they are summed up.
struct DrawnMeans {
  std::vector<std::size_t> draws;      // those that have a mean, by number
  std::vector<double> means;           // mean(y_j)
  std::vector<double> without_common;  // e_j
  double common_error = 0;             // D/n: the variance that the runs leave to each e_j
  std::vector<double> run_variances;   // of each draw: unbiased estimates of R
  double effect = 0;                   // the mean over draws of mean(y_j) - mean(b_j)
};
/// Of runs as `two_level_mean` takes them; nothing where fewer than two draws have a mean.
std::optional<DrawnMeans> drawn_means(std::span<const Fraction> given,
                                      std::span<const std::vector<Fraction>> drawn);

/// `drawn`: the runs of each draw, equally many of at least two. `given`: as many runs with the parameters as given, those
/// of draw 0 first. A metric that is a ratio has the ratio of totals in each draw, with the residuals of study/statistics.hpp.
/// Nothing where fewer than two draws have a mean.
std::optional<TwoLevelMean> two_level_mean(std::span<const Fraction> given,
                                           std::span<const std::vector<Fraction>> drawn);

/// The share of draws' runs that are hits, with an interval of what draws and runs leave to chance in it: Clopper and
/// Pearson's for as many independent runs as would scatter so (Korn and Graubard, Survey Methodology 24(2), 1998,
/// 193-201). Where all are hits or none is, each draw counts as one run.
struct ClusteredShare {
  double value = 0;
  double variance = 0;
  double independent = 0;  // so many runs
  Interval ci95;
};
/// `shares`: of each draw, equally many runs each, `runs` in all.
ClusteredShare clustered_share(std::span<const double> shares, std::size_t runs);

/// The percentiles of the runs of all draws, equally many of each. The interval of one is that between order statistics of as many
/// independent runs as would scatter as the shares of the draws that it parts (Woodruff, J. Am. Stat. Assoc. 47(260),
/// 1952, https://doi.org/10.1080/01621459.1952.10483443): what draws and runs leave to chance.
FinishTimes percentiles_of_draws(std::span<const std::vector<double>> draws);

}  // namespace gauntlet
