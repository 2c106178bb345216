// A fault of every model of the catalogue.
#pragma once

#include "config/toml/files.hpp"
#include "tests/config/scenario_texts.hpp"

#include <stdexcept>
#include <string>

namespace gauntlet {

/// Tables of faults, one for each model, which have its name and never occur by themselves.
inline std::string faults_of_all_models() {
  std::string text;
  for (const std::string& name : catalogue_names("fault-models", {}))
    text += "[faults." + name + "]\nmodel = \"" + name + "\"\nmtbf = \"never\"\n";
  return text;
}

/// kSmall with these faults.
inline const World& world_of_all_models() {
  static const LoadedScenario kLoaded =
      load_text(kSmall + "[repair]\ntime = \"1h\"\n" + faults_of_all_models());
  if (!kLoaded.scenario) throw std::runtime_error(problems_of(kLoaded));
  return kLoaded.scenario->world;
}

}  // namespace gauntlet
