// A variable that all ranks of an agent carry, and whatever they start inherits, in whatever session or group it is: by it, those that an agent
// which was killed has left are told from everything else on the machine.
#pragma once

#include <string>

namespace gauntlet {

/// Of the ranks of this process: "GAUNTLET_AGENT=PID:START".
std::string rank_tag();

/// Kills every process that carries it, for at most ten seconds. False where one is left. A process that was started without the variable is not
/// found, and neither is one of another user, unless this one is root's.
bool kill_tagged(const std::string& tag);

}  // namespace gauntlet
