// Settings that change nothing are warned of, and of no others.
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gauntlet {
namespace {

using ::testing::HasSubstr;

std::string warnings_of(const std::vector<std::string>& sets) {
  const LoadedScenario loaded = load_text(kSmall, sets);
  EXPECT_EQ(problems_of(loaded), "") << sets.front();
  std::string out;
  for (const Problem& warning : loaded.warnings) out += warning.text() + "\n";
  return out;
}

TEST(Unused, EachSettingHasAnEffectOrAWarning) {
  const struct {
    const char *path, *value;
    std::vector<std::string> with_effect;
  } table[] = {
      {"checkpoint.host_loss", "0.3", {"policies.checkpoint=\"two-level\""}},
      {"storage.peers.stall", "1s", {"checkpoint.peers_interval=10min"}},
      {"storage.peers.increment", "0.5", {"checkpoint.peers_interval=10min"}},
      {"storage.peers.apply", "1s", {"checkpoint.peers_interval=10min", "storage.peers.increment=0.5"}},
      {"storage.memory.persist", "1s", {"checkpoint.memory_interval=10min"}},
      {"storage.memory.load", "1s", {"policies.checkpoint=\"two-level\""}},
      {"retirement.evictions", "7", {"policies.retire=\"threshold\""}},
      {"retirement.window", "1d", {"policies.retire=\"score\""}},
      {"recovery.longest_backoff", "7min", {"recovery.start_backoff=10s"}},
      {"spares.selection", "3min", {"spares.cold=1"}},
      {"cluster.shared.priority",
       "5",
       {"cluster.shared.hosts=4",
        "cluster.shared.jobs.a={hosts = 1, priority = 5, arrives = \"1d\", runs = \"1h\"}"}},
      {"cluster.shared.preempt_after",
       "2h",
       {"cluster.shared.hosts=4",
        "cluster.shared.jobs.a={hosts = 1, priority = 5, arrives = \"1d\", runs = \"1h\"}"}},
      {"repair.manual.crew", "2", {"repair.manual.needed=0.5", "repair.manual.time=1h"}},
  };
  for (const auto& row : table) {
    const std::string setting = std::string(row.path) + "=" + row.value;
    const std::string warning = std::string(row.path) + " = ";
    std::vector<std::string> sets = {setting};
    EXPECT_THAT(warnings_of(sets), HasSubstr(warning)) << setting;
    EXPECT_THAT(warnings_of(sets), HasSubstr("has no effect")) << setting;
    sets.insert(sets.end(), row.with_effect.begin(), row.with_effect.end());
    EXPECT_THAT(warnings_of(sets), ::testing::Not(HasSubstr(warning))) << setting;
  }
}

TEST(Unused, AFactorOnAStepTimeThatIsMeasured) {
  EXPECT_THAT(warnings_of({"job.step_time=1s", "job.step_time_factor=1.2"}),
              HasSubstr("job.step_time_factor = 1.2 has no effect: job.step_time is given as measured"));
  EXPECT_EQ(warnings_of({"job.step_time_factor=1.2"}), "");
}

TEST(Unused, AnIntervalOverAPolicyThatComputesIt) {
  const auto warning_of = [](const std::string& policy, const std::string& set) {
    const LoadedScenario loaded =
        load_text(kSmall + "[policies]\ncheckpoint = \"" + policy + "\"\n", {{set}});
    EXPECT_EQ(problems_of(loaded), "");
    return loaded.warnings.empty() ? "" : loaded.warnings.front().text();
  };
  EXPECT_THAT(
      warning_of("daly", "checkpoint.interval=2h"),
      HasSubstr("checkpoint.interval = \"2h\" has no effect: policies.checkpoint = \"daly\" computes the "
                "interval; write policies.checkpoint = \"fixed\", or leave it out"));
  EXPECT_EQ(warning_of("fixed", "checkpoint.interval=2h"), "");
  EXPECT_EQ(warning_of("daly", "checkpoint.shortest=2s"), "");
}

const std::string kMeasured = R"(
[cluster]
hosts = 2
hardware = "h100"
[job]
model = "tiny-1b"
global_batch = 16
window = "10d"
[job.layout]
tp = 4
dp = 4
[storage]
mode = "two_stage"
stall = "1s"
persist = "10s"
load = "10s"
write = "10GB/s"
read = "10GB/s"
)";

std::string warnings_of_measured(const std::vector<std::string>& sets) {
  const LoadedScenario loaded = load_text(kMeasured, sets);
  EXPECT_EQ(problems_of(loaded), "") << sets.front();
  std::string out;
  for (const Problem& warning : loaded.warnings) out += warning.text() + "\n";
  return out;
}

TEST(Unused, BandwidthsOfStorageWhereTimesAreMeasured) {
  const struct {
    const char *path, *value, *frees;
  } table[] = {
      {"storage.tenants", "0.5", "storage.persist=0s"},
      {"storage.tenants", "0.5", "storage.load=0s"},
      {"storage.write", "20GB/s", "storage.persist=0s"},
      {"storage.write_per_host", "1GB/s", "storage.persist=0s"},
      {"storage.write_per_rank", "1GB/s", "storage.persist=0s"},
      {"storage.read", "20GB/s", "storage.load=0s"},
      {"storage.read_per_host", "1GB/s", "storage.load=0s"},
      {"storage.read_per_rank", "1GB/s", "storage.load=0s"},
  };
  EXPECT_EQ(warnings_of_measured({"job.window=10d"}), "");  // both may stand in one file
  for (const auto& row : table) {
    const std::string setting = std::string(row.path) + "=" + row.value;
    const std::string warning = "--set: " + std::string(row.path) + " = ";
    EXPECT_THAT(warnings_of_measured({setting}), HasSubstr(warning)) << setting;
    EXPECT_THAT(warnings_of_measured({setting}), HasSubstr("has no effect")) << setting;
    EXPECT_THAT(warnings_of_measured({setting, row.frees}), ::testing::Not(HasSubstr(warning))) << setting;
  }
}

TEST(Unused, ACheckpointThatMayBeCorruptNeedsOthersBehindIt) {
  const std::string fault =
      "[faults.crash]\ncomponent = \"host\"\neffect = \"crash\"\nremedy = \"restart\"\nmtbf = \"1d\"\n";
  const auto warnings = [&](const std::vector<std::string>& sets) {
    const LoadedScenario loaded = load_text(kMeasured + fault, sets);
    EXPECT_EQ(problems_of(loaded), "");
    return loaded.warnings.empty() ? std::string() : loaded.warnings[0].text();
  };
  // 20 failures in 10 days of 2 hosts, 0.05^2 of whose starts find nothing: 0.05 times; with three 0.0025.
  EXPECT_EQ(warnings({"storage.corrupt=0.05"}),
            "--set: storage.corrupt = 0.05 and storage.keep_last = 2 leave no good checkpoint in storage at "
            "0.25% of the starts, 0.05 times in a run with 20 failures; training then begins anew: write "
            "storage.keep_last = 3, with which that happens less than 0.01 times in a run");
  EXPECT_EQ(warnings({"storage.corrupt=0.05", "storage.keep_last=3"}), "");
  EXPECT_EQ(warnings({"storage.corrupt=0.05", "storage.keep_every=10"}), "");
  EXPECT_EQ(warnings({"storage.corrupt=0.001"}), "");
}

}  // namespace
}  // namespace gauntlet
