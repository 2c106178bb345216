// The suite of a file, as real hosts carry it out.
#include "config/host_suite.hpp"

#include "tests/config/scenario_texts.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> names_of_suite(const LoadedSuite& suite) {
  std::vector<std::string> out;
  for (const SuiteEntry& each : suite.probes) out.push_back(each.name);
  return out;
}

LoadedSuite suite_of_text(const std::string& text, const std::vector<std::string>& sets = {}) {
  const Scratch place;
  put_bytes(place.path() / "suite.toml", text);
  return load_host_suite((place.path() / "suite.toml").string(), sets);
}

std::string problems_of_suite(const std::string& text) {
  std::string out;
  for (const Problem& problem : suite_of_text(text).problems) out += problem.text() + "\n";
  return out;
}

const std::string kBandwidth = R"toml([probes.bandwidth]
time = "30s"
deadline = "2min"
threshold = { at_least = 460, breach = "degraded", of_peers = 0.9, source = "Azure NHC" }
detects = { no_fault_of_this_file = 0.5 }
[probes.bandwidth.command]
arguments = ["all_reduce_perf", "-g", "8"]
metric = 'Avg bus bandwidth *: ([0-9.]+)'
unit = "GB/s"
[probes.a]
time = "1s"
)toml";

TEST(HostSuite, HoldsWhatTheFileSays) {
  const LoadedSuite suite =
      suite_of_text(kBandwidth + "[diagnosis]\nsuite = [\"bandwidth\", \"a\"]\n[job]\nunread = 1\n");
  ASSERT_THAT(suite.problems, IsEmpty()) << suite.problems[0].text();
  ASSERT_THAT(names_of_suite(suite), ElementsAre("bandwidth", "a"));
  const SuiteEntry& probe = suite.probes[0];
  EXPECT_EQ(probe.time, std::chrono::seconds(30));
  EXPECT_EQ(probe.measure.deadline, std::chrono::minutes(2));
  EXPECT_EQ(probe.measure.threshold.at_least, 460);
  EXPECT_EQ(probe.measure.threshold.at_most, kInfinity);
  EXPECT_EQ(probe.measure.threshold.breach, Breach::degraded);
  EXPECT_EQ(probe.measure.threshold.of_peers, 0.9);
  EXPECT_THAT(probe.measure.command.arguments, ElementsAre("all_reduce_perf", "-g", "8"));
  EXPECT_EQ(probe.measure.command.unit, "GB/s");
  EXPECT_FALSE(suite.probes[1].measure.command.given());
  EXPECT_EQ(suite.probes[1].measure.deadline, std::chrono::minutes(3));
}

TEST(HostSuite, HasAllProbesWhereTheFileNamesNone) {
  EXPECT_THAT(names_of_suite(suite_of_text(kBandwidth)), ElementsAre("a", "bandwidth"));
}

TEST(HostSuite, TakesSets) {
  const std::vector<std::string> sets = {"probes.bandwidth.threshold.at_least=470",
                                         "diagnosis.suite=[\"bandwidth\"]"};
  const LoadedSuite suite = suite_of_text(kBandwidth, sets);
  ASSERT_THAT(names_of_suite(suite), ElementsAre("bandwidth"));
  EXPECT_EQ(suite.probes[0].measure.threshold.at_least, 470);
  EXPECT_EQ(suite.probes[0].measure.threshold.source, "Azure NHC; at_least: --set");
  EXPECT_EQ(suite_of_text(kBandwidth).probes[1].measure.threshold.source, "Azure NHC");
}

TEST(HostSuite, ALineThatIsWrittenAboveOthersReplacesThem) {
  const std::string text =
      "[probes.p]\ntime = \"1s\"\n"
      "threshold = { at_least_by_kind = { H100 = 48, \"H100 PCIe\" = 40, A100 = 21 }, source = \"a paper\" "
      "}\n";
  const auto with = [&](const std::vector<std::string>& sets) {
    const LoadedSuite suite = suite_of_text(text, sets);
    EXPECT_THAT(suite.problems, IsEmpty());
    return suite.probes.at(0).measure.threshold;
  };
  const std::string key = "probes.p.threshold.";
  const ProbeThreshold of_all = with({key + "at_least=50"});
  EXPECT_EQ(of_all.least_of("NVIDIA H100 PCIe"), 50);
  EXPECT_EQ(of_all.source, "a paper; at_least: --set");
  const ProbeThreshold of_kind = with({key + "at_least_by_kind={H100=30}"});
  EXPECT_EQ(of_kind.least_of("NVIDIA H100 PCIe"), 30);
  EXPECT_EQ(of_kind.least_of("NVIDIA A100"), 21);
  EXPECT_EQ(of_kind.source, "a paper; H100: --set");
  EXPECT_EQ(with({key + "breach=degraded"}).source, "a paper");
  EXPECT_EQ(with({key + "source=mine", key + "at_least=9"}).source, "mine");
  EXPECT_EQ(with({key + "at_least=9", key + "source=mine"}).source, "mine");
}

TEST(HostSuite, HasLinesOfKinds) {
  const std::string probe = "[probes.p]\ntime = \"1s\"\n";
  const LoadedSuite suite = suite_of_text(probe +
                                          "threshold = { at_least = 1, at_least_by_kind = { H100 = 48, "
                                          "\"H100 PCIe\" = 40 }, source = \"a paper\" }\n");
  ASSERT_THAT(suite.problems, IsEmpty()) << suite.problems[0].text();
  const ProbeThreshold& threshold = suite.probes[0].measure.threshold;
  EXPECT_EQ(threshold.least_of("NVIDIA H100 80GB HBM3"), 48);
  EXPECT_EQ(threshold.least_of("NVIDIA H100 PCIe"), 40);
  EXPECT_EQ(threshold.least_of("NVIDIA A100"), 1);
  const std::string key = "probes.p.threshold.at_least_by_kind";
  EXPECT_THAT(problems_of_suite(probe + "threshold = { at_least_by_kind = 3 }\n"),
              HasSubstr(key + " = 3 is a whole number; this takes a table of numbers"));
  EXPECT_THAT(problems_of_suite(probe + "threshold = { at_least_by_kind = { A = 3 }, at_most = 2 }\n"),
              HasSubstr("so that no metric is good"));
  EXPECT_THAT(problems_of_suite(probe + "threshold = { at_least_by_kind = {} }\n"),
              HasSubstr("names no kind"));
  EXPECT_THAT(problems_of_suite(probe + "threshold = { at_least_by_kind = { A = \"x\" } }\n"),
              HasSubstr(key + ".A"));
}

TEST(HostSuite, SaysWhatIsWrong) {
  const std::string probe = "[probes.p]\ntime = \"1s\"\n";
  EXPECT_THAT(problems_of_suite(probe + "command = { metric = '([0-9]+)' }\n"), HasSubstr("arguments"));
  EXPECT_THAT(problems_of_suite(probe + "command = { arguments = [\"x\"], metric = '[0-9]+' }\n"),
              HasSubstr("has no group for the number that it measures; write for example"));
  EXPECT_THAT(problems_of_suite(probe + "threshold = { at_least = 2, at_most = 1 }\n"),
              HasSubstr("so that no metric is good"));
  EXPECT_THAT(problems_of_suite(probe + "threshold = { of_peers = 1.5 }\n"), HasSubstr("is above 1"));
  EXPECT_THAT(problems_of_suite(probe + "deadline = \"0s\"\n"), HasSubstr("probes.p.deadline"));
  EXPECT_THAT(problems_of_suite(probe + "[diagnosis]\nsuite = [\"q\"]\n"),
              HasSubstr("\"q\" is not a probe of this file"));
  EXPECT_THAT(load_host_suite("none.toml", {}).problems.at(0).text(), HasSubstr("there is no such file"));
  EXPECT_THAT(load_host_suite(std::string(300, 'x'), {}).problems.at(0).text(),
              HasSubstr("cannot be read: File name too long"));
}

TEST(HostSuite, ShippedOnesLoad) {
  for (const std::string name : {"quick", "full"}) {
    const LoadedSuite suite = load_host_suite(shipped_host_suite(name), {});
    EXPECT_THAT(suite.problems, IsEmpty());
    EXPECT_GT(suite.probes.size(), 5U);
    for (const SuiteEntry& each : suite.probes)
      EXPECT_EQ(each.measure.threshold.source.find(".toml:"), std::string::npos)
          << each.name << " has a number without a source: " << each.measure.threshold.source;
  }
  EXPECT_EQ(shipped_host_suite("nothing"), "");
}

// One file for both worlds: a simulation reads what a real host reads.
TEST(HostSuite, IsAlsoThatOfASimulation) {
  const LoadedScenario loaded =
      load_text(kSmall +
                "[probes.p]\ntime = \"1s\"\ndeadline = \"9s\"\n"
                "command = { arguments = [\"true\"], unit = \"GB/s\" }\nthreshold = { at_most = 3 }\n");
  ASSERT_TRUE(loaded.scenario) << problems_of(loaded);
  EXPECT_EQ(loaded.scenario->world.probes.at(0).time, std::chrono::seconds(1));
  const LoadedScenario again = load_scenario_text(show(loaded, Comments::none), "shown");
  ASSERT_TRUE(again.scenario) << problems_of(again);
  EXPECT_THAT(show(again, Comments::none), HasSubstr("at_most = 3"));
}

}  // namespace
}  // namespace gauntlet
