#include "real/injectors/injector.hpp"

#include "core/quantity.hpp"
#include "models/world/blast_radius.hpp"
#include "real/lab/plan.hpp"
#include "real/trainer/segment_work.hpp"

#include <array>

namespace gauntlet {
namespace {

struct Described {
  InjectionKind kind;
  const char* text;
};
constexpr std::array<Described, kInjectionKinds> kDescriptions = {{
    {InjectionKind::kill, "effect = \"crash\" of a gpu (SIGKILL of its rank)"},
    {InjectionKind::stop, "effect = \"hang\" of a gpu (SIGSTOP of its rank)"},
    {InjectionKind::slow, "effect = \"slow\" of a gpu (less processor time for its rank)"},
    {InjectionKind::link_down,
     "effect = \"stall\" of a nic with a constant heals_after (its interface is set down)"},
}};

std::string list_of(const InjectionKinds& kinds) {
  std::string text;
  for (const Described& each : kDescriptions)
    if (kinds.contains(each.kind)) text += (text.empty() ? "" : "; ") + std::string(each.text);
  return text;
}

bool heals_at_a_known_time(const FaultKind& kind) {
  return kind.heals_after && kind.heals_after->variance() == 0;
}

}  // namespace

std::optional<InjectionKind> injection_of(const FaultKind& kind) {
  // Nothing but the effect: no symptom that nobody would bring about, and no change of it with time.
  const bool plain = !kind.symptoms.log && !kind.symptoms.heartbeat_lost && kind.symptoms.loss == 0 &&
                     kind.clock == FaultClock::always && !kind.same_step && !kind.halts_storage &&
                     kind.grows_every == Duration::zero() && kind.segment == Segment::all;
  if (!plain) return std::nullopt;
  if (kind.component == ComponentKind::gpu && kind.remedy != Remedy::person) {
    if (kind.effect == Effect::crash && !kind.heals_after) return InjectionKind::kill;
    if (kind.effect == Effect::hang && !kind.heals_after) return InjectionKind::stop;
    if (kind.effect == Effect::slow && kind.remedy == Remedy::restart &&
        (!kind.heals_after || heals_at_a_known_time(kind)))
      return InjectionKind::slow;
  }
  const bool of_link = kind.component == ComponentKind::nic && kind.effect == Effect::stall;
  if (of_link && heals_at_a_known_time(kind)) return InjectionKind::link_down;
  return std::nullopt;
}

std::vector<Problem> check_injectable(const World& world, const InjectionKinds& allowed) {
  std::vector<Problem> problems;
  InjectionKinds others;
  for (const InjectionKind each : kAllInjections)
    if (!allowed.contains(each)) others.insert(each);
  for (const FaultKind& kind : world.faults) {
    const bool request = is_stop_request(kind.effect) && kind.component == ComponentKind::job &&
                         kind.clock == FaultClock::always;
    const std::optional<InjectionKind> injection = injection_of(kind);
    if (request || (injection && allowed.contains(*injection))) continue;
    problems.push_back(
        {.file = "",
         .what = "faults." + kind.name,
         .why = injection ? "can be injected in a lab alone" : "has no injector here",
         .suggestion =
             (injection ? "write --launch lab; here can be injected: " : "what can be injected is ") +
             list_of(allowed) +
             (others.empty() || injection ? "" : "; with --launch lab also " + list_of(others)) +
             "; and effect = \"planned\" or \"preempt\" of the job. Crashes and hangs of a gpu have remedy = "
             "\"restart\" or "
             "\"repair\", its slow faults \"restart\", and all have clock = \"always\" and no log "
             "line, lost heartbeat or loss"});
  }
  return problems;
}

HostId host_of(const World& world, const PlannedFault& fault) {
  return hosts_of(world, fault.component).first;
}

std::uint32_t number_on_host(const World& world, const PlannedFault& fault) {
  const bool nic = fault.component.kind == ComponentKind::nic;
  return fault.component.index % (nic ? world.hardware.nics_per_host : world.inventory.gpus_per_host);
}

Duration lasts(const FaultKind& kind) {
  return kind.heals_after ? from_seconds(kind.heals_after->mean()) : kForever;
}

/// The trainer's segments are work for a share s of their time and waiting for the rest. With q processors the work takes s / q, so that
/// s / q + 1 - s = factor. Of a user's job nothing is known: all of it is work, with as much of the host as is its rank's.
double cores_of_slow_rank(const World& world, const FaultKind& kind, std::uint32_t cores) {
  if (world.drill.command.given()) {
    const double of_host = kLabShareOfCores * cores / world.inventory.hosts();
    return of_host / world.inventory.gpus_per_host / kind.factor;
  }
  const double work = work_share(world.job.layout.ranks(), cores);
  return work / (kind.factor - 1 + work);
}

std::string injection_text(const World& world, const PlannedFault& fault) {
  const FaultKind& kind = world.faults[fault.kind.value];
  const std::optional<InjectionKind> injection = injection_of(kind);
  if (!injection) return "none";
  const std::string time = kind.heals_after ? " for " + to_text(lasts(kind)) : "";
  switch (*injection) {
    case InjectionKind::kill:
      return "SIGKILL";
    case InjectionKind::stop:
      return "SIGSTOP";
    case InjectionKind::slow:
      return "CPU quota" + time;
    case InjectionKind::link_down:
      return data_interface(number_on_host(world, fault)) + " down" + time;
  }
  return "none";
}

}  // namespace gauntlet
