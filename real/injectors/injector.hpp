// Which faults can be injected into real processes here, and how.
#pragma once

#include "core/problem.hpp"
#include "models/world/world.hpp"
#include "real/agent/agent_link.hpp"

#include <optional>
#include <vector>

namespace gauntlet {

/// SIGKILL of a rank for a crash, SIGSTOP of a rank for a hang; nothing for a kind that no injector can bring about as
/// the scenario describes it.
std::optional<AgentSignal> injector_for(const FaultKind& kind);

/// One problem for each fault kind of the world that has no injector, naming what can be injected.
std::vector<Problem> check_injectable(const World& world);

}  // namespace gauntlet
