// How often the 95% intervals of every study hold the truth, in worlds whose truth is known in closed form.
//
// The world of most of them is scenarios/one-fault.toml made simpler: failures strike training alone, at a mean time of M,
// whatever was trained is safe after every step of 2 s, and a start takes R. So for the work W there are N failures, Poisson of mean m = W/M, each of
// which costs R and half a step, and a run takes W + R (1 + N) + N seconds. With a rate that was seen as a count of n, the
// truth of a repetition is drawn from the posterior of the rate: m times Gamma(n + 1/2) / n.
//
// That of tune and scale is the same scenario with nothing but less work, whose best interval is the lowest point of
// (exp((t + C)/M) - 1) / t and whose mean time to failure is M.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace gauntlet::coverage {

struct Coverage {
  std::uint32_t given = 0, covered = 0;
};
/// By what it is an interval of: "run: wall_time_s".
using Coverages = std::map<std::string, Coverage>;

/// `repetitions` of each study, the seed of number i being 1000 + i.
Coverages coverage_of_run(std::uint32_t repetitions);
Coverages coverage_of_compare(std::uint32_t repetitions);
Coverages coverage_of_sweep(std::uint32_t repetitions);
Coverages coverage_of_tune(std::uint32_t repetitions);
Coverages coverage_of_plan(std::uint32_t repetitions);
Coverages coverage_of_scale(std::uint32_t repetitions);
/// Of as many replicas as are asked for.
Coverages coverage_of_rank(std::uint32_t repetitions);
/// Of a ranking that stops once its order is certain. Its intervals hold at every look, so that they are wider than one look
/// alone asks for; beside them, how often the order that it calls certain is the true one.
Coverages coverage_of_rank_that_stops(std::uint32_t repetitions);
/// `draws` of the parameters, eight runs each.
Coverages coverage_of_uncertainty(std::uint32_t repetitions, std::uint32_t draws);
/// The bootstrap interval of a change of a quantile (plan: "one more", "what it hangs on"), of made-up times.
Coverages coverage_of_quantile_change(std::uint32_t repetitions);

/// Percentiles of the finish over draws (plan --uncertainty), of made-up times: 200 draws of eight runs, both lognormal.
Coverages coverage_of_drawn_percentiles(std::uint32_t repetitions);

/// Expects of each that all intervals are given, and that from `fewest` to `most` of them hold the truth.
void expect_coverage(const Coverages& of, std::uint32_t repetitions, std::uint32_t fewest,
                     std::uint32_t most);

}  // namespace gauntlet::coverage
