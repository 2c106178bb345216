// What is expected of a world before it runs: the defaults of policies and of their priors.
#pragma once

#include "core/time.hpp"
#include "models/storage/storage.hpp"
#include "models/world/world.hpp"

#include <string>
#include <vector>

namespace gauntlet {

/// How many a second of a kind strike the hosts that the job starts on. Lemons are anywhere; the mean of a daily cycle is 1.
double expected_rate(const World& world, const FaultKind& fault);

/// Mean time between the faults that stop the job, from the mean rates of all kinds over the hosts that it starts on and over
/// its window, with lemons, batches and curves; kForever without any. Kinds given as a trace count by what of it strikes the
/// job.
Duration expected_mtbf(const World& world);

/// Whether the layout has a rank for each GPU and whole expert-parallel groups. Of one that has not, nothing else can be said.
bool layout_stands(const World& world);

/// Of checkpoints; all zero where the layout does not stand, which is a mistake of its own.
CheckpointCosts expected_costs(const World& world);

/// The usual detectors, as far as telemetry carries what they watch.
std::vector<std::string> detectors_for(const Telemetry& telemetry);

}  // namespace gauntlet
