#include "tests/reference/random_runs.hpp"

#include "config/scenario.hpp"
#include "tests/reference/compare.hpp"
#include "tests/reference/random_scenario.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace gauntlet::reference {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}

}  // namespace

void compare_random_scenarios(std::uint64_t seed, std::uint64_t count, const std::string& program) {
  const std::uint64_t first = from_environment("SEED", seed), all = from_environment("COUNT", count);
  if (const char* file = std::getenv("SCENARIO")) {
    std::ostringstream toml;
    toml << std::ifstream(file).rdbuf();
    EXPECT_EQ(difference_of_text(toml.str(), first), "") << "in " << file << " with seed " << first;
    return;
  }
  const std::uint64_t most_failures = from_environment("FAILURES", 1);
  std::uint64_t failures = 0, refused = 0;
  for (std::uint64_t s = first; s < first + all; ++s) {
    const Lines lines = random_scenario(s);
    const std::string toml = to_toml(lines);
    const LoadedScenario loaded = load_scenario_text(toml, "scenario.toml");
    if (!loaded.scenario) {
      if (++refused * 3 > s - first + 20) {
        ADD_FAILURE() << "too many scenarios are not valid, as " << s << ": "
                      << loaded.problems.front().text() << "\n"
                      << toml;
        return;
      }
      continue;
    }
    const std::string found = difference(*loaded.scenario, s);
    if (found.empty()) continue;
    // Another difference is another fault: a scenario that is made smaller keeps to the one that was found.
    const auto fails = [&](const std::string& text) {
      const std::string smaller = difference_of_text(text, s);
      return !smaller.empty() && kind_of_difference(smaller) == kind_of_difference(found);
    };
    const std::string smallest = to_toml(shrunk(lines, fails));
    ADD_FAILURE() << difference_of_text(smallest, s) << "in the scenario, with seed " << s << ",\n"
                  << smallest << "repeat with: SEED=" << s << " COUNT=1 build/tests/" << program;
    if (++failures >= most_failures) return;
  }
}

}  // namespace gauntlet::reference
