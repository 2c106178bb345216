// What a resumed study says of its scenario comes from the store.
#include "study/store/store.hpp"
#include "tests/study/store/sample_study.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

TEST(StoredFacts, HaveWhatTheAdviceOfAReportNeeds) {
  std::string name = (std::filesystem::temp_directory_path() / "gauntlet-facts-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const std::filesystem::path file = std::filesystem::path(name) / "results.sqlite";
  const StudyIdentity study{.command = "run",
                            .arguments = "gauntlet run sample",
                            .version = "0.1.0",
                            .seed = 7,
                            .scenario = "sample",
                            .text = "name = \"sample\"\n"};
  const std::vector<std::string> faults = {"gpu", "nic"};
  const bool both[] = {false, true};
  {
    const auto made = Store::create(file, study, faults);
    ASSERT_TRUE(made.store) << made.problem->text();
    for (const bool computes : both)
      for (const bool behind : both) {
        StoredPoint point{.label = "", .settings = {}, .text = "", .facts = sample_facts()};
        point.text = std::to_string(2 * computes + behind);
        point.facts.computes_interval = computes;
        point.facts.saves_behind_training = behind;
        made.store->add_point(point);
      }
  }
  const auto read = Store::open_to_read(file);
  ASSERT_TRUE(read.store) << read.problem->text();
  std::uint32_t number = 0;
  for (const bool computes : both)
    for (const bool behind : both) {
      const ScenarioFacts& facts = read.store->point(number++).facts;
      EXPECT_EQ(facts.computes_interval, computes);
      EXPECT_EQ(facts.saves_behind_training, behind);
    }
  std::filesystem::remove_all(name);
}

}  // namespace
}  // namespace gauntlet
