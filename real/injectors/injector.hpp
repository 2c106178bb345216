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
#include <string_view>
#include <vector>

namespace gauntlet {

using InjectionKinds = std::set<InjectionKind>;

/// What agents of every launcher can do; what those can do that the drill starts itself; what the host of a lab allows besides.
inline const InjectionKinds kInjectionsAnywhere = {
    InjectionKind::kill,         InjectionKind::stop,
    InjectionKind::pause,        InjectionKind::line,
    InjectionKind::start_fails,  InjectionKind::loss,
    InjectionKind::damage,       InjectionKind::disk_full,
    InjectionKind::disk_failing, InjectionKind::memory,
    InjectionKind::partition,    InjectionKind::late_heartbeats,
    InjectionKind::hold,         InjectionKind::repeated_heartbeats};
inline const InjectionKinds kInjectionsOfOwnAgents = [] {
  InjectionKinds kinds = kInjectionsAnywhere;
  kinds.insert(InjectionKind::host_lost);
  return kinds;
}();
inline const InjectionKinds kAllInjections = [] {
  InjectionKinds kinds;
  for (const InjectionTraits& each : kInjectionTraits) kinds.insert(each.kind);
  return kinds;
}();

/// How faults of one kind are brought about.
struct Injector {
  std::optional<InjectionKind> kind{};  // not given: they are not injected
  std::string_view does{};              // for people: "SIGKILL of its rank"; or why they are not injected
  std::string_view
      differs{};  // in what the injection differs from the fault that the scenario describes; empty: in nothing
};
Injector injector_of(const FaultKind& kind);
inline std::optional<InjectionKind> injection_of(const FaultKind& kind) { return injector_of(kind).kind; }

/// Whether a fault of the world lets the disk of a host fail: then the job's ranks end where they cannot save.
bool disks_fail(const World& world);

/// "every launcher", "a lab": for people.
std::string_view where_injected(InjectionKind kind);

/// One problem for each fault kind of the world that cannot be injected where hosts allow these kinds, naming what can be.
std::vector<Problem> check_injectable(const World& world, const InjectionKinds& allowed);

/// The first of the hosts that a fault strikes.
HostId host_of(const World& world, const PlannedFault& fault);

/// What it strikes on one of its hosts: the number of a GPU or of a data interface there, or kEveryTarget. Nothing where the lab gives the
/// host no interface below that ToR switch.
std::optional<std::uint32_t> target_on(const World& world, const PlannedFault& fault, HostId host);

/// How long a fault lasts; kForever where it does not heal by itself. A damaged checkpoint stays so, and the fault is over at once.
Duration lasts(const World& world, const PlannedFault& fault);

/// The processor time, in processors, that makes a step of the fault's ranks on one host `factor` times as long. `cores`: of the machine
/// that all ranks share.
double cores_of_slow_ranks(const World& world, const FaultKind& kind, std::uint32_t cores);

/// The share of packets whose loss makes TCP send `factor` times less; at most a fifth.
double lost_share(double factor);

/// "SIGKILL of its rank", "data0: the data interface is set down, for 10s": for people.
std::string injection_text(const World& world, const PlannedFault& fault);

}  // namespace gauntlet
