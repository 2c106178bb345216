#include "study/replica.hpp"

#include "core/contract.hpp"
#include "policies/controller/controller.hpp"
#include "sim/replica.hpp"

namespace gauntlet {

ScoreFacts score_facts(const World& world) {
  ScoreFacts facts;
  for (const FaultKind& kind : world.faults)
    facts.on_training_clock.push_back(kind.clock == FaultClock::training);
  return facts;
}

Simulation::Simulation(const World& world, const PolicyConstants& policies)
    : policies_(&policies), cluster_(world), facts_(score_facts(world)) {}

const Figures& Simulation::run(const ReplicaOptions& options) {
  const bool finished = run(options, figures_);
  expect(finished, "nobody stops a replica whose figures are needed");
  return figures_;
}

bool Simulation::run(const ReplicaOptions& options, Figures& figures) {
  Controller controller(*policies_);
  if (!run_replica(cluster_, controller, {.study = options.seed, .replica = options.replica},
                   options.full_telemetry, options.stop, record_))
    return false;
  facts_.bucket = options.bucket;
  if (!score(facts_, cluster_.truth(), cluster_.progress(), record_, figures, options.stop)) return false;
  figures.fingerprint = cluster_.fingerprint();
  return true;
}

}  // namespace gauntlet
