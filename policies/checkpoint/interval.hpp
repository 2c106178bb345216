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

}  // namespace gauntlet
