// One rank's training loop.
#pragma once

#include "real/trainer/options.hpp"
#include "real/trainer/output.hpp"

namespace gauntlet {

/// Trains to the end and returns how the process should exit (kExitFinished and so on), with a message on standard error
/// where that is kExitFailed.
///
/// Checkpoints are taken after every `checkpoint_every` steps, except after the last: what is left to do then is nothing.
/// The line `finished` comes after the last `saved`. Rank 0 chooses which checkpoint to go on from, and tells the others.
int train(const TrainerOptions& options, RankOutput& output);

}  // namespace gauntlet
