// What is not TOML is said in the form of every other mistake, and not in the parser's words.
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gauntlet {
namespace {

TEST(TomlErrors, EachHasItsPlaceAndWhatToWrite) {
  const struct {
    const char *text, *problem;
  } table[] = {
      {"name: mine\ncluster:\n  hosts: 8\n",
       "test.toml:1:5: this is YAML, and a scenario is TOML; write hosts = 8 in place of hosts: 8, and "
       "[cluster] above "
       "what is indented under it\n"},
      {"{\"cluster\": {\"hosts\": 8}}\n", ": this is JSON, and a scenario is TOML; write hosts = 8"},
      {"name = \"mine\n[cluster]\n",
       ": name has a string that is not closed; end it with \" on the same line\n"},
      {"detect = [\"exit\", \"log]\n", ": detect has a string that is not closed"},
      {"[job]\nwindow = 5h\n", ": window has the value 5h without quotes; write window = \"5h\"\n"},
      {"[policies]\ncheckpoint = daly # best\n",
       ": checkpoint has the value daly without quotes; write checkpoint = \"daly\"\n"},
      {"[job\nwindow = \"5h\"\n", ": this heading is not closed; write [job]\n"},
      {"[job]\nwindow = \"5h\"\nwindow = \"6h\"\n", ": window is given twice; leave one of them out\n"},
      {"[job]\nsteps = 5\n[job]\nwindow = \"6h\"\n",
       ": job is there twice as a table; write all of its values under one heading\n"},
      {"[cluster]\nhardware = \"a100-80g\"\n[cluster.hardware]\nnvlink = \"300GB/s\"\n",
       "test.toml:3:1: cluster.hardware is given as a value, and again as a table; leave one of them out; "
       "the values "
       "of an entry"},
      {"hosts = = 3\n", "test.toml:1:9: this is not TOML: "},
  };
  for (const auto& row : table) {
    const std::string problems = problems_of(load_text(row.text));
    EXPECT_THAT(problems, ::testing::HasSubstr(row.problem)) << row.text;
    EXPECT_THAT(problems, ::testing::Not(::testing::HasSubstr("Error while parsing"))) << row.text;
  }
}

/// A mistake of one field is not a mistake of another.
TEST(TomlErrors, AWrongTypeIsOneProblem) {
  const std::string tokens = with(kSmall, "window = \"10d\"", "tokens = 1e12");
  for (const char* set :
       {"cluster.hosts=true", "job.global_batch=true", "job.model=true", "checkpoint.interval=300",
        "spares.count=\"many\"", "storage.free=1", "telemetry.noise=\"loud\"", "job.tokens=true"}) {
    const LoadedScenario loaded = load_text(tokens, {set});
    EXPECT_EQ(loaded.problems.size(), 1u) << set << "\n" << problems_of(loaded);
  }
}

TEST(TomlErrors, OfTwoSetsThatExcludeEachOtherTheFirstIsSaidToHaveNoEffect) {
  const LoadedScenario loaded = load_text(kSmall, {"spares.policy=quantile", "spares.count=1"});
  ASSERT_EQ(loaded.warnings.size(), 1u);
  EXPECT_EQ(loaded.warnings[0].text(),
            "--set: spares.policy = \"quantile\" has no effect: spares.count, which was set after it, takes "
            "its place; "
            "leave one of them out");
  EXPECT_EQ(problems_of(loaded), "");
  // What a file says is replaced on purpose.
  EXPECT_TRUE(load_text(kSmall + "[spares]\npolicy = \"quantile\"\n", {"spares.count=1"}).warnings.empty());
}

}  // namespace
}  // namespace gauntlet
