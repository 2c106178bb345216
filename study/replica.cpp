#include "study/replica.hpp"

#include "core/contract.hpp"
#include "policies/controller/controller.hpp"
#include "sim/replica.hpp"
#include "study/policy_error.hpp"

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
  if (!run_policies(options)) return false;
  facts_.bucket = options.bucket;
  if (!score(facts_, cluster_.truth(), cluster_.progress(), record_, figures, options.stop)) return false;
  figures.fingerprint = cluster_.fingerprint();
  cluster_.compensated(figures.compensated);
  figures.compensated_work = cluster_.compensated_work();
  const TiltableCounts counts = cluster_.tiltable();
  figures.tiltable_strikes = counts.strikes;
  figures.tiltable_expected = counts.expected;
  return true;
}

bool Simulation::run_policies(const ReplicaOptions& options) {
  record_.clear();
  try {
    Controller controller(*policies_);
    return run_replica(cluster_, controller, {.study = options.seed, .replica = options.replica},
                       options.full_telemetry, options.stop, record_);
  } catch (const PolicyBreach& breach) {
    throw PolicyError(breach, {.seed = options.seed, .replica = options.replica}, record_);
  } catch (const PolicyInterrupted&) {
    return false;
  }
}

}  // namespace gauntlet
