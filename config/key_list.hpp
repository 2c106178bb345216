// Every key that a scenario can have, from the one description of scenarios.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

struct ScenarioKey {
  std::string path;  // "checkpoint.interval"; NAME stands for a name of the user's: "faults.NAME.mtbf"
  std::string about;
  std::string schema;  // what it takes, as a JSON Schema; empty for a table
  std::string
      fallback;  // TOML of the default, "computed", "required", or empty where absence is a state of its own
};

/// In the order in which `gauntlet show` prints them.
std::vector<ScenarioKey> scenario_keys();

/// Whether the key takes whole numbers alone. `path`: with names of the user's, as in "faults.gpu_lost.count".
bool takes_whole_numbers(std::string_view path);

}  // namespace gauntlet
