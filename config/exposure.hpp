// Over what a count of failures was observed: "54d x 2048 hosts".
#pragma once

#include "core/id.hpp"
#include "core/quantity.hpp"

#include <string_view>

namespace gauntlet {

struct Exposure {
  double seconds = 0;     // how long they were watched, all at the same time
  double components = 0;  // how many
  ComponentKind kind = ComponentKind::host;
};

/// A duration, "x", a count and what was counted: host(s), gpu(s), nic(s), rack(s), tor(s), aggregation(s), spine(s), power
/// (domains) or job(s).
Parsed<Exposure> parse_exposure(std::string_view text);

}  // namespace gauntlet
