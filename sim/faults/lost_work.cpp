#include "sim/faults/lost_work.hpp"

#include "models/world/blast_radius.hpp"

namespace gauntlet {

LostWork::LostWork(const World& world) {
  for (const FaultKind& kind : world.faults) {
    components_.push_back(stops_at_one_rate(kind) ? component_count_of_job(world, kind.component) : 0);
    if (components_.back() > 0) rate_ += components_.back() / kind.life.mean();
  }
}

}  // namespace gauntlet
