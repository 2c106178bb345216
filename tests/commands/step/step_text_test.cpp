// The report, the trace and the map of one training step.
#include "commands/step/map.hpp"
#include "commands/step/text.hpp"
#include "commands/step/time_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace gauntlet {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

/// 8,192 GPUs, 7.32 s: 4.6% longer than 7 s.
StepReport degraded_step() {
  StepReport report;
  report.scenario = "sample";
  report.model = "gpt";
  report.hardware = "H100";
  report.layout = {.tp = 8, .pp = 4, .dp = 256};
  report.gpus_per_host = 8;
  report.micro_batches = 32;
  report.tokens = 4e6;
  report.mfu = 0.4567;
  report.model_flops = Flops{1.83e19};
  report.healthy = 7s;
  report.time = {.total = 7320ms,
                 .compute = 5000ms,
                 .recompute = 500ms,
                 .bubble = 320ms,
                 .tensor_bandwidth = 600ms,
                 .latency = 100ms,
                 .pipeline = 200ms,
                 .data = 500ms,
                 .optimizer = 100ms};
  report.memory = {
      .weights = Bytes{20e9}, .optimizer = Bytes{5e9}, .activations = Bytes{15e9}, .capacity = Bytes{80e9}};
  report.bandwidths = {{.dimension = Dimension::data,
                        .members = 256,
                        .healthy = Bandwidth{50e9},
                        .slowest = Bandwidth{12.5e9},
                        .over_nics = true}};
  report.degraded = {{.said = "host:17.slow=1.10",
                      .component = "host 17",
                      .kind = DegradationKind::slow,
                      .segment = "",
                      .value = 1.1}};
  report.critical = StepCritical{.host = 17, .stage = 0, .replica = 17, .saves = 320ms};
  return report;
}

TEST(StepReportText, BeginsWithTheTimeAndItsCause) {
  EXPECT_EQ(answer_line(degraded_step()),
            "One step takes 7.32 s: 45.7% MFU on 8,192 GPUs; 4.6% longer than healthy because of host 17.");
  StepReport healthy = degraded_step();
  healthy.degraded.clear();
  healthy.critical.reset();
  EXPECT_EQ(answer_line(healthy), "One step takes 7.32 s: 45.7% MFU on 8,192 GPUs.");
  StepReport harmless = degraded_step();
  harmless.healthy = harmless.time.total;
  EXPECT_THAT(answer_line(harmless), HasSubstr("; no longer than healthy."));
}

TEST(StepReportText, SaysTheSignAndWhoIsAtFault) {
  StepReport step = degraded_step();
  step.healthy = 7500ms;  // jitter may shorten a step
  EXPECT_THAT(answer_line(step), HasSubstr("; 2.4% shorter than healthy."));
  step = degraded_step();
  step.critical = StepCritical{.host = 18, .saves = 1ms, .equally_late = {17, 18}};
  EXPECT_THAT(answer_line(step), HasSubstr("longer than healthy because of hosts 17 and 18."));
  EXPECT_THAT(text_report(step, {}),
              HasSubstr("\nNo single repair helps: hosts 17 and 18 are equally late.\n"));
  step.critical = StepCritical{.host = std::nullopt, .stage = 2, .replica = 5};
  EXPECT_THAT(answer_line(step), testing::EndsWith("4.6% longer than healthy."));
  EXPECT_THAT(text_report(step, {}),
              HasSubstr("the step waits for pipeline stage 2 of data-parallel replica 5."));
}

TEST(StepReportText, NamesWhatTheFormulaMisses) {
  StepReport step = degraded_step();
  step.formula = 7030ms;  // 0.4% from 7 s
  EXPECT_THAT(text_report(step, {}), Not(HasSubstr("tau")));
  step.formula = 6540ms;
  EXPECT_THAT(text_report(step, {}), HasSubstr("The formula (m + (p-1)/v) tau + c gives 6.54 s for a healthy "
                                               "step instead of 7 s"));
}

TEST(StepReportText, ANegativePartHasNoBar) {
  StepReport step = degraded_step();
  step.time.bubble = -320ms;
  EXPECT_THAT(text_report(step, {}), HasSubstr("bubble             -0.320    -4.4%\n"));
}

TEST(StepReportText, SaysWhereTheTimeGoesAndWhatARepairSaves) {
  const std::string report = text_report(degraded_step(), {.command = "gauntlet step sample"});
  // 0.6 s of 7.32 s; its bar is 0.6 / 5 of the longest, of 24 characters.
  EXPECT_THAT(report, HasSubstr("tp transfer        0.600     8.2%   ###\n"));
  EXPECT_THAT(report, HasSubstr("Exposed communication (tp, pp, dp): 19.1% of the step"));  // 1.4 s
  EXPECT_THAT(report, HasSubstr("host 17 takes 10.0% longer to compute"));
  EXPECT_THAT(report, HasSubstr("Its repair saves"));
  EXPECT_THAT(report, HasSubstr("4.4% of each step"));                      // 0.32 / 7.32
  EXPECT_THAT(report, HasSubstr("weights + gradients   20.0    25.0%\n"));  // of 80 GB
  EXPECT_THAT(report, HasSubstr("dp               256            50.0           12.5   NICs"));
  EXPECT_THAT(report, Not(HasSubstr("\x1b")));
  EXPECT_TRUE(report.ends_with("\nReproduce with: gauntlet step sample\n"));
  for (std::size_t at = 0, end; (end = report.find('\n', at)) != std::string::npos; at = end + 1)
    EXPECT_LE(end - at, 100U) << report.substr(at, end - at);
}

/// Two stages, two replicas, two GPUs a host; replica 1 has host 1 in stage 0, whose GPU 1 is slow forward.
StepPictures two_by_two() {
  StepPictures out;
  out.scenario = "sample <&>";
  out.layout = {.tp = 2, .pp = 2, .dp = 2};
  out.gpus_per_host = 2;
  out.step_seconds = 10;
  out.degraded = true;
  out.culprits = {{3, 3}};
  out.cause = "GPU 1 of host 1 slow";
  out.waiting = {5, 5, 1, 1, 5, 5, 4, 4};
  out.healthy_waiting = {2, 2, 2, 2, 2, 2, 2, 2};
  ReplicaPicture replica;
  replica.replica = 1;
  replica.stages = {
      {.first_rank = 2,
       .ranks = 2,
       .cause = "GPU 1 of host 1 slow",
       .slow_forward = true,
       .slowest_forward = "GPU 1 of host 1",
       .shown = {{.rank = 2, .host = 1, .gpu = 0, .forward = 0.75},
                 {.rank = 3, .host = 1, .gpu = 1, .cause = "GPU 1 of host 1 slow"}}},
      {.first_rank = 6, .ranks = 2, .cause = "host 3 stalls", .shown = {{.rank = 7, .host = 3, .gpu = 1}}}};
  replica.passes = {{.stage = 0, .end = 3, .tensor = 0.5, .context = 0.25, .transfer = 0.25},
                    {.stage = 1, .begin = 3, .end = 5},
                    {.stage = 1, .backward = true, .begin = 5, .end = 7},
                    {.stage = 0, .backward = true, .begin = 7, .end = 9}};
  replica.stalls = {{.stage = 1,
                     .begin = 2,
                     .end = 3,
                     .cause = "GPU 0 of host 3 stalls",
                     .who = "GPU 0 of host 3",
                     .first_rank = 6,
                     .last_rank = 6}};
  replica.pipeline_end = 9;
  replica.data_end = 9.5;
  replica.optimizer_end = 10;
  out.replicas = {replica};
  return out;
}

/// How a slice begins in the file; times in seconds. Tracks count from 0.
std::string slice(const std::string& name, int track, double begin, double lasts) {
  return "\"ts\":" + std::to_string(static_cast<int>(begin * 1e6)) +
         ",\"dur\":" + std::to_string(static_cast<int>(lasts * 1e6)) + ",\"name\":\"" + name +
         "\",\"cat\":\"step\",\"pid\":1,\"tid\":" + std::to_string(1001 + track) + ",";
}

/// How often a text comes in another.
std::size_t count_of(const std::string& what, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(StepTrace, EachRankHasATrackAndWaitsForTheSlowOne) {
  const std::string trace = to_trace(two_by_two(), 1);
  EXPECT_TRUE(trace.starts_with(step_trace_begins()));
  EXPECT_THAT(trace, HasSubstr("\"replica 1 (GPU 1 of host 1 slow, host 3 stalls)\""));
  EXPECT_THAT(trace, HasSubstr("\"rank 2: stage 0, GPU 0 of host 1\""));
  EXPECT_THAT(trace, HasSubstr("\"rank 3: stage 0, GPU 1 of host 1 slow\""));
  EXPECT_THAT(trace, HasSubstr(slice("F0", 0, 0, 3)));
  // The slowest computes for 2 s of the pass, rank 2 for 0.75 of that.
  EXPECT_THAT(trace, HasSubstr(slice("waits for GPU 1 of host 1", 0, 1.5, 0.5)));
  EXPECT_THAT(trace, HasSubstr(slice("F0 (GPU 1 of host 1 slow)", 1, 0, 3) + "\"cname\":\"terrible\""));
  EXPECT_THAT(
      trace,
      Not(HasSubstr("\"name\":\"waits for GPU 1 of host 1\",\"cat\":\"step\",\"pid\":1,\"tid\":1002")));
  EXPECT_THAT(trace, HasSubstr(slice("B0", 1, 7, 2)));  // slow forward alone
  EXPECT_THAT(trace, HasSubstr(slice("waits for GPU 0 of host 3", 2, 2, 1)));
}

TEST(StepTrace, EachDimensionHasATrack) {
  StepPictures pictures = two_by_two();
  pictures.layout.cp = 2;
  const std::string trace = to_trace(pictures, 1);
  // From the end of the pass, at 3 s: the transfer, before it the ring, before that the all-reduces.
  EXPECT_THAT(trace, HasSubstr(slice("pp of F0", 5, 2.75, 0.25)));
  EXPECT_THAT(trace, HasSubstr(slice("cp of F0", 4, 2.5, 0.25)));
  EXPECT_THAT(trace, HasSubstr(slice("tp of F0", 3, 2, 0.5)));
  EXPECT_THAT(trace, HasSubstr(slice("dp: gradients and weights", 6, 9, 0.5)));
  EXPECT_THAT(trace, HasSubstr(slice("optimizer", 7, 9.5, 0.5)));
  EXPECT_THAT(to_trace(two_by_two(), 1), Not(HasSubstr("\"cp")));
}

TEST(StepTrace, ArrowsLeadAlongWhatIsSent) {
  const std::string trace = to_trace(two_by_two(), 1);
  // F0 of stage 0 begins at 0 s on rank 3, the slowest of it, and F0 of stage 1 at 3 s on rank 7.
  EXPECT_THAT(trace,
              HasSubstr("{\"ph\":\"s\",\"id\":4,\"ts\":0,\"name\":\"sends activations\",\"cat\":\"arrow\","
                        "\"pid\":1,\"tid\":1002}"));
  EXPECT_THAT(trace,
              HasSubstr("{\"ph\":\"f\",\"id\":4,\"ts\":3000000,\"bp\":\"e\",\"name\":\"sends activations\","
                        "\"cat\":\"arrow\",\"pid\":1,\"tid\":1003}"));
  EXPECT_EQ(count_of("\"name\":\"sends gradients\"", trace), 2U) << "one arrow, two ends";
  EXPECT_EQ(count_of("\"name\":\"holds up\"", trace), 2U) << "rank 2 waits for rank 3 forward";
  // Of both stages to the reduction, and from there to the optimizer.
  EXPECT_EQ(count_of("\"name\":\"gradients\"", trace), 6U);
  EXPECT_EQ(count_of("\"name\":\"next step\"", trace), 0U);
}

TEST(StepTrace, StepsFollowEachOther) {
  const std::string trace = to_trace(two_by_two(), 3);
  EXPECT_EQ(count_of("\"name\":\"next step\"", trace), 4U) << "two arrows between three steps";
  for (const int step : {0, 1, 2}) {  // of 10 s each
    EXPECT_THAT(trace, HasSubstr(slice("F0", 0, 10 * step, 3)));
    EXPECT_THAT(trace, HasSubstr(slice("optimizer", 6, 10 * step + 9.5, 0.5)));
    EXPECT_THAT(trace, HasSubstr("\"name\":\"step " + std::to_string(step + 1) + "\""));
  }
}

TEST(StepMap, TheCulpritIsHottestAndOutlined) {
  const std::string map = to_svg(two_by_two());
  EXPECT_TRUE(map.starts_with(kMapBegins));
  EXPECT_THAT(
      map,
      HasSubstr("sample &lt;&amp;&gt; with GPU 1 of host 1 slow: who waits longer than in a healthy step"));
  // It waits 1 s of 10 where it waited 2: the least of all, in the hottest colour; its replica's other stage 4.
  EXPECT_THAT(map, HasSubstr("fill=\"#b42318\" data-host=\"1\" data-value=\"-0.10000\""));
  EXPECT_THAT(map, HasSubstr("fill=\"#dbe9f6\" data-host=\"0\" data-value=\"0.30000\""));
  EXPECT_THAT(map, HasSubstr("<title>host 3, stage 1, replica 1, ranks 6-7: waits 40.0% of the step, "
                             "20.0% more than healthy</title>"));
  std::size_t outlines = 0;
  for (std::size_t at = 0; (at = map.find("class=\"culprit\"", at)) != std::string::npos; ++at) ++outlines;
  EXPECT_EQ(outlines, 1U);
}

TEST(StepMap, OfManyRanksStaysSmall) {
  StepPictures many;
  many.scenario = "many";
  many.layout = {.tp = 1, .pp = 16, .dp = 4096};
  many.gpus_per_host = 8;
  many.step_seconds = 10;
  many.waiting.assign(many.layout.ranks(), 5);
  many.waiting[40'000] = 1;
  many.healthy_waiting.assign(many.layout.ranks(), 2);
  many.degraded = true;
  many.culprits = {{40'000, 40'007}};  // host 5,000
  const std::string map = to_svg(many);
  EXPECT_LT(map.size(), 2'000'000U);
  EXPECT_THAT(map, HasSubstr("fill=\"#b42318\" data-host=\"5000\""));
}

}  // namespace
}  // namespace gauntlet
