// What goes wrong in training clusters, as scenarios name it.
#pragma once

#include "models/fault/fault.hpp"

#include <string>
#include <string_view>

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

}  // namespace gauntlet
