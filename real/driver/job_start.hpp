// The user's own job as a driver starts it.
#pragma once

#include "core/problem.hpp"
#include "models/world/job_command.hpp"
#include "real/system/rank_user.hpp"

#include <optional>

namespace gauntlet {

/// What keeps the command from being started on this machine, as `user` or as this process's own: a directory or a program
/// that is not there. `what` of the problem is the key of the scenario.
std::optional<Problem> problem_of_command(const JobCommand& command,
                                          const std::optional<RankUser>& user = std::nullopt);

}  // namespace gauntlet
