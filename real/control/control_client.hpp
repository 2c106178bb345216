// The operator's end: finds the drills that run on this machine, and asks their drivers.
#pragma once

#include "core/problem.hpp"
#include "real/control/operator_desk.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// The directories below `base` that are drills of this user, and whose drivers listen, sorted.
std::vector<std::string> running_drills(const std::string& base,
                                        const std::function<bool(const std::string& path)>& is_drill);

/// Whether a driver listens to operators of the drill that has this directory.
bool has_driver(const std::string& directory);

/// With "?" for what a terminal would obey: control characters but for newlines and tabs. `text` is UTF-8.
std::string without_controls(std::string text);

/// Sends a request, and waits for the answer. A problem where no driver answers; one that refuses has answered. Root may ask another user's
/// driver: of its answer nothing is left that a terminal obeys.
std::optional<Problem> ask_driver(const std::string& directory, const OperatorRequest& request,
                                  OperatorReply& reply);

}  // namespace gauntlet
