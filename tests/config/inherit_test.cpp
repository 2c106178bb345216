// What a scenario takes from those that it extends, and who brings which faults.
#include "config/fault_files.hpp"
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gauntlet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kBase = kSmall + R"(
[faults.old]
component = "host"
effect = "crash"
mtbf = "30d"
log = "old_line"
[repair]
time = "1h"
by_cause = { old = { time = "2h" } }
[detection]
lines = { old_line = "restart" }
[probes.test]
time = "1min"
detects = { old = 0.9, gpu_lost = 0.5 }
[[study.uncertain]]
path = "faults.old.mtbf"
low = "10d"
high = "90d"
[[study.uncertain]]
path = "repair.time"
low = "30min"
high = "2h"
)";
const std::string kOwn = "[faults.own]\n" + kCrash + "mtbf = \"9d\"\n";

std::vector<std::string> faults_of(const LoadedScenario& loaded) {
  std::vector<std::string> names;
  if (loaded.scenario)
    for (const FaultKind& fault : loaded.scenario->world.faults) names.push_back(fault.name);
  return names;
}

class Inherit : public ::testing::Test {
 protected:
  Inherit() : base_(folder_.write("base.toml", kBase)) {}
  LoadedScenario over_base(const std::string& text, const std::vector<std::string>& sets = {}) {
    own_ = folder_.write("own.toml", "extends = \"base.toml\"\n" + text);
    return load_scenario(own_, sets);
  }

  Folder folder_;
  std::string base_, own_;
};

TEST_F(Inherit, FaultsOfTheBaseStandBesideItsOwnAndTheirFilesAreKnown) {
  const LoadedScenario loaded = over_base(kOwn + "[faults.old]\nmtbf = \"60d\"\n");
  EXPECT_EQ(problems_of(loaded), "");
  EXPECT_THAT(faults_of(loaded), ElementsAre("old", "own"));
  EXPECT_THAT(faults_by_file(loaded.resolved),
              ElementsAre(FaultFile{base_, {"old"}}, FaultFile{own_, {"own"}}));  // changed is not brought
}

TEST_F(Inherit, OneLineDropsThemAndAllThatIsSaidOfThem) {
  for (const LoadedScenario& loaded :
       {over_base("inherit_faults = false\n" + kOwn), over_base("", {"inherit_faults=false"})}) {
    EXPECT_EQ(problems_of(loaded), "");
    EXPECT_THAT(faults_of(loaded), Not(::testing::Contains("old")));
    ASSERT_TRUE(loaded.scenario);
    EXPECT_THAT(loaded.scenario->world.repair.by_cause, IsEmpty());
    ASSERT_EQ(loaded.scenario->study.uncertain.size(), 1u);
    EXPECT_EQ(loaded.scenario->study.uncertain[0].path, "repair.time");
  }
}

TEST_F(Inherit, WhatIsShownSaysSoAndLoadsAlone) {
  const LoadedScenario loaded = over_base("inherit_faults = false\n" + kOwn);
  const std::string shown = show(loaded);
  EXPECT_THAT(shown, HasSubstr("inherit_faults = false"));
  const LoadedScenario again = load_text(shown);
  EXPECT_EQ(problems_of(again), "");
  EXPECT_EQ(show(again, Comments::none), show(loaded, Comments::none));
  EXPECT_THAT(show(over_base(kOwn)), Not(HasSubstr("inherit_faults")));
}

TEST_F(Inherit, TheFaultsOfAListBesideItStay) {
  folder_.write("none.toml", "extends = \"base.toml\"\ninherit_faults = false\n");
  folder_.write("more.toml", "[faults.more]\n" + kCrash + "mtbf = \"9d\"\n");
  const std::string both = folder_.write("both.toml", "extends = [\"none.toml\", \"more.toml\"]\n" + kOwn);
  EXPECT_THAT(faults_of(load_scenario(both, {})), ElementsAre("more", "own"));
}

TEST_F(Inherit, AWordIsNotTrueOrFalse) {
  EXPECT_THAT(problems_of(over_base("inherit_faults = \"no\"\n")),
              HasSubstr("own.toml:2:18: inherit_faults = \"no\" is a string; this takes true or false"));
}

TEST_F(Inherit, OnesThatAreSwitchedOffAreSaidToBe) {
  const LoadedScenario loaded = over_base(kOwn + "[faults.old]\nmtbf = \"never\"\n[study]\nuncertain = []\n");
  EXPECT_EQ(problems_of(loaded), "");
  EXPECT_THAT(faults_by_file(loaded.resolved), ElementsAre(FaultFile{own_, {"own"}}));
  EXPECT_THAT(faults_switched_off(loaded.resolved), ElementsAre("old"));
}

TEST_F(Inherit, NeverSwitchesOffAFaultOfStarts) {
  folder_.write("starts.toml", "extends = \"base.toml\"\n[faults.slow_start]\n" + kCrash +
                                   "clock = \"start\"\nchance = 0.5\n");
  const std::string off =
      folder_.write("off.toml", "extends = \"starts.toml\"\n[faults.slow_start]\nmtbf = \"never\"\n");
  const LoadedScenario loaded = load_scenario(off, {});
  EXPECT_EQ(problems_of(loaded), "");
  ASSERT_TRUE(loaded.scenario);
  EXPECT_EQ(loaded.scenario->world.faults[1].name, "slow_start");
  EXPECT_EQ(loaded.scenario->world.faults[1].chance.value, 0);
}

TEST(Inherited, TheMainJobWithoutItsFaultsIsThereToExtend) {
  const LoadedScenario loaded =
      load_text("extends = \"catalog/jobs/llama3-405b.toml\"\n[job]\nwindow = \"30d\"\n[faults.own]\n" +
                kCrash + "mtbf = \"900d\"\n");
  EXPECT_EQ(problems_of(loaded), "");
  EXPECT_THAT(faults_of(loaded), ElementsAre("own"));
}

}  // namespace
}  // namespace gauntlet
