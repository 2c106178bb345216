// Nodes of a trace as hosts of a scenario.
#pragma once

#include "commands/trace/records/records.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {

/// Systems stand one behind the other. Within one, nodes that are whole numbers keep their distance from each other, from zero
/// on or, where they would leave the number of nodes that the source states, from the least one on; other names are numbered
/// in their order.
struct ComponentNumbers {
  std::vector<std::vector<std::uint32_t>> of;  // by system and node
  std::uint32_t count = 0;                     // hosts that a scenario needs
  std::vector<std::string> words;              // "system 19: node N is host N - 1024"
};
ComponentNumbers component_numbers(const FailureTrace& trace);

}  // namespace gauntlet
