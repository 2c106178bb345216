// The list of metrics for people names what there is, and all of it.
#include "report/metric_words.hpp"

#include "tests/study/store/sample_study.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

/// The name with every "<...>" made `instead`.
std::string filled_in(std::string name, const std::string& instead) {
  for (auto at = name.find('<'); at != std::string::npos; at = name.find('<'))
    name.replace(at, name.find('>') - at + 1, instead);
  return name;
}

TEST(MetricWords, AreOfEveryMetricInItsOrder) {
  ScenarioFacts facts = sample_facts();
  facts.faults = {"gpu"};
  std::vector<std::string> known, listed;
  for (const Metric& metric : metrics_of(facts)) {
    const auto repeated = [&](std::string_view prefix, std::string_view kept) {
      return metric.name.starts_with(prefix) && metric.name != kept;
    };
    // One cause and one phase stand for all.
    if (repeated("lost_s.by_cause.", "lost_s.by_cause.gpu")) continue;
    if (repeated("lost_s.", "lost_s.slowdown") && !metric.name.starts_with("lost_s.by_cause.")) continue;
    known.push_back(metric.name);
  }
  for (const auto& [name, about] : metric_words()) {
    EXPECT_FALSE(about.empty()) << name;
    listed.push_back(filled_in(std::string(name), name == "lost_s.<phase>" ? "slowdown" : "gpu"));
  }
  EXPECT_EQ(listed, known);
}

}  // namespace
}  // namespace gauntlet
