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

}  // namespace
}  // namespace gauntlet
