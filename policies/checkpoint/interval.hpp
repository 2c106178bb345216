// The interval between checkpoints that loses the least time, in closed form.
#pragma once

#include "core/time.hpp"

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

}  // namespace gauntlet
