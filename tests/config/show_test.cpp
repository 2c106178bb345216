// What is shown is itself a scenario, and the same one.
#include "config/listing.hpp"
#include "config/toml/files.hpp"
#include "core/random/law.hpp"
#include "core/signal.hpp"
#include "policies/controller/registry.hpp"
#include "tests/config/scenario_texts.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

/// Shown, loaded from the text alone, and shown again: nothing may be lost, and no file may be needed.
void expect_round_trip(const LoadedScenario& loaded) {
  ASSERT_EQ(problems_of(loaded), "");
  const std::string values = show(loaded, Comments::none);
  const LoadedScenario again = load_scenario_text(values, "shown.toml");
  ASSERT_EQ(problems_of(again), "");
  EXPECT_EQ(show(again, Comments::none), values);
  const LoadedScenario commented = load_scenario_text(show(loaded, Comments::full), "shown.toml");
  ASSERT_EQ(problems_of(commented), "");
  EXPECT_EQ(show(commented, Comments::none), values);

  const World& a = loaded.scenario->world;
  const World& b = again.scenario->world;
  EXPECT_EQ(a.inventory, b.inventory);
  EXPECT_EQ(a.patterns, b.patterns);
  EXPECT_EQ(a.job.window, b.job.window);
  EXPECT_EQ(a.job.start.scheduling, b.job.start.scheduling);
  EXPECT_EQ(a.repair.time, b.repair.time);
  EXPECT_EQ(a.job.planned_stops.size(), b.job.planned_stops.size());
  ASSERT_EQ(a.faults.size(), b.faults.size());
  for (std::size_t i = 0; i < a.faults.size(); ++i) {
    EXPECT_EQ(a.faults[i].name, b.faults[i].name);
    EXPECT_EQ(a.faults[i].life, b.faults[i].life);  // to the last bit
    EXPECT_EQ(a.faults[i].trace, b.faults[i].trace);
    EXPECT_EQ(a.faults[i].symptoms.log, b.faults[i].symptoms.log);
  }
  EXPECT_EQ(loaded.scenario->policies.checkpoint.prior_mtbf, again.scenario->policies.checkpoint.prior_mtbf);
}

TEST(Show, EveryShippedScenarioIsWithoutMistakesAndComesBackWhole) {
  const auto scenarios = list_scenarios();
  ASSERT_GE(scenarios.size(), 4U);
  for (const Listed& scenario : scenarios) {
    SCOPED_TRACE(scenario.name);
    EXPECT_FALSE(scenario.about.empty()) << "it asks no question";
    expect_round_trip(load_scenario(scenario.name, {}));
  }
}

TEST(Show, ATraceReplacesTheRateOfAModelWithItsCurve) {
  const LoadedScenario loaded =
      load_text(kSmall + "[faults.f]\nmodel = \"bad_rollout\"\ntrace = [{ at = \"5s\", component = 0 }]\n");
  expect_round_trip(loaded);
  EXPECT_TRUE(loaded.scenario->world.faults.at(0).profile.flat());
}

/// What is warned of, and why; not where, which another text says otherwise.
std::vector<std::string> warned_of(const LoadedScenario& loaded) {
  std::vector<std::string> out;
  for (const Problem& warning : loaded.warnings)
    out.push_back(warning.what.substr(0, warning.what.find(' ')) + " " + warning.why);
  std::sort(out.begin(), out.end());
  return out;
}

void expect_the_same_warnings(const LoadedScenario& loaded) {
  EXPECT_EQ(warned_of(load_scenario_text(show(loaded), "shown.toml")), warned_of(loaded));
}

// Every default is written there, and nobody meant it.
TEST(Show, WarnsOfNothingThatTheScenarioItselfDoesNot) {
  std::size_t scenarios = 0, warnings = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator("scenarios")) {
    const std::string path = file.path().string();
    if (file.path().extension() != ".toml" || path.starts_with("scenarios/catalog/")) continue;
    SCOPED_TRACE(path);
    const LoadedScenario loaded = load_scenario(path, {});
    ASSERT_EQ(problems_of(loaded), "");
    expect_the_same_warnings(loaded);
    ++scenarios;
    warnings += loaded.warnings.size();
  }
  EXPECT_GE(scenarios, 30U);
  EXPECT_GE(warnings, 1U) << "every-fault has one";
  expect_the_same_warnings(load_text(kSmall));  // too few hosts for a detector that it has by default
  expect_the_same_warnings(load_text(kSmall + "slow_write = 0.5\n[spares]\ncold_time = \"1min\"\n[repair]\n"
                                              "burn_in_finds = 0.5\n[job.start]\nat_gpus = 8\n"));
}

TEST(Show, WhatIsOddComesBackToo) {
  expect_round_trip(load_text(kSmall + R"(
source = 'a "quoted" \ text'
[repair]
time = "1h"
[faults.f]
component = "host"
effect = "crash"
trace = [{ at = "1h", component = 1 }]
[faults.g]
component = "host"
effect = "crash"
remedy = "restart"
rate = { count = 0.1, over = "0.3d x 7 gpus", source = "tab\there" }
law = { name = "gamma", shape = 0.30000000000000004 }
)"));
}

// It is shorter than the interval between checkpoints that holds where none is written.
TEST(Show, AJobOfAMinuteComesBackWhole) {
  expect_round_trip(load_text(with(kSmall, "window = \"10d\"", "window = \"1min\"")));
}

TEST(Show, SaysWhereEachValueCameFrom) {
  const LoadedScenario loaded = load_text(kSmall, {"checkpoint.interval=5min"});
  const std::string shown = show(loaded);
  const auto line_of = [&](const std::string& start) {
    const std::size_t at = shown.find("\n" + start);
    return at == std::string::npos ? std::string() : shown.substr(at + 1, shown.find('\n', at + 1) - at - 1);
  };
  EXPECT_TRUE(line_of("hosts = ").ends_with("[test.toml:3]")) << line_of("hosts = ");
  EXPECT_TRUE(line_of("interval = ").ends_with("[--set]")) << line_of("interval = ");
  EXPECT_TRUE(line_of("give_up_after = ").ends_with("[default]")) << line_of("give_up_after = ");
  EXPECT_TRUE(line_of("prior_mtbf = ").ends_with("[computed]")) << line_of("prior_mtbf = ");
  EXPECT_NE(line_of("nvlink = ").find("h100.toml:"), std::string::npos) << line_of("nvlink = ");
  EXPECT_NE(line_of("give_up_after = ").find("# longest time without progress"), std::string::npos);
}

TEST(Show, WithoutCommentsItDoesNotDependOnPlaces) {
  const Folder folder;
  const std::string path = folder.write("test.toml", kSmall);
  EXPECT_EQ(show(load_scenario(path, {}), Comments::none), show(load_text(kSmall), Comments::none));
}

TEST(Show, AScenarioWithMistakesDoesNotStopIt) {
  EXPECT_FALSE(show(load_text("faults = 3\n[job]\nmodel = 7\n[probes]\nx = 1\n")).empty());
}

// --- the schema

TEST(Schema, IsJsonAndHasEverySectionThatIsShown) {
  const auto schema = nlohmann::json::parse(gauntlet::schema());
  EXPECT_EQ(schema.at("$schema"), "http://json-schema.org/draft-07/schema#");
  const auto& sections = schema.at("properties");
  for (const char* name :
       {"extends", "name", "question", "cluster", "spares", "job", "storage", "telemetry", "repair", "people",
        "cost", "faults", "probes", "policies", "detection", "diagnosis", "checkpoint", "recovery", "study"})
    EXPECT_TRUE(sections.contains(name)) << name;
  EXPECT_EQ(sections["policies"]["properties"]["checkpoint"]["enum"],
            (nlohmann::json{"fixed", "young", "daly", "exact", "two-level"}));
  EXPECT_EQ(sections["checkpoint"]["properties"]["interval"]["default"], "30min");
  EXPECT_FALSE(sections["checkpoint"]["properties"]["interval"]["description"].get<std::string>().empty());
  EXPECT_EQ(sections["probes"]["additionalProperties"]["properties"]["false_positive"]["maximum"], 1);
}

/// Every property has a line of documentation, at any depth.
void expect_documented(const nlohmann::json& node, const std::string& path) {
  if (!node.is_object()) return;
  if (node.contains("properties") && node.contains("additionalProperties") && !path.ends_with("anyOf")) {
    for (const auto& [name, property] : node["properties"].items()) {
      EXPECT_TRUE(property.contains("description")) << path << "." << name;
      expect_documented(property, path + "." + name);
    }
  }
  if (node.contains("additionalProperties")) expect_documented(node["additionalProperties"], path + ".*");
}

TEST(Schema, DocumentsEveryField) { expect_documented(nlohmann::json::parse(gauntlet::schema()), ""); }

// --- lists

TEST(Lists, NameWhatThereIs) {
  const auto names = [](const std::vector<Listed>& list) {
    std::vector<std::string> out;
    for (const Listed& each : list) {
      EXPECT_FALSE(each.about.empty()) << each.name;
      out.push_back(each.name);
    }
    return out;
  };
  EXPECT_EQ(names(list_hardware()),
            (std::vector<std::string>{"a100-40g", "a100-80g", "h100", "h200", "h800"}));
  EXPECT_EQ(names(list_models()),
            (std::vector<std::string>{"bloom-176b", "deepseek-v3", "gpt3-175b", "llama3-405b", "llama3-70b",
                                      "llama3-8b", "megatron-1.7b", "megatron-1008b", "megatron-145.6b",
                                      "megatron-18.4b", "megatron-3.6b", "megatron-310.1b", "megatron-39.1b",
                                      "megatron-529.6b", "megatron-7.5b", "megatron-76.1b", "mt-nlg-530b",
                                      "opt-175b", "tiny-1b"}));
  EXPECT_EQ(names(list_distributions()), std::vector<std::string>(law_names().begin(), law_names().end()));
  // 13 detectors, 4 diagnoses, 5 checkpoint policies, 2 restores, 4 recoveries, 3 retirements, 2 sizes of spares.
  EXPECT_EQ(names(list_policies()).size(), 33U);
  EXPECT_EQ(names(list_signals()), std::vector<std::string>(kSignalNames.begin(), kSignalNames.end()));
  EXPECT_EQ(names(list_lines()), catalogue_names("lines", {}));
  EXPECT_EQ(names(list_detectors()),
            std::vector<std::string>(detector_names().begin(), detector_names().end()));
  for (const Listed& detector : list_detectors()) {
    if (detector.name == "fail-slow") {
      EXPECT_TRUE(detector.about.ends_with("(watches forward_time and backward_time)")) << detector.about;
    }
  }
  const std::vector<std::string> probes = names(list_probes());
  for (const char* probe : {"host_check", "all_reduce_neighbours", "quick", "thorough"})
    EXPECT_NE(std::find(probes.begin(), probes.end(), probe), probes.end()) << probe;
  const std::vector<Listed> faults = list_faults();
  EXPECT_GE(faults.size(), 18U);
  std::vector<std::string> fault_names = names(faults);
  EXPECT_EQ(std::adjacent_find(fault_names.begin(), fault_names.end()), fault_names.end())
      << "each once, in order";
  EXPECT_TRUE(std::is_sorted(fault_names.begin(), fault_names.end()));
  for (const Listed& fault : faults) {
    if (fault.name != "gpu_hbm3") continue;
    EXPECT_TRUE(fault.about.find("(model gpu_ecc_uncorrectable)") != std::string::npos) << fault.about;
    for (const char* profile : {"llama3", "llama3-as-printed"})
      EXPECT_TRUE(fault.about.find("catalog/faults/" + std::string(profile) +
                                   ".toml (72 over 54d x 2048 hosts)") != std::string::npos)
          << fault.about;
  }
  for (const std::string& profile : catalogue_names("faults", {})) {
    EXPECT_TRUE(std::any_of(faults.begin(), faults.end(), [&](const Listed& fault) {
      return fault.about.find("catalog/faults/" + profile + ".toml") != std::string::npos;
    })) << profile;
  }
}

}  // namespace
}  // namespace gauntlet
