#include "commands/scale/page.hpp"
#include "commands/scale/text.hpp"
#include "tests/report/page/charts_of.hpp"
#include "tests/study/store/sample_study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace gauntlet {
namespace {

using testing::HasSubstr;
using testing::Not;

void set(Summary& summary, const std::string& name, double mean, double half_width) {
  for (NamedStatistics& metric : summary.metrics)
    if (metric.name == name) {
      metric.statistics.mean = mean;
      metric.statistics.ci95 = Interval{mean - half_width, mean + half_width};
    }
}

ScaledSize size_of(std::uint32_t gpus, double mttf_hours, double ettr) {
  ScaledSize size;
  size.summary = sample_summary(40);
  size.summary.facts.gpus = gpus;
  set(size.summary, "mttf_s", 3600 * mttf_hours, 3.6 * mttf_hours);
  set(size.summary, "ettr", ettr, 0.0003);
  size.step = std::chrono::seconds(15);
  size.checkpoint_stall = std::chrono::milliseconds(590);
  size.best_interval =
      BestInterval{.seconds = 300 * mttf_hours, .ci95 = Interval{297 * mttf_hours, 303 * mttf_hours}};
  return size;
}

ScaleResult scale_sample() {
  ScaleResult result;
  result.scenario = "sample";
  result.version = "0.1.0";
  result.seed = 7;
  result.unit = 128;
  result.asked_sizes = 2;
  result.checkpoint_policy = "fixed";
  result.checkpoint_interval = std::chrono::minutes(10);
  result.sizes = {size_of(16384, 1.80293, 0.9327), size_of(131072, 0.225366, 0.5710)};
  return result;
}

TEST(ScaleReport, BeginsWithFailuresAndTrainingAtBothEnds) {
  const std::string answer =
      "At 16,384 GPUs the mean time to failure is 1.803 h +- 0.002 and ETTR 93.27% +- 0.03; at 131,072 GPUs "
      "it "
      "is 0.2254 h +- 0.0002 and ETTR 57.10% +- 0.03 (95% intervals, Monte Carlo only, 40 replicas per "
      "size).";
  const std::string report = text_report(scale_sample(), {.command = "gauntlet scale sample"});
  EXPECT_EQ(answer_line(scale_sample()), answer);
  EXPECT_TRUE(report.starts_with(answer + "\n"));
  EXPECT_THAT(report, HasSubstr("Bougeret"));
  EXPECT_THAT(report, HasSubstr("\n   16,384     1.803    0.002     93.27   0.03"));
  EXPECT_THAT(report, HasSubstr("9.01 min +- 0.09"));
  EXPECT_THAT(report, HasSubstr("weak scaling"));
  EXPECT_TRUE(report.ends_with("\nReproduce with: gauntlet scale sample\n"));
  EXPECT_THAT(report, Not(testing::AnyOf(HasSubstr("Rounded"), HasSubstr("gave up"), HasSubstr("waited"))));
}

TEST(ScaleReport, SaysWhatIsNotAsItSeems) {
  ScaleResult result = scale_sample();
  result.keep_batch = true;
  result.interrupted = true;
  result.asked_sizes = 3;
  result.rounded = {{.asked = 131000, .taken = 131072}};
  ScaledSize& last = result.sizes.back();
  set(last.summary, "gave_up", 0.5, 0.1);
  set(last.summary, "spares.waited", 0.9, 0.1);
  last.checkpoint_persist = std::chrono::seconds(100);
  last.best_interval->every_step = true;
  const std::string report = text_report(result, {});
  for (const char* said :
       {"40 replicas per size, interrupted).", "2 of 3 sizes", "strong scaling", "131,000 GPUs to 131,072",
        "gave up at 131,072 GPUs", "waited for spares at 131,072 GPUs", "every step",
        "At 131,072 GPUs this interval is shorter"})
    EXPECT_THAT(report, HasSubstr(said));
}

TEST(ScaleReport, ClaimsNothingThatWasNotSeen) {
  ScaleResult result = scale_sample();
  for (ScaledSize& size : result.sizes) {
    size.summary = sample_summary(1);
    size.best_interval = std::nullopt;
  }
  EXPECT_THAT(answer_line(result), HasSubstr("the mean time to failure is unknown and ETTR 83.33%; at"));
  EXPECT_THAT(answer_line(result), HasSubstr("(no interval, 1 replica per size)."));
  EXPECT_THAT(text_report(result, {}), Not(HasSubstr("Bougeret")));
  result.sizes.clear();
  EXPECT_EQ(text_report(result, {}), "sample: no size has run, so there is no answer.\n");
}

TEST(ScalePage, HasALineForEachFigureAndMarksNone) {
  const Page page = page_of(scale_sample(), {.command = "gauntlet scale sample"});
  const std::vector<LineChart> lines = charts_of<LineChart>(page);
  ASSERT_EQ(lines.size(), 4U);
  for (const LineChart& chart : lines)
    for (const ChartSeries& series : chart.series) EXPECT_EQ(series.points.size(), 2U) << chart.title;
  EXPECT_EQ(lines[0].series[0].points[0].x, 16384);
  EXPECT_EQ(lines[3].series[0].points[1].low, 297 * 0.225366);
  EXPECT_THAT(to_html(page), HasSubstr("16,384 GPUs"));
}

}  // namespace
}  // namespace gauntlet
