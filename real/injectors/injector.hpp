// Which faults can be injected into real processes and hosts, where, and how.
#pragma once

#include "core/problem.hpp"
#include "models/world/fault_plan.hpp"
#include "models/world/world.hpp"
#include "real/stream/messages.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gauntlet {

using InjectionKinds = std::set<InjectionKind>;

/// What every agent can do, and what the host of a lab allows.
inline const InjectionKinds kSignalsToRanks = {InjectionKind::kill, InjectionKind::stop};
inline const InjectionKinds kAllInjections = {InjectionKind::kill, InjectionKind::stop, InjectionKind::slow,
                                              InjectionKind::link_down};

/// How a fault kind is brought about just as the scenario describes it; nothing where that is not possible.
std::optional<InjectionKind> injection_of(const FaultKind& kind);

/// One problem for each fault kind of the world that cannot be injected where hosts allow these kinds, naming what can be.
std::vector<Problem> check_injectable(const World& world, const InjectionKinds& allowed);

/// The host that a fault strikes, and its number there: of the GPU, the NIC.
HostId host_of(const World& world, const PlannedFault& fault);
std::uint32_t number_on_host(const World& world, const PlannedFault& fault);

/// How long a fault lasts at most; kForever where it does not heal by itself.
Duration lasts(const FaultKind& kind);

/// The processor time, in processors, that makes a step of one rank `kind.factor` times as long. `cores`: of the machine that all ranks
/// share.
double cores_of_slow_rank(const World& world, const FaultKind& kind, std::uint32_t cores);

/// "SIGKILL", "data0 down for 10 s": for people.
std::string injection_text(const World& world, const PlannedFault& fault);

}  // namespace gauntlet
