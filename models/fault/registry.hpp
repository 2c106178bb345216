// The fault models by name: what goes wrong in training clusters, with the effect, symptoms and remedy that are known of it.
// A scenario says `model = "NAME"` and how often; whatever else it says takes the place of what is here.
#pragma once

#include "models/fault.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// A fault model: a fault kind without its rate, pattern and followers, which only a scenario has.
struct FaultModel {
  std::string_view name;      // "nic_flap"
  std::string_view area;      // "gpu", "network", "host", "software"
  std::string_view summary;   // one line for people
  FaultKind kind{};           // name, life, trace, symptoms.log and followed_by are unset
  std::string log{};          // the line that the culprit logs; empty: none
  std::string followed_by{};  // the model's name; empty: none. The law and the probability:
  Probability follow_probability{0.0};
  Law follow_after = Law::constant(0);
  std::string_view source{};  // of the numbers: addresses, or "assumption: ..."
};

/// All of them, in the order of their names.
std::span<const FaultModel> fault_models();
/// Null where there is none.
const FaultModel* find_fault_model(std::string_view name);

}  // namespace gauntlet
