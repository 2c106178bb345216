// The median of all latencies together is not the mean of the replicas' medians.
#include "study/statistics.hpp"
#include "tests/study/store/sample_study.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

TEST(Statistics, OfLatenciesAreThoseOfAllReplicasTogether) {
  using std::chrono::seconds;
  std::vector<Figures> replicas = {sample_figures(0), sample_figures(1), sample_figures(2)};
  for (Figures& each : replicas) each.fault_scores[0].latencies.clear();
  for (int i = 0; i < 97; ++i) replicas[0].fault_scores[0].latencies.add(seconds(10));
  for (int i = 0; i < 3; ++i) replicas[1].fault_scores[0].latencies.add(seconds(1000));
  const Summary summary = summarize(sample_facts(), replicas);
  for (const char* name : {"detection_latency_p50_s", "detection.by_kind.gpu.latency_p50_s"}) {
    const Statistics& median = *summary.find(name);
    EXPECT_NEAR(*median.mean, 10, 0.04) << name;
    EXPECT_FALSE(median.ci95) << "an interval of a mean is none of a quantile";
    EXPECT_EQ(median.n, 2U) << "replicas with a median of their own";
    EXPECT_NEAR(*median.p95, 10 + 0.95 * 990, 4);  // of their own medians
  }
  EXPECT_NEAR(*summary.mean("detection_latency_p95_s"), 10, 0.04);  // rank 95 of 100
  EXPECT_FALSE(summary.mean("detection.by_kind.nic.latency_p50_s"));
}

}  // namespace
}  // namespace gauntlet
