#include "study/summary/metrics.hpp"

#include "tests/study/store/sample_study.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace gauntlet {
namespace {

std::optional<double> measure(const std::string& name, const Figures& figures,
                              const ScenarioFacts& facts = sample_facts()) {
  for (const Metric& metric : metrics_of(facts))
    if (metric.name == name) return metric.of(figures).value();
  ADD_FAILURE() << "no metric " << name;
  return std::nullopt;
}

TEST(Metrics, SayWhichOfTheirValuesAreBad) {
  const ScenarioFacts facts = sample_facts();
  for (const char* name : {"ettr", "mfu", "goodput_tokens_per_s", "steps", "mttf_s", "detection.recall",
                           "detection.by_kind.gpu.recall", "replicas.fewest"})
    EXPECT_EQ(worse_of(facts, name), Worse::low) << name;
  for (const char* name : {"wall_time_s", "cost", "lost_s.recomputing", "lost_s.by_cause.gpu",
                           "detection_latency_p95_s", "detection.by_kind.nic.missed"})
    EXPECT_EQ(worse_of(facts, name), Worse::high) << name;
  std::set<std::string> neither;
  for (const Metric& metric : metrics_of(facts))
    if (metric.worse == Worse::neither) neither.insert(metric.name);
  EXPECT_EQ(neither,
            (std::set<std::string>{"planned_stops", "evictions.right", "detection.by_kind.gpu.detected",
                                   "detection.by_kind.nic.detected"}));
}

TEST(Metrics, FollowTheirDefinitions) {
  const struct {
    const char* name;
    double expected;
  } cases[] = {
      {"ettr", 3000.0 / 3600},
      {"training_rate", 3500.0 / 3600},             // 3,500 iterations of one second
      {"mfu", 3000 * 3.2e16 / (64 * 1e15 * 3600)},  // 64 GPUs, not the 80 that are held
      {"goodput_tokens_per_s", 3000 * 1e6 / 3600},
      {"wall_time_s", 3600},
      {"steps", 3000},
      {"gave_up", 0},
      {"interruptions", 5},  // 3 + k for k = 2
      {"planned_stops", 1},
      {"false_alarms", 0},
      {"mttf_s", 500},              // 1 / (2 / 1000)
      {"detection_latency_s", 30},  // 60 s over 2
      {"detection_latency_p95_s", 50},
      {"handled_share", 0.5},
      {"detection_and_diagnosis_s", 30},
      {"detection.recall", 2 / 3.0},
      {"detection.precision", 0.5},  // 2 faults, no false alarm, 2 false alerts
      {"false_alerts", 2},
      {"missed_faults", 1},
      {"missed_cost_s", 40},
      {"evictions.precision", 2 / 3.0},
      {"wrong_evictions_cost_s", 25},  // 5 s of them in a false alarm
      {"detection.by_kind.gpu.met", 5},
      {"detection.by_kind.gpu.detected", 2},
      {"detection.by_kind.gpu.missed", 1},
      {"detection.by_kind.gpu.recall", 2 / 3.0},
      {"detection.by_kind.gpu.latency_p50_s", 10},
      {"detection.by_kind.gpu.missed_cost_s", 40},
      {"detection.by_kind.gpu.handled_share", 0.5},
      {"detection.by_kind.gpu.detection_and_diagnosis_s", 30},
      {"detection.by_kind.gpu.evictions_wrong", 1},
      {"detection.by_kind.gpu.wrong_evictions_cost_s", 20},
      {"detection.by_kind.nic.met", 0},
      {"evictions.right", 2},
      {"evictions.wrong", 1},
      {"asked", 0},
      {"spares.max_in_use", 2},
      {"gpu_hours", 80},                                            // 80 GPUs for one hour
      {"cost", 160},                                                // at 2 USD
      {"cost.lost", 160 / 6.0},                                     // 600 of 3,600 s
      {"cost.per_effective_gpu_hour", 160 / (64 * 3000 / 3600.0)},  // 64 GPUs for 3,000 s
      {"spares.waited", 0},
      {"effective_corrupt_s", 0},
      {"lost_s.restarting", 102},
      {"lost_s.recomputing", 498},
      {"lost_s.planned", 0},
      {"lost_s.by_cause.start", 100},
      {"lost_s.by_cause.unattributed", 50},
      {"lost_s.by_cause.gpu", 350},
      {"lost_s.by_cause.nic", 100},
      {"faults.gpu", 4},
  };
  for (const auto& [name, expected] : cases) {
    const std::optional<double> value = measure(name, sample_figures(2));
    ASSERT_TRUE(value) << name;
    const bool binned = std::string_view(name).find("latency_p") != std::string_view::npos;
    EXPECT_NEAR(*value, expected, (binned ? 0.004 : 1e-12) * expected) << name;
  }
}

TEST(Metrics, BillStandbysAndStorageApartAndNoHostThatWasGivenBack) {
  Figures figures = sample_figures(2);  // an hour with 64 GPUs at work and 16 that stand by, at 2 USD
  figures.released = std::chrono::minutes(15);
  ScenarioFacts facts = sample_facts();
  EXPECT_DOUBLE_EQ(*measure("gpu_hours", figures, facts), 64 * 0.75 + 16);
  EXPECT_DOUBLE_EQ(*measure("cost", figures, facts), 2 * (64 * 0.75 + 16));
  facts.idle_gpu_hour = Money{0.5};
  facts.storage_month = {7200};  // 10 an hour
  EXPECT_DOUBLE_EQ(*measure("cost", figures, facts), 2 * 64 * 0.75 + 0.5 * 16 + 10);
}

TEST(Metrics, AreAbsentWhereAReplicaDoesNotDefineThem) {
  Figures quiet = sample_figures(0);
  quiet.unplanned_rate = 0;
  quiet.detected = 0;
  EXPECT_FALSE(measure("mttf_s", quiet));
  EXPECT_FALSE(measure("detection_latency_s", quiet));
  for (const char* name : {"recall", "latency_p50_s", "handled_share", "detection_and_diagnosis_s"})
    EXPECT_FALSE(measure(std::string("detection.by_kind.nic.") + name, quiet)) << name;

  quiet.wall = {};
  EXPECT_FALSE(measure("ettr", quiet));
  EXPECT_FALSE(measure("goodput_tokens_per_s", quiet));

  ScenarioFacts without_price = sample_facts();
  without_price.gpu_hour = {};
  EXPECT_FALSE(measure("cost", quiet, without_price));
  EXPECT_FALSE(measure("cost.lost", sample_figures(2), without_price));
  EXPECT_FALSE(measure("cost.per_effective_gpu_hour", sample_figures(2), without_price));
}

TEST(Metrics, CountARunThatGaveUpOrWaited) {
  Figures stuck = sample_figures(0);
  stuck.ending = Ending::gave_up;
  at(stuck.phases, Phase::waiting_for_spare) = Duration(1);
  EXPECT_EQ(measure("gave_up", stuck), 1);
  EXPECT_EQ(measure("spares.waited", stuck), 1);
}

TEST(Metrics, HaveANameEach) {
  std::set<std::string> names;
  for (const Metric& metric : metrics_of(sample_facts()))
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
  EXPECT_FALSE(names.contains("lost_s.effective"));
}

}  // namespace
}  // namespace gauntlet
