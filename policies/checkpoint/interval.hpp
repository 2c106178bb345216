// The interval between checkpoints that loses the least time.
#pragma once

#include "core/time.hpp"

#include <cstdint>

namespace gauntlet {

/// sqrt(2 C M), for a checkpoint that blocks training for C and a mean time M between failures.
/// J. W. Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 1974.
Duration young_interval(Duration cost, Duration mtbf);

/// sqrt(2 C M) (1 + sqrt(C / 2M) / 3 + (C / 2M) / 9) - C where C < 2M, else M.
/// J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", FGCS 22(3), 2006.
Duration daly_interval(Duration cost, Duration mtbf);

/// M (1 + W(-exp(-1 - C / M))), W being Lambert's function on its principal branch: where (exp((t + C) / M) - 1) / t is
/// least, the mean time of a segment over its work. Exact for exponential failures that strike training, checkpoints and
/// restarts alike, whatever a restart costs; at most M. M. Bougeret, H. Casanova, M. Rabie, Y. Robert, F. Vivien,
/// "Checkpointing strategies for parallel jobs", SC 2011, theorem 1, https://doi.org/10.1145/2063384.2063428.
Duration exact_interval(Duration cost, Duration mtbf);

/// The costs of two levels of checkpoints, in seconds, and the rates of the failures that need each level, per second.
struct TwoLevels {
  double quick_cost = 0;    // C1: how long a checkpoint in memory blocks training
  double storage_cost = 0;  // C2: how long a checkpoint in storage blocks training
  double quick_rate = 0;    // l1: failures that checkpoints in memory survive
  double storage_rate = 0;  // l2: failures that they do not survive; above zero
};

/// A period has `segments` segments of equal work. Each segment except the last ends with a checkpoint in memory. The last
/// segment ends with a checkpoint in storage alone.
struct TwoLevelPlan {
  Duration segment{};          // work
  std::uint32_t segments = 1;  // a period
};

/// The efficiency: the share of time that is work which no failure undoes. Let d_i be the time of the work of segment i and
/// its checkpoint. A failure of l1 repeats the segment, and a failure of l2 repeats the period. With L = l1 + l2 the mean time
/// of a period is
///
///   E = (prod_i (1 + (l2 / L) (exp(L d_i) - 1)) - 1) / l2
///
/// Exact for exponential failures that strike work and checkpoints. Restarts that no failure strikes make all of it longer by the
/// same factor and leave the optimum where it is; here they take no time. The same pattern, to first order: A. Benoit, A. Cavelan, Y. Robert, H. Sun, "Optimal resilience patterns to
/// cope with fail-stop and silent errors", IPDPS 2016; S. Di, Y. Robert, F. Vivien, F. Cappello, "Toward an optimal online
/// checkpoint solution under a two-level HPC checkpoint model", TPDS 28(1), 2017, https://doi.org/10.1109/TPDS.2016.2546248.
double two_level_efficiency(const TwoLevels& levels, const TwoLevelPlan& plan);

/// The plan of the highest efficiency, among those with segments of at least `shortest` (above zero). For each number of
/// segments n the best work w solves w Q'(w) = 1 - exp(-Q(w)), Q = log prod_i (...) as above; n is searched for from its first
/// order, sqrt(l1 C2 / (l2 C1)).
TwoLevelPlan two_level_optimum(const TwoLevels& levels, Duration shortest);

}  // namespace gauntlet
