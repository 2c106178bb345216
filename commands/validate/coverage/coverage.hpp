// The 95% intervals of shipped scenarios, many times over.
#pragma once

#include "commands/validate/coverage/question.hpp"
#include "commands/validate/coverage/result.hpp"

namespace gauntlet {

/// Repetition i of a scenario has the replicas i x replicas to (i + 1) x replicas - 1. The value that its intervals are held to is the
/// mean of all replicas together. The result does not depend on the threads.
CoverageResult cover(const CoverageQuestion& question);

}  // namespace gauntlet
