#include "study/summary/summary_json.hpp"

#include "tests/study/store/sample_study.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

Summary two_metrics() {
  Summary of;
  of.facts.name = "a \"quoted\" name";
  of.facts.version = "0.1.0";
  of.facts.seed = 18446744073709551615U;  // 2^64 - 1: seeds have all 64 bits
  of.replicas = 3;
  of.facts.faults = {"gpu"};
  of.fingerprint = 0xabc;
  of.metrics = {{"ettr",
                 {.n = 3,
                  .mean = 0.1 + 0.2,
                  .sd = 0.5,
                  .se = 0.25,
                  .ci95 = Interval{-1, 2.5},
                  .p1 = -3,
                  .p5 = 0,
                  .p50 = 1e-9,
                  .p95 = 1e22,
                  .p99 = 2e22,
                  .worst_5_mean = -4.5}},
                {"faults.gpu", {}}};
  return of;
}

constexpr const char* kGolden = R"({
  "scenario": "a \"quoted\" name",
  "version": "0.1.0",
  "seed": 18446744073709551615,
  "currency": "USD",
  "replicas": 3,
  "fingerprint": "0000000000000abc",
  "interval": "Monte Carlo only",
  "metrics": {
    "ettr": {
      "mean": 0.30000000000000004,
      "sd": 0.5,
      "se": 0.25,
      "ci95": [
        -1.0,
        2.5
      ],
      "p1": -3.0,
      "p5": 0.0,
      "p50": 1e-09,
      "p95": 1e+22,
      "p99": 2e+22,
      "worst_5_mean": -4.5,
      "n": 3
    },
    "faults.gpu": {
      "mean": null,
      "sd": null,
      "se": null,
      "ci95": null,
      "p1": null,
      "p5": null,
      "p50": null,
      "p95": null,
      "p99": null,
      "worst_5_mean": null,
      "n": 0
    }
  },
  "detection": {
    "handled_share": null,
    "detection_and_diagnosis_s": null,
    "recall": null,
    "precision": null,
    "evictions.precision": null,
    "false_alarms": null,
    "false_alerts": null,
    "missed_faults": null,
    "missed_cost_s": null,
    "wrong_evictions_cost_s": null,
    "detection_latency_p50_s": null,
    "detection_latency_p95_s": null,
    "by_kind": {
      "gpu": {}
    }
  }
}
)";

TEST(SummaryJson, HasThePublishedForm) { EXPECT_EQ(to_json(two_metrics()), kGolden); }

TEST(SummaryJson, NamesTheReplicaThatWasAskedForAlone) {
  Summary of = two_metrics();
  of.replicas = 1;
  of.only = 5;
  EXPECT_NE(to_json(of).find("\"replicas\": 1,\n  \"replica\": 5,\n"), std::string::npos);
}

TEST(SummaryJson, NamesTheCurrencyOfItsCosts) {
  Summary of = two_metrics();
  of.facts.currency = "EUR";
  EXPECT_EQ(summary_from_json(to_json(of)).summary->facts.currency, "EUR");
  // What an earlier version wrote had US dollars.
  std::string older = kGolden;
  const std::string line = "  \"currency\": \"USD\",\n";
  older.erase(older.find(line), line.size());
  EXPECT_EQ(summary_from_json(older).summary->facts.currency, "USD");
}

TEST(SummaryJson, SaysHowExactTheClocksOfADrillWere) {
  Summary of = two_metrics();
  of.clocks = {.largest_error_seconds = 0.0003, .jumps = 2};
  const std::string json = to_json(of);
  EXPECT_NE(json.find("\"clocks\": {\n    \"largest_error_seconds\": 0.0003,\n    \"jumps\": 2\n  }"),
            std::string::npos)
      << json;
  EXPECT_EQ(summary_from_json(json).summary->clocks, of.clocks);
  EXPECT_FALSE(summary_from_json(kGolden).summary->clocks) << "a simulation has one clock";
}

TEST(SummaryJson, SaysThatMoreWasAskedFor) {
  Summary of = two_metrics();
  of.interrupted = true;
  const std::string json = to_json(of);
  EXPECT_NE(json.find("\"replicas\": 3,\n  \"interrupted\": true,\n"), std::string::npos) << json;
  EXPECT_TRUE(summary_from_json(json).summary->interrupted);
  EXPECT_FALSE(summary_from_json(kGolden).summary->interrupted);
}

TEST(SummaryJson, ReadsBackAsTheSameBytes) {
  const ParsedSummary parsed = summary_from_json(kGolden);
  ASSERT_TRUE(parsed.summary) << parsed.why;
  EXPECT_EQ(to_json(*parsed.summary), kGolden);
  EXPECT_EQ(parsed.summary->metrics[0].statistics, two_metrics().metrics[0].statistics);
  EXPECT_EQ(parsed.summary->facts.faults, std::vector<std::string>{"gpu"});
}

TEST(SummaryJson, SaysWhyATextIsNone) {
  const std::string golden = kGolden;
  const auto without = [&](std::string_view part, std::string_view instead) {
    std::string text = golden;
    const std::size_t at = text.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    return text.replace(at, part.size(), instead);
  };
  for (const std::string& text :
       {std::string(), std::string("[]"), golden.substr(0, golden.size() / 2),
        without("\"replicas\": 3,", ""), without("\"replicas\": 3", "\"replicas\": -3"),
        without("\"replicas\": 3", "\"replicas\": 4294967296"), without("0000000000000abc", "abc"),
        without("0000000000000abc", "000000000000zzzz"), without("\"n\": 3", "\"n\": \"three\"")}) {
    const ParsedSummary parsed = summary_from_json(text);
    EXPECT_FALSE(parsed.summary) << text;
    EXPECT_FALSE(parsed.why.empty()) << text;
  }
}

TEST(SummaryJson, SaysHowEachFaultKindFared) {
  const std::string json = to_json(sample_summary(3));
  // Faults met: 3 + 4 + 5 in three runs; of each run two detected, one missed.
  EXPECT_NE(json.find("    \"by_kind\": {\n"
                      "      \"gpu\": {\n"
                      "        \"met\": 4.0,\n"
                      "        \"detected\": 2.0,\n"
                      "        \"missed\": 1.0,\n"
                      "        \"recall\": 0.6666666666666666,\n"),
            std::string::npos);
  EXPECT_NE(json.find("      \"nic\": {\n"
                      "        \"met\": 0.0,\n"
                      "        \"detected\": 0.0,\n"
                      "        \"missed\": 0.0,\n"
                      "        \"recall\": null,\n"
                      "        \"latency_p50_s\": null,\n"),
            std::string::npos);
}

}  // namespace
}  // namespace gauntlet
