// Recordings in words: what happened, and where policies decide differently.
#pragma once

#include "core/record/record.hpp"
#include "core/record/replay_cluster.hpp"

#include <string>

namespace gauntlet {

/// Each observation on a line, followed by the orders that answer it.
std::string story_of(const Record& record);

/// When it was, what was observed, the recorded order and the present one.
std::string to_text(const ReplayCluster::Difference& difference);

}  // namespace gauntlet
