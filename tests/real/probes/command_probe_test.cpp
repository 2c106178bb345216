// Programs as probes, and probes in processes of their own.
#include "real/probes/command_probe.hpp"

#include "real/probes/isolated.hpp"
#include "real/probes/suite/examine.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Duration kLong = 1min;

ProbeCommand shell(const std::string& script, const std::string& metric = "") {
  return {.arguments = {"sh", "-c", script}, .metric = metric, .unit = "GB/s", .better = Better::higher};
}

TEST(CommandProbe, PassesWithExitCodeZero) {
  const ProbeSample sample = run_command_probe(shell("exit 0"), kLong);
  EXPECT_THAT(sample.errors, IsEmpty());
  EXPECT_EQ(judge("p", {}, sample, {}).verdict, ProbeVerdict::pass);
  EXPECT_THAT(run_command_probe(shell("echo no GPU; exit 3"), kLong).errors,
              ElementsAre("sh ended with 3; it last said: no GPU"));
}

TEST(CommandProbe, AMissingProgramIsUnsupported) {
  const ProbeSample sample = run_command_probe(
      {.arguments = {"no-such-dcgmi", "diag"}, .metric = "", .unit = "", .better = Better::higher}, kLong);
  EXPECT_THAT(sample.unsupported, HasSubstr("no-such-dcgmi cannot be started: No such file"));
}

TEST(CommandProbe, EveryMatchIsARepetition) {
  EXPECT_THAT(metrics_in("# Avg bus bandwidth    : 480.1 \n# Avg bus bandwidth : 4.5e2\n",
                         "Avg bus bandwidth *: *([0-9.e+]+)"),
              ElementsAre(480.1, 450));
  EXPECT_THAT(metrics_in("x 1\n y 2\n", "^y ([0-9]+)|^x ([0-9]+)$"), IsEmpty());
  EXPECT_THAT(metrics_in("a 1\nb 2\n", "^b ([0-9]+)$"), ElementsAre(2));
  const ProbeSample sample =
      run_command_probe(shell("echo rate 1; echo rate 3; echo rate 2", "rate ([0-9]+)"), kLong);
  ASSERT_EQ(sample.parts.size(), 1U);
  EXPECT_THAT(sample.parts[0].values, ElementsAre(1, 3, 2));
}

TEST(CommandProbe, AMetricThatIsNotThereSaysNothing) {
  const ProbeSample sample = run_command_probe(shell("echo done", "rate ([0-9]+)"), kLong);
  EXPECT_EQ(judge("p", {}, sample, {.at_least = 1}).verdict, ProbeVerdict::inconclusive);
  EXPECT_THAT(sample.inconclusive, HasSubstr("rate ([0-9]+)"));
}

TEST(CommandProbe, ThatHangsFailsAndLeavesNoProcess) {
  const Scratch place;
  const std::string file = (place.path() / "pid").string();
  const ProbeSample sample = run_command_probe(shell("sleep 1000 & echo $! > " + file + "; wait"), 300ms);
  EXPECT_THAT(sample.errors, ElementsAre(HasSubstr("did not end within 300ms")));
  // SIGKILL was sent; the grandchild dies when it next runs, and is a zombie until its new parent looks.
  const std::string stat = "/proc/" + bytes_of(file).substr(0, bytes_of(file).find('\n')) + "/stat";
  const auto lives = [&] {
    const std::string text = bytes_of(stat);
    return !text.empty() && text.find(") Z ") == std::string::npos;
  };
  const auto guard = std::chrono::steady_clock::now() + kLong;
  while (lives() && std::chrono::steady_clock::now() < guard) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(lives()) << bytes_of(stat);
}

TEST(IsolatedProbe, SaysWhatItMeasured) {
  const auto probe = [] {
    ProbeSample sample;
    sample.parts.push_back({.part = "core 1", .kind = "k", .values = {1.5, 0.1}, .remark = "r"});
    sample.errors = {"e"};
    sample.facts = {{"mtu", "9000"}};
    return sample;
  };
  const ProbeSample sample = run_isolated(probe, kLong);
  ASSERT_EQ(sample.parts.size(), 1U);
  EXPECT_EQ(sample.parts[0].part, "core 1");
  EXPECT_THAT(sample.parts[0].values, ElementsAre(1.5, 0.1));
  EXPECT_THAT(sample.errors, ElementsAre("e"));
  EXPECT_EQ(sample.facts.at(0).second, "9000");
}

TEST(IsolatedProbe, ThatDiesFailsTheHost) {
  EXPECT_THAT(run_isolated(
                  []() -> ProbeSample {
                    std::signal(SIGBUS, SIG_DFL);  // which a sanitizer handles
                    ::raise(SIGBUS);
                    return {};
                  },
                  kLong)
                  .errors,
              ElementsAre(HasSubstr("killed by signal 7")));
  EXPECT_THAT(run_isolated([]() -> ProbeSample { throw std::runtime_error("no memory"); }, kLong).errors,
              ElementsAre("no memory"));
}

TEST(IsolatedProbe, ThatHangsIsEnded) {
  const auto hang = []() -> ProbeSample {
    while (true) ::pause();
  };
  EXPECT_THAT(run_isolated(hang, 200ms).errors, ElementsAre("did not end within 200ms"));
  const std::atomic<bool> stop{true};
  EXPECT_EQ(run_isolated(hang, kLong, &stop).inconclusive, "was stopped");
}

PlannedProbe planned(const std::string& name, ProbeCommand command) {
  PlannedProbe probe{.name = name, .expected = 1s, .measure = {}};
  probe.measure.command = std::move(command);
  return probe;
}

TEST(HostExamination, HasAReportForEachProbeAndTheWorstVerdict) {
  const ProbedHost host;
  const auto reports = examine_host(
      {planned("good", shell("exit 0")), planned("nothing", {}), planned("bad", shell("exit 1"))},
      {.host = host});
  ASSERT_EQ(reports.size(), 3U);
  EXPECT_EQ(reports[0].finding.verdict, ProbeVerdict::pass);
  EXPECT_EQ(reports[1].finding.verdict, ProbeVerdict::unsupported);
  EXPECT_THAT(reports[1].finding.why, HasSubstr("give probes.nothing.command"));
  EXPECT_EQ(verdict_of(reports), ProbeVerdict::fail);
  EXPECT_EQ(verdict_of({reports[0], reports[1]}), ProbeVerdict::pass);
  EXPECT_EQ(verdict_of({reports[1]}), ProbeVerdict::inconclusive);
  EXPECT_EQ(verdict_of({}), ProbeVerdict::inconclusive);
  ProbeReport unjudged = reports[1];
  unjudged.finding.verdict = ProbeVerdict::unjudged;
  EXPECT_EQ(verdict_of({reports[0], unjudged}), ProbeVerdict::pass);
  EXPECT_EQ(verdict_of({reports[1], unjudged}), ProbeVerdict::inconclusive);
}

TEST(HostExamination, EndsWhenItIsStopped) {
  const ProbedHost host;
  const std::atomic<bool> stop{true};
  EXPECT_THAT(examine_host({planned("long", shell("sleep 1000"))}, {.host = host, .stop = &stop}), IsEmpty());
}

}  // namespace
}  // namespace gauntlet
