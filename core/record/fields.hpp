// Observations and orders as rows of a table: one field for each member.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace gauntlet {

struct Field {
  std::string name;  // "who", "inventory.layout.tp"; of a time "sensed_ns"
  std::variant<bool, std::int64_t, double, std::string> value;
};

/// First `kind` (the name of the type: "Seen"), then the members in their order. Members of a member follow it, after its name
/// and a dot; of one that may have several types, its own field says which: result = "Granted", result.host = 17. Components and
/// scopes are text: "host:17".
std::vector<Field> fields_of(const Observation& seen);
std::vector<Field> fields_of(const Action& ordered);

}  // namespace gauntlet
