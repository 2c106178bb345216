// Scenario files: a refusal names its place; an accepted scenario loads again from what `show` prints, and is then the same.
#include "config/scenario.hpp"

#include "tests/fuzz/fuzz.hpp"

using namespace gauntlet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const LoadedScenario loaded = load_scenario_text(text_of(data, size), "fuzz.toml");
  ensure(loaded.scenario.has_value() == loaded.problems.empty(), "a scenario is there or its problems are");
  for (const Problem& problem : loaded.problems) {
    ensure(!problem.file.empty() && !problem.why.empty(), "a problem names its file and its reason");
  }
  if (!loaded.scenario) return 0;

  const std::string shown = show(loaded, Comments::none);
  const LoadedScenario again = load_scenario_text(shown, "shown.toml");
  ensure(again.problems.empty(), "what is shown of a scenario is a scenario");
  ensure(show(again, Comments::none) == shown, "what is shown loads to the same scenario");
  ensure(load_scenario_text(show(loaded), "shown.toml").problems.empty(), "so it is with comments");
  return 0;
}
