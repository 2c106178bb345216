// The operator's end: finds the drills that run on this machine, and asks their drivers.
#pragma once

#include "core/problem.hpp"
#include "real/control/operator_desk.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// The directories of drills below `base` whose drivers listen, sorted.
std::vector<std::string> running_drills(const std::string& base);

/// Whether a driver listens to operators of the drill that has this directory.
bool has_driver(const std::string& directory);

/// Sends a request, and waits for the answer. A problem where no driver answers; one that refuses has answered.
std::optional<Problem> ask_driver(const std::string& directory, const OperatorRequest& request,
                                  OperatorReply& reply);

}  // namespace gauntlet
