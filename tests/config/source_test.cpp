// A scenario that is read once and loaded often gives what loading it afresh gives.
#include "config/listing.hpp"
#include "tests/config/scenario_texts.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gauntlet {
namespace {

using Sets = std::vector<std::string>;

/// The first `fixed` of `sets` lie over every load, the others over this one.
void expect_as_afresh(const std::string& path, const Sets& sets) {
  const LoadedScenario afresh = load_scenario(path, sets);
  for (std::size_t fixed = 0; fixed <= sets.size(); ++fixed) {
    SCOPED_TRACE(path + " with " + std::to_string(fixed) + " sets below");
    const auto middle = sets.begin() + static_cast<std::ptrdiff_t>(fixed);
    const ScenarioSource source(path, Sets(sets.begin(), middle));
    const Sets above(middle, sets.end());
    (void)source.load(Sets{"spares.count=3", "nothing=1"});  // leaves no trace
    const LoadedScenario loaded = source.load(above);
    EXPECT_EQ(problems_of(loaded), problems_of(afresh));
    EXPECT_EQ(show(loaded), show(afresh));
    EXPECT_EQ(loaded.scenario.has_value(), afresh.scenario.has_value());
  }
}

TEST(ScenarioSource, GivesWhatLoadingAfreshGives) {
  for (const Listed& shipped : list_scenarios())
    expect_as_afresh(shipped.name,
                     {"checkpoint.interval=7min", "spares.count=2", "checkpoint.interval=11min"});
  // An entry of the catalogue, and a key of it after that: the order of the sets matters.
  expect_as_afresh("tiny-8", {"cluster.hardware=h200", "cluster.hardware.memory=99GB"});
}

TEST(ScenarioSource, ReportsWhatLoadingAfreshReports) {
  expect_as_afresh("no-such-scenario", {"spares.count=2", "spares.count=few"});
  expect_as_afresh("tiny-8", {"spares.count=few", "no.such=1", "=3", "extends=x", "cluster.hardware=h2000",
                              "job.layout.tp=3"});
  const Folder folder;
  expect_as_afresh(folder.write("broken.toml", "[cluster\n"), {"spares.count=few"});
  expect_as_afresh(folder.write("child.toml", "extends = \"nobody.toml\"\n"), {"spares.count=few"});
  expect_as_afresh(folder.write("catalog/hardware/own.toml", "memory = \"1GB\"\n"), {"spares.count=few"});
  expect_as_afresh(folder.write("wrong.toml", with(kSmall, "hosts = 2", "hosts = \"two\"")),
                   {"cluster.hosts=2", "job.window=ever"});
}

TEST(ScenarioSource, ReadsItsFilesOnce) {
  const Folder folder;
  const std::string path = folder.write("a.toml", kSmall);
  const ScenarioSource source(path);
  const std::string before = show(source.load());
  folder.write("a.toml", "hosts = nonsense");
  EXPECT_EQ(show(source.load()), before);
  EXPECT_FALSE(load_scenario(path, {}).scenario);
}

}  // namespace
}  // namespace gauntlet
