// Which signals the agents of a drill can report.
#pragma once

#include "core/signal.hpp"
#include "models/world/world.hpp"

#include <string>

namespace gauntlet {

/// What hosts bring, whatever job runs on them.
struct SignalSources {
  bool interfaces = false;  // each host has network interfaces of its own
};

/// Why no agent of a drill of this world reports the signal: "a job that only prints lines reports no loss". Empty where they do.
std::string why_not_reported(const World& world, Signal signal, const SignalSources& sources);

}  // namespace gauntlet
