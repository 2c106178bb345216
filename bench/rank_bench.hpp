// What a mark of a training job's rank costs it.
#pragma once

namespace gauntlet {

/// Adds gauntlet_rank.h: marks into the recorder, a step's messages with and without somebody who reads, and a job outside a drill.
void register_rank_benchmarks();

}  // namespace gauntlet
