#include "report/sections/lost_time.hpp"
#include "report/sections/over_time.hpp"
#include "report/sections/summary_page.hpp"
#include "tests/report/page/charts_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Summary summary_of(std::vector<std::pair<std::string, double>> means) {
  Summary summary;
  summary.facts.name = "mine";
  summary.facts.faults = {"nic", "gpu"};
  summary.replicas = 10;
  for (auto& [name, mean] : means) {
    NamedStatistics& metric = summary.metrics.emplace_back();
    metric.name = std::move(name);
    metric.statistics.n = 10;
    metric.statistics.mean = mean;
  }
  return summary;
}

std::string html_of(Section section) {
  Page page{.name = "n", .answer = "a"};
  page.sections.push_back(std::move(section));
  return to_html(page);
}

std::vector<BarChart> bars_of(Section section) {
  Page page;
  page.sections.push_back(std::move(section));
  return charts_of<BarChart>(page);
}

TEST(LostTime, IsByPhaseAndByCauseInPhases) {
  const Summary summary = summary_of({{"wall_time_s", 1000},
                                      {"lost_s.restarting", 60},
                                      {"lost_s.undetected", 40},
                                      {"lost_s.by_cause.nic", 70},
                                      {"lost_s.by_cause.gpu", 30}});
  Figures figures;
  figures.lost.resize(kCausesWithoutFault + 2);
  at(figures.lost[kCausesWithoutFault], Phase::restarting) = 40s;
  at(figures.lost[kCausesWithoutFault], Phase::undetected) = 30s;
  at(figures.lost[kCausesWithoutFault + 1], Phase::restarting) = 20s;
  at(figures.lost[kCausesWithoutFault + 1], Phase::undetected) = 10s;
  LossGrid grid;
  grid.add(figures);
  const std::vector<BarChart> bars = bars_of(lost_time_section(summary, grid));
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_EQ(bars[0].bars.at(0).name, "restarting");
  EXPECT_EQ(bars[0].bars.at(0).parts.at(0)->value, 60);
  EXPECT_THAT(bars[1].series, testing::ElementsAre("restarting", "undetected"));
  EXPECT_EQ(bars[1].bars.at(0).name, "nic");
  EXPECT_DOUBLE_EQ(bars[1].bars.at(0).parts.at(1)->value, 30);
  EXPECT_EQ(bars_of(lost_time_section(summary, {}))[1].bars.at(1).parts.at(0)->value, 30)
      << "without the grid";
}

TEST(LostTime, SaysThatThereIsNone) {
  EXPECT_THAT(html_of(lost_time_section(summary_of({{"wall_time_s", 1000}}), {})),
              HasSubstr("No time was lost."));
}

TEST(Detection, SaysThatNoFaultCame) {
  EXPECT_THAT(html_of(detection_section(summary_of({}))), HasSubstr("nothing to detect"));
}

TEST(Detection, HasLatencyAndRecallByKind) {
  const std::vector<BarChart> bars =
      bars_of(detection_section(summary_of({{"detection.by_kind.nic.met", 3},
                                            {"detection.by_kind.nic.recall", 0.5},
                                            {"detection.by_kind.nic.latency_p50_s", 2},
                                            {"detection.by_kind.nic.latency_p95_s", 900}})));
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_EQ(bars[0].kind, BarKind::dots);
  EXPECT_EQ(bars[0].value.scale, ChartScale::logarithmic);
  EXPECT_EQ(bars[1].bars.at(0).parts.at(0)->value, 0.5);
}

TEST(Cost, SaysThatThereIsNoPrice) {
  EXPECT_THAT(html_of(cost_section(summary_of({{"gpu_hours", 100}}))), HasSubstr("states no price"));
  const std::vector<BarChart> bars = bars_of(cost_section(summary_of({{"cost", 100}, {"cost.lost", 20}})));
  ASSERT_EQ(bars.size(), 1U);
  EXPECT_EQ(bars[0].bars.at(0).parts.at(0)->value, 80);
}

ShownRun run_of(Duration wall, Duration bucket) {
  ShownRun run{.why = "It is the median.", .bucket = bucket};
  run.figures.wall = wall;
  const auto parts = static_cast<std::size_t>((wall + bucket - 1ns) / bucket);
  for (std::size_t i = 0; i < parts; ++i) {
    TimeBucket part;
    at(part.phases, Phase::effective) = std::min(bucket, wall - static_cast<std::int64_t>(i) * bucket) / 2;
    at(run.figures.phases, Phase::effective) += at(part.phases, Phase::effective);
    part.steps = 5;
    run.figures.over_time.push_back(part);
  }
  return run;
}

TEST(OverTime, HasProgressAndRatesToTheEnd) {
  ScenarioFacts facts;
  facts.gpus = 8;
  facts.peak = FlopRate{1e15};
  facts.flops_per_step = Flops{1e15};
  Page page;
  page.sections.push_back(over_time_section(facts, run_of(250s, 100s)));
  const std::vector<LineChart> lines = charts_of<LineChart>(page);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_DOUBLE_EQ(lines[0].series[0].points.back().x, 250);
  EXPECT_EQ(lines[0].series[0].points.back().y, 15);
  EXPECT_DOUBLE_EQ(lines[0].series[1].points.back().x, 125) << "without lost time";
  EXPECT_EQ(lines[1].series[0].name, "ETTR");
  for (const ChartPoint& point : lines[1].series[0].points) EXPECT_DOUBLE_EQ(point.y, 0.5);
}

TEST(OverTime, ShowsSparesWhereSomeAreUsed) {
  ScenarioFacts facts;
  facts.spares = 2;
  ShownRun run = run_of(200s, 100s);
  run.spares = {{kStart, 0}, {kStart + 50s, 1}};
  Page page;
  page.sections.push_back(over_time_section(facts, run));
  const std::vector<LineChart> lines = charts_of<LineChart>(page);
  EXPECT_EQ(lines.back().title, "Spare hosts in use");
  EXPECT_EQ(lines.back().series[0].points.back().x, 200) << "to the end of the run";
  run.spares.pop_back();
  EXPECT_THAT(html_of(over_time_section(facts, run)), HasSubstr("No spare host was used, of 2."));
}

TEST(OverTime, PartsAreRoundAndFew) {
  for (Duration wall = 1s; wall < 3000 * 24h; wall = wall * 7 / 3) {
    const Duration bucket = bucket_for(wall);
    EXPECT_LE(wall, 120 * bucket) << to_seconds(wall);
    EXPECT_EQ(bucket % 1s, Duration::zero());
  }
  EXPECT_EQ(bucket_for(54 * 24h), Duration(12h));
}

}  // namespace
}  // namespace gauntlet
