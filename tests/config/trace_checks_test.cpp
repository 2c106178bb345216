// Recorded failures in a cluster that is larger than that of the records.
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gauntlet {
namespace {

using ::testing::HasSubstr;

/// kSmall on so many hosts, with one failure an hour on each of these, from `first` on; every second one of another fault.
std::string warnings_of(int cluster, int first, int failing, const std::string& component = "host") {
  std::string text = with(kSmall, "hosts = 2", "hosts = " + std::to_string(cluster));
  text = with(text, "dp = 4", "dp = " + std::to_string(2 * cluster));
  text = with(text, "global_batch = 16", "global_batch = " + std::to_string(2 * cluster));
  for (const int odd : {0, 1}) {
    text += "[faults.f" + std::to_string(odd) + "]\ncomponent = \"" + component +
            "\"\neffect = \"crash\"\nremedy = \"restart\"\ntrace = [";
    for (int host = first + odd; host < first + failing; host += 2)
      text += "{ at = \"" + std::to_string(host + 1) + "h\", component = " + std::to_string(host) + " },";
    text += "]\n";
  }
  const LoadedScenario loaded = load_text(text);
  EXPECT_EQ(problems_of(loaded), "");
  std::string out;
  for (const Problem& warning : loaded.warnings) out += warning.text() + "\n";
  return out;
}

TEST(TraceChecks, WarnOfRecordsOfAMuchSmallerCluster) {
  EXPECT_THAT(
      warnings_of(2048, 0, 63),
      HasSubstr(
          "and the other traces name the first 63 of 2048 hosts: the other hosts never fail in these ways"));
  EXPECT_THAT(warnings_of(2048, 0, 63), HasSubstr("trace fit --nodes N"));
}

TEST(TraceChecks, AreSilentWhereTheRecordsFit) {
  const auto silent = [](const std::string& warnings) {
    return warnings.find("never fail") == std::string::npos;
  };
  EXPECT_TRUE(silent(warnings_of(64, 0, 63))) << "one of the hosts did not fail";
  EXPECT_TRUE(silent(warnings_of(126, 0, 63))) << "half of them failed";
  EXPECT_FALSE(silent(warnings_of(127, 0, 63)));
  EXPECT_TRUE(silent(warnings_of(2048, 100, 63))) << "hosts of this cluster, as their numbers say";
  EXPECT_TRUE(silent(warnings_of(2048, 0, 9))) << "a few failures that somebody wrote";
  EXPECT_TRUE(silent(warnings_of(2048, 0, 63, "gpu"))) << "records name hosts";
}

}  // namespace
}  // namespace gauntlet
