// How long the parts of a drill took, from what its ranks said and when it was ordered.
#pragma once

#include "core/record/measurement.hpp"
#include "core/record/record.hpp"
#include "models/world/fault_plan.hpp"
#include "models/world/world.hpp"
#include "real/driver/raw_progress.hpp"

#include <vector>

namespace gauntlet {

/// In order of time, by the driver's clock. The phases of a start are measured where every rank has marked them; the end of the last
/// marked one is where training goes on. Of steps those count that no fault of the plan slowed or stopped.
std::vector<Measurement> measured_times(const World& world, const FaultPlan& plan,
                                        const std::vector<RawProgress::Entry>& raw,
                                        const RawProgress::Replicas& replicas,
                                        const std::vector<JournalEntry>& journal, const Record& record,
                                        const DrillClock& clock);

}  // namespace gauntlet
