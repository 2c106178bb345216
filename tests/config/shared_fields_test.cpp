// [cluster.shared] as a scenario says it, and what cannot be meant.
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gauntlet {
namespace {

using ::testing::HasSubstr;

/// kSmall, on a cluster of four hosts, beside jobs of one kind. `entry`: its fields.
LoadedScenario shared(const std::string& hosts, const std::string& entry) {
  return load_text(kSmall + "[cluster.shared]\n" + hosts + "\npriority = 3\n[cluster.shared.jobs.urgent]\n" +
                   entry);
}

const std::string kUrgent =
    "hosts = 3\npriority = 4\narrives = { name = \"exponential\", mean = \"12h\" }\nruns = \"2h\"\n";

TEST(SharedFields, SayWhoElseIsThere) {
  const LoadedScenario loaded = shared("hosts = 4", kUrgent);
  ASSERT_EQ(problems_of(loaded), "");
  EXPECT_TRUE(loaded.warnings.empty());
  const SharedCluster& cluster = loaded.scenario->world.shared;
  EXPECT_EQ(cluster.hosts, 4U);
  EXPECT_EQ(cluster.priority, 3);
  ASSERT_EQ(cluster.jobs.size(), 1U);
  EXPECT_EQ(cluster.jobs[0].name, "urgent");
  EXPECT_EQ(cluster.jobs[0].arrives.mean(), 12 * 3600);
  EXPECT_EQ(cluster.jobs[0].runs.mean(), 2 * 3600);
}

TEST(SharedFields, MistakesNameTheField) {
  const auto problems = [](const std::string& hosts, const std::string& entry) {
    return problems_of(shared(hosts, entry));
  };
  EXPECT_THAT(problems("", kUrgent),
              HasSubstr("cluster.shared.hosts = 0, by default, has no place for cluster.shared.jobs"));
  EXPECT_THAT(problems("hosts = 1", kUrgent),
              HasSubstr("cluster.shared.hosts = 1 is below the 2 of this job, its spares and their pool"));
  EXPECT_THAT(problems("hosts = 4", with(kUrgent, "hosts = 3", "hosts = 5")),
              HasSubstr("cluster.shared.jobs.urgent.hosts = 5 is more than the 4 of cluster.shared.hosts"));
  EXPECT_THAT(problems("hosts = 4", with(kUrgent, "{ name = \"exponential\", mean = \"12h\" }", "\"0s\"")),
              HasSubstr("takes no time from one to the next"));
  EXPECT_THAT(problems("hosts = 4", "hosts = 3\npriority = 4\narrives = \"1ms\"\nruns = \"1us\"\n"),
              HasSubstr("cluster.shared.jobs.urgent comes 5760000000 times in 10d"));
  // One of them runs at a time, for longer than until the next one comes.
  EXPECT_THAT(problems("hosts = 4", with(kUrgent, "\"2h\"", "\"18h\"")), HasSubstr("1 of 3 hosts fit in 4"));
  // 3 hosts x 9 h / 12 h of one kind, and as much of another: 4.5.
  EXPECT_THAT(problems("hosts = 4", with(kUrgent, "\"2h\"", "\"9h\"") + "[cluster.shared.jobs.also]\n" +
                                        with(kUrgent, "\"2h\"", "\"9h\"")),
              HasSubstr("is no more than the 5 hosts that jobs that go first ask for on average"));
  EXPECT_THAT(problems("hosts = 4", with(kUrgent, "\"2h\"", "\"0s\"")),
              HasSubstr("cluster.shared.jobs.urgent.runs = \"0s\" takes no time"));
  EXPECT_THAT(problems("hosts = 4", "hosts = 3\n"),
              HasSubstr("cluster.shared.jobs.urgent.priority is missing"));
}

TEST(SharedFields, OneMistakeIsOneProblem) {
  const LoadedScenario loaded =
      load_text(kSmall + "[faults.a]\n" + kCrash + "mtbf = \"10d\"\n[spares]\ncount = -1\n");
  EXPECT_EQ(loaded.problems.size(), 1U) << problems_of(loaded);
}

TEST(SharedFields, ALoadThatLeavesLittleIsWarnedOf) {
  // 3 hosts x 9 h / 12 h are 2.25, where 2 are left of 4.
  const LoadedScenario loaded = shared("hosts = 4", with(kUrgent, "\"2h\"", "\"9h\""));
  ASSERT_EQ(problems_of(loaded), "");
  ASSERT_EQ(loaded.warnings.size(), 1U);
  EXPECT_THAT(loaded.warnings[0].text(), HasSubstr("cluster.shared.hosts = 4 leaves 2 beside this job"));
}

TEST(SharedFields, JobsThatDoNotMoveThisOneAreWarnedOf) {
  const std::string also = "[cluster.shared.jobs.also]\n";
  const auto warnings = [&](const std::string& hosts, const std::string& priority, bool others) {
    const LoadedScenario loaded = shared(
        hosts, with(kUrgent, "priority = 4", "priority = " + priority) + (others ? also + kUrgent : ""));
    EXPECT_EQ(problems_of(loaded), "");
    std::string out;
    for (const Problem& warning : loaded.warnings) out += warning.text() + "\n";
    return out;
  };
  for (const char* priority : {"2", "3"})
    for (const bool others : {false, true})
      EXPECT_THAT(warnings("hosts = 4", priority, others), HasSubstr("does not go before this job"));
  // Where nobody is preempted who has just begun, those that go first may have to take this job's hosts for theirs.
  EXPECT_THAT(warnings("hosts = 4\npreempt_after = \"1h\"", "2", false),
              HasSubstr("does not go before this job"));
  EXPECT_EQ(warnings("hosts = 4\npreempt_after = \"1h\"", "2", true), "");
}

}  // namespace
}  // namespace gauntlet
