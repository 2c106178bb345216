#include "study/study.hpp"

#include "study/replica.hpp"
#include "study/results/summary_json.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace gauntlet {
namespace {

const Scenario& tiny() {
  static const LoadedScenario loaded = load_scenario("scenarios/tiny-8.toml", {});
  if (!loaded.scenario) throw std::runtime_error(loaded.problems.at(0).text());
  return *loaded.scenario;
}

std::string json(const StudyOptions& options) { return to_json(run_study(tiny(), options)); }

TEST(Study, GivesTheSameBytesOnAnyNumberOfThreads) {
  const std::string one = json({.range = {.first = 0, .count = 60}, .seed = 3, .threads = 1, .version = "0"});
  for (const unsigned threads : {2U, 3U, 7U})
    EXPECT_EQ(json({.range = {.first = 0, .count = 60}, .seed = 3, .threads = threads, .version = "0"}), one);
  EXPECT_NE(json({.range = {.first = 0, .count = 60}, .seed = 4, .threads = 1, .version = "0"}), one);
}

TEST(Study, AReplicaDoesNotDependOnTheOthers) {
  std::vector<std::uint64_t> together;
  StudyOptions options;
  options.range = {.first = 0, .count = 12};
  options.seed = 3;
  options.threads = 2;
  options.each = [&](std::uint32_t, const Figures& figures) { together.push_back(figures.fingerprint); };
  run_study(tiny(), options);
  ASSERT_EQ(together.size(), 12U);

  for (const std::uint32_t replica : {11U, 5U, 0U}) {
    Simulation alone(tiny().world, tiny().policies);
    EXPECT_EQ(alone.run({.seed = 3, .replica = replica}).fingerprint, together[replica])
        << "replica " << replica;
  }
}

TEST(Study, StoppedItHoldsWhatWasDone) {
  std::atomic<bool> stop = false;
  std::uint32_t seen = 0;
  StudyOptions options;
  options.range = {.first = 0, .count = 1'000'000};
  options.seed = 3;
  options.threads = 2;
  options.version = "0";
  options.stop = &stop;
  options.each = [&](std::uint32_t replica, const Figures&) {
    ++seen;
    if (replica == 9) stop = true;
  };
  const Summary stopped = run_study(tiny(), options);
  EXPECT_GE(stopped.replicas, 10U);
  EXPECT_EQ(stopped.replicas, seen);
  EXPECT_EQ(to_json(stopped), json({.range = {.first = 0, .count = seen}, .seed = 3, .version = "0"}));
}

TEST(Study, KeepsTheRecordOfOneReplica) {
  Record record;
  StudyOptions options;
  options.range = {.first = 5, .count = 1};
  options.seed = 3;
  options.record = &record;
  run_study(tiny(), options);
  Simulation alone(tiny().world, tiny().policies);
  alone.run({.seed = 3, .replica = 5});
  ASSERT_FALSE(record.orders.empty());
  EXPECT_EQ(record.observations.size(), alone.record().observations.size());
  EXPECT_EQ(record.orders.size(), alone.record().orders.size());
}

TEST(Study, FactsAreThoseOfTheScenario) {
  const ScenarioFacts facts = facts_of(tiny(), 3, "0");
  EXPECT_EQ(facts.name, "tiny-8");
  EXPECT_EQ(facts.hosts, 8U);
  EXPECT_EQ(facts.gpus, 64U);
  EXPECT_EQ(facts.gpus_held, 64U + 8 * facts.spares);
  EXPECT_EQ(facts.faults.size(), tiny().world.faults.size());
  EXPECT_DOUBLE_EQ(facts.tokens_per_step, static_cast<double>(tiny().world.job.global_batch) *
                                              static_cast<double>(tiny().world.job.model.sequence));
  // Without recomputation a step takes about 6 FLOPs a parameter and token (2 forward, 4 backward); attention adds some.
  const double plain = 6 * tiny().world.job.model.parameters * facts.tokens_per_step;
  EXPECT_GT(facts.flops_per_step.value, 0.8 * plain);
  EXPECT_LT(facts.flops_per_step.value, 1.5 * plain);
}

}  // namespace
}  // namespace gauntlet
