// Custom policies that a scenario names.
#include "config/brought.hpp"

#include "config/scenario.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace gauntlet {
namespace {

using testing::HasSubstr;

std::shared_ptr<const CustomPolicies> called(const std::string& detector, const std::string& checkpoint,
                                             const std::string& recovery) {
  return std::make_shared<const CustomPolicies>(CustomPolicies{
      .detectors = {{detector, {}}}, .checkpoints = {{checkpoint, {}}}, .recoveries = {{recovery, {}}}});
}

LoadedScenario tiny_with(const std::vector<std::string>& sets) {
  return load_scenario("scenarios/tiny-8.toml", sets);
}

const std::vector<std::string> kMine = {"policies.detect=[\"exit\", \"MyExits\"]",
                                        "policies.checkpoint=MyCheckpoints", "policies.recover=MyRecovery"};

TEST(BroughtPolicies, AreNamedAsShippedOnesAre) {
  const BroughtPolicies brought(called("MyExits", "MyCheckpoints", "MyRecovery"));
  const LoadedScenario loaded = tiny_with(kMine);
  ASSERT_TRUE(loaded.scenario) << loaded.problems.at(0).text();
  EXPECT_EQ(loaded.scenario->policies.custom, BroughtPolicies::here());
  const std::string text = show(loaded, Comments::none);
  EXPECT_THAT(text, HasSubstr("detect = [\"exit\", \"MyExits\"]"));
  // The text loads to the same while they are there.
  const LoadedScenario again = load_scenario_text(text, "again");
  ASSERT_TRUE(again.scenario);
  EXPECT_EQ(again.scenario->policies.custom, BroughtPolicies::here());
  EXPECT_EQ(show(again, Comments::none), text);
}

TEST(BroughtPolicies, AreUnknownElsewhere) {
  {
    const BroughtPolicies brought(called("MyExits", "MyCheckpoints", "MyRecovery"));
    const ScenarioSource kept("scenarios/tiny-8.toml");
    {
      const BroughtPolicies others(called("A", "B", "C"));
      EXPECT_FALSE(tiny_with(kMine).scenario);
      EXPECT_TRUE(kept.load(kMine).scenario);  // it was opened before
    }
    EXPECT_TRUE(tiny_with(kMine).scenario);
    EXPECT_FALSE(tiny_with({}).scenario->policies.custom);  // nothing names them
  }
  const LoadedScenario loaded = tiny_with(kMine);
  ASSERT_EQ(loaded.problems.size(), 3U);
  EXPECT_THAT(loaded.problems[0].text(), HasSubstr("is not a detector"));
}

TEST(BroughtPolicies, HaveNamesOfTheirOwn) {
  const auto refusal = [](const std::string& detector, const std::string& checkpoint) -> std::string {
    try {
      const BroughtPolicies brought(called(detector, checkpoint, "MyRecovery"));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(refusal("A", "Daly_2"), "");
  EXPECT_EQ(refusal("A", "daly"),
            R"(the custom policy "daly" has the name of a shipped policy; give it another name)");
  EXPECT_EQ(refusal("A", "A"),
            R"(the custom policy "A" has the name of another custom policy; give it another name)");
  for (const char* name : {"", "a b", "1st", "a\nb"})
    EXPECT_THAT(refusal("A", name), HasSubstr("does not have a name of letters, digits and _"));
  EXPECT_EQ(BroughtPolicies::here(), nullptr);
}

/// What no shipped policy would read, a custom one may.
TEST(BroughtPolicies, MayUseAnyConstant) {
  const BroughtPolicies brought(called("A", "MyCheckpoints", "C"));
  const std::string set = "checkpoint.host_loss=0.25";
  EXPECT_EQ(tiny_with({"policies.checkpoint=daly", set}).warnings.size(), 1U);
  EXPECT_EQ(tiny_with({"policies.checkpoint=MyCheckpoints", set}).warnings.size(), 0U);
}

}  // namespace
}  // namespace gauntlet
