// When the runs of a point finish their work, and what of that can be said from so many of them.
#pragma once

#include "study/experiment.hpp"
#include "study/finish/result.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace gauntlet {

/// Seconds until each of the first `count` runs had done its work; infinite for those that gave up or ran out of time.
std::vector<double> finish_times(const Experiment& experiment, PointNumber point, std::uint32_t count);

/// How many finish within `by` seconds.
ShareOfRuns share_by(std::span<const double> finish, double by);

/// The time by which the share `p` is done; nothing where it never is, or without runs.
std::optional<double> finish_quantile(std::span<const double> finish, double p);
/// The percentiles, without intervals.
FinishTimes percentiles_of(std::span<const double> finish);
/// The percentiles of independent runs, each with the interval between two order statistics that contains the true one with
/// a probability of 95% or more, whatever the distribution (David and Nagaraja, Order Statistics, 3rd ed., 2003, sec. 7.1).
FinishTimes percentiles_with_intervals(std::span<const double> finish);

/// The same of runs that are not independent. `independent`: as many independent runs as would scatter as the share that is done by
/// a time does (Woodruff, J. Am. Stat. Assoc. 47(260), 1952, https://doi.org/10.1080/01621459.1952.10483443).
FinishTimes percentiles_with_intervals(std::span<const double> finish,
                                       const std::function<double(double)>& independent);

/// second - first of the quantile `p`, replica i of both having met the same faults. The interval is the percentile one of
/// a bootstrap over pairs (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, sec. 13.3) with chances of its own
/// from `seed`.
Change quantile_change(std::span<const double> first, std::span<const double> second, double p,
                       std::uint64_t seed);

/// second - first of the share that is done within `by`.
Change share_change(std::span<const double> first, std::span<const double> second, double by);

/// second - first of the mean. Nothing where a replica of either never finishes: it is later than all others, so that
/// neither mean is a number.
Change mean_change(std::span<const double> first, std::span<const double> second);

}  // namespace gauntlet
