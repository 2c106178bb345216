#include "study/study.hpp"

#include "core/contract.hpp"
#include "models/step.hpp"
#include "study/replica.hpp"
#include "study/statistics.hpp"

#include <memory>

namespace gauntlet {

ScenarioFacts facts_of(const Scenario& scenario, std::uint64_t seed, const std::string& version) {
  const World& world = scenario.world;
  const JobModel& job = world.job;
  ScenarioFacts facts;
  facts.name = world.name;
  facts.question = world.question;
  facts.version = version;
  facts.seed = seed;
  facts.gpus = world.inventory.job_hosts * world.inventory.gpus_per_host;
  facts.gpus_held = world.inventory.hosts() * world.inventory.gpus_per_host;
  facts.hosts = world.inventory.job_hosts;
  facts.spares = world.inventory.spares;
  facts.peak = world.hardware.peak;
  facts.tokens_per_step = static_cast<double>(job.global_batch) * job.model.sequence;
  facts.flops_per_step = model_flops_per_token(job.model) * facts.tokens_per_step;
  facts.gpu_hour = world.cost.gpu_hour;
  facts.window = job.window;
  facts.steps = job.steps;
  facts.give_up_after = job.give_up_after;
  for (const FaultKind& kind : world.faults) facts.faults.push_back(kind.name);
  return facts;
}

Summary run_study(const Scenario& scenario, const StudyOptions& options) {
  expect(options.record == nullptr || options.range.count == 1, "a record is of one replica");
  StudyStatistics statistics(facts_of(scenario, options.seed, options.version));
  InOrder work;
  work.make_worker = [&] {
    const auto simulation = std::make_shared<Simulation>(scenario.world, scenario.policies);
    return ReplicaWorker([simulation, &options](std::uint32_t replica) -> const Figures& {
      const Figures& figures = simulation->run(
          {.seed = options.seed, .replica = replica, .full_telemetry = options.full_telemetry});
      if (options.record != nullptr) *options.record = simulation->record();
      return figures;
    });
  };
  work.consume = [&](std::uint32_t replica, const Figures& figures) {
    statistics.add(figures);
    if (options.each) options.each(replica, figures);
  };
  work.stop = options.stop;
  run_in_order(options.range, options.threads, work);
  return statistics.summary();
}

}  // namespace gauntlet
