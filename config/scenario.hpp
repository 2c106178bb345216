// Scenarios: TOML in, the world, the constants of the policies and the size of the study out.
//
//   LoadedScenario loaded = load_scenario("scenarios/tiny-8.toml", sets);
//   if (!loaded.scenario) for (const Problem& problem : loaded.problems) print(problem.text());
#pragma once

#include "config/fields/scenario_parts.hpp"
#include "config/toml/value.hpp"
#include "core/problem.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

struct LoadedScenario {
  std::optional<Scenario> scenario;  // there when there are no problems
  std::vector<Problem> problems;     // every mistake, by position
  std::vector<Problem> warnings;     // what is allowed, and has a consequence that is seldom meant
  Value resolved;                    // the whole scenario with its defaults, and where each value came from
};

/// Whether a warning says that a value which is given changes nothing.
bool says_no_effect(const Problem& warning);

/// A file, or the name of a shipped scenario ("tiny-8"). `sets`: "path=value" each, over what the file says.
/// Never throws for bad input.
LoadedScenario load_scenario(const std::string& path, std::span<const std::string> sets);

/// The same of a text; `name` stands for the file in messages. Relative paths in it start at the working directory.
LoadedScenario load_scenario_text(std::string_view text, const std::string& name,
                                  std::span<const std::string> sets = {});

/// A scenario whose files are read once and which is then loaded with many different settings.
class ScenarioSource {
 public:
  /// As load_scenario: a file or a shipped name, and what lies over it for every load.
  explicit ScenarioSource(const std::string& path, std::span<const std::string> sets = {});
  /// With `sets` over all; the same as load_scenario(path, both lists) would give if no file changed meanwhile (an entry
  /// of the catalogue that a set names is read now). Threads may load at the same time.
  LoadedScenario load(std::span<const std::string> sets = {}) const;

 private:
  struct Files;
  std::shared_ptr<const Files> files_;
};

enum class Comments : std::uint8_t {
  none,  // the values alone, the same wherever the scenario came from
  full,  // each with what it means and where it came from
};

/// The whole scenario as TOML, itself a scenario that needs no other file and loads to the same thing. Of a scenario
/// that has problems: what could be read of it.
std::string show(const LoadedScenario& loaded, Comments comments = Comments::full);

/// A JSON Schema (draft-07) of scenario files, for editors.
std::string schema();

}  // namespace gauntlet
